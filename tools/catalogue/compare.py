"""Compares the facts of two releases, or what the catalogue says with what a release has."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tools.catalogue.facts import EndpointFacts, FieldFacts, ModelFacts, ReleaseFacts, reachable
from tools.catalogue.schemas import exact_text, limits_of, settled, type_text


class Aspect(NamedTuple):
    """One thing that differs: ``what`` is ``type``, ``limits``, ``default`` …."""

    what: str
    old: Any
    new: Any


class FieldChange(NamedTuple):
    """A field that is new (``old`` is ``None``), gone (``new`` is ``None``) or changed."""

    name: str
    old: FieldFacts | None
    new: FieldFacts | None
    aspects: tuple[Aspect, ...] = ()


@dataclass(slots=True)
class Change:
    """What differs in one endpoint, nested model or engine class (``kind``).

    ``fate`` is ``new``, ``gone`` or ``changed``; ``compared`` counts its facts: itself and
    its fields.
    """

    kind: str
    name: str
    fate: str
    aspects: tuple[Aspect, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    compared: int = 0

    @property
    def differing(self) -> int:
        """How many of its facts differ: itself, and each field that is not equal."""
        if self.fate != "changed":
            return self.compared
        return len(self.fields) + bool(self.aspects)


@dataclass(slots=True)
class Comparison:
    """Every endpoint, model and class that was compared, whether it differs or not."""

    changes: list[Change] = field(default_factory=list)

    @property
    def differing(self) -> list[Change]:
        """The changes that say something."""
        return [change for change in self.changes if change.differing]


def compare(old: ReleaseFacts, new: ReleaseFacts, only_dated: bool = False) -> Comparison:
    """Return what differs from ``old`` to ``new``.

    ``only_dated`` leaves out what the catalogue keeps for its newest release alone: which
    of an endpoint's bodies have a field, what kind of body or model there is.
    """
    judge = _Judge(only_dated)
    endpoints = judge.pairs("endpoint", old.endpoints, new.endpoints, judge.endpoint)
    models = judge.pairs("model", _in_use(old), _in_use(new), judge.model)
    engine = judge.pairs("engine class", old.engine, new.engine, judge.model)
    return Comparison([*endpoints, *models, *engine])


def _in_use(facts: ReleaseFacts) -> dict[str, ModelFacts]:
    """The models that some endpoint's body leads to."""
    names = {
        name
        for endpoint in facts.endpoints.values()
        for name in reachable(endpoint.fields, facts.models)
    }
    return {name: facts.models[name] for name in sorted(names)}


Named = EndpointFacts | ModelFacts


class _Judge:
    def __init__(self, only_dated: bool) -> None:
        self._only_dated = only_dated

    def pairs(
        self,
        kind: str,
        old: Mapping[str, Named],
        new: Mapping[str, Named],
        aspects: Callable[[Any, Any], Iterable[Aspect]],
    ) -> Iterator[Change]:
        for name in [*old, *(name for name in new if name not in old)]:
            before, after = old.get(name), new.get(name)
            if before and after:
                fields = tuple(self._fields(before.fields, after.fields))
                compared = 1 + len(before.fields.keys() | after.fields.keys())
                yield Change(kind, name, "changed", tuple(aspects(before, after)), fields, compared)
            elif after:
                yield _new(kind, name, after)
            elif before:
                yield Change(kind, name, "gone", compared=1 + len(before.fields))

    def endpoint(self, old: EndpointFacts, new: EndpointFacts) -> Iterator[Aspect]:
        yield from _differing(
            ("path", old.path, new.path),
            ("method", old.method, new.method),
            ("unknown fields", old.unknown, new.unknown),
        )
        if not self._only_dated:
            yield from _differing(("body", old.body, new.body))
            yield from _differing(("other paths", old.aliases, new.aliases))

    def model(self, old: ModelFacts, new: ModelFacts) -> Iterator[Aspect]:
        yield from _differing(("unknown fields", old.unknown, new.unknown))
        if not self._only_dated:
            yield from _differing(("kind", old.kind, new.kind))

    def _fields(
        self, old: Mapping[str, FieldFacts], new: Mapping[str, FieldFacts]
    ) -> Iterator[FieldChange]:
        for name in [*old, *(name for name in new if name not in old)]:
            before, after = old.get(name), new.get(name)
            if before is None or after is None:
                yield FieldChange(name, before, after)
            elif aspects := tuple(self._field(before, after)):
                yield FieldChange(name, before, after, aspects)

    def _field(self, old: FieldFacts, new: FieldFacts) -> Iterator[Aspect]:
        yield from _differing(
            ("deprecated", old.deprecated, new.deprecated),
            ("place", old.place, new.place),
            ("name in the source", old.attribute, new.attribute),
        )
        if not self._only_dated:
            yield from _differing(("bodies", old.variants, new.variants))
        if old.schema is not None and new.schema is not None:
            yield from _schema(settled(old.schema), settled(new.schema))
            yield from _differing(
                ("required", old.required, new.required),
                ("default", _default(old), _default(new)),
            )


def _new(kind: str, name: str, facts: Named) -> Change:
    fields = tuple(FieldChange(field, None, each) for field, each in facts.fields.items())
    return Change(kind, name, "new", fields=fields, compared=1 + len(fields))


def _schema(old: Any, new: Any) -> Iterator[Aspect]:
    """Tell type and limits apart where that says it all, else give the schemas."""
    found = [
        *_differing(("type", type_text(old), type_text(new))),
        *_differing(("limits", limits_of(old), limits_of(new))),
    ]
    yield from found or _differing(("schema", old, new))


def _default(facts: FieldFacts) -> Any:
    return facts.default_note or facts.default


def _differing(*aspects: tuple[str, Any, Any]) -> Iterator[Aspect]:
    for what, old, new in aspects:
        if exact_text(old) != exact_text(new):
            yield Aspect(what, old, new)
