"""The facts of an endpoint at a target, read from the data files."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from vllmctl.catalog.facts import Endpoint, Field, Model, RuleFact
from vllmctl.catalog.files import read_endpoint, read_engine, read_index
from vllmctl.catalog.served import Served
from vllmctl.catalog.target import Target, index
from vllmctl.errors import UsageError
from vllmctl.nearest import nearest
from vllmctl.record import replace

_MODEL_PREFIX = "#/models/"


def endpoint(name: str, target: Target) -> Endpoint:
    """Return an endpoint as it was at ``target``.

    Raises:
        UsageError: no such endpoint, or none in that release.
    """
    found = _endpoint(name, target)
    # targets are equal whatever was asked for, and the one that is remembered may not be this
    return found if found.target.asked == target.asked else replace(found, target=target)


@cache
def _endpoint(name: str, target: Target) -> Endpoint:
    _require_endpoint(name, target)
    if target.served is not None:
        return _as_served(name, target, target.served)
    facts = read_endpoint(target.engine, name)
    clock = _Clock(target)
    fields, absent = _fields(facts["fields"], clock)
    return Endpoint(
        name=name,
        path=facts["path"],
        target=target,
        unknown=_policy(facts["unknown"], clock),
        fields=fields,
        models=_models(facts["models"], clock),
        absent=absent,
        rules=_rules(facts["rules"], clock),
        method=facts["method"],
        body=facts["body"],
        description=facts["description"],
        since=facts["since"],
        until=facts.get("until"),
        headers=tuple(facts["headers"]),
        renames=tuple(facts["renames"]),
    )


def _as_served(name: str, target: Target, served: Served) -> Endpoint:
    """The endpoint as one server has it: its paths, and where no release does, its fields."""
    facts = endpoint(name, replace(target, served=None))
    if served.decides and served.document:
        from vllmctl.catalog.openapi import fitted

        facts = fitted(facts, served.document) or facts
    return replace(facts, target=target)


def endpoint_names(target: Target) -> tuple[str, ...]:
    """Return the names of the endpoints that ``target`` has."""
    clock = _Clock(target)
    places = read_index(target.engine)["endpoints"]
    here = (name for name, place in places.items() if clock.has(place))
    served = target.served
    return tuple(here if served is None else (n for n in here if served.has(places[n]["path"])))


def by_path(path: str, engine: str = "vllm") -> str | None:
    """Return the name of the endpoint that ``path`` (``/v1/chat/completions``) leads to.

    A whole URL, a query and a slash at the end are forgiven; ``None`` for an unknown path.
    """
    path = "/" + path.partition("://")[2].partition("/")[2] if "://" in path else path
    path = path.partition("?")[0].rstrip("/") or "/"
    for name, place in read_index(engine)["endpoints"].items():
        if path == place["path"] or path in place.get("aliases", ()):
            return str(name)
    return None


@cache
def engine_models(target: Target) -> Mapping[str, Model]:
    """Return the engine's own parameter classes (``SamplingParams`` …) at ``target``.

    Their members are what the engine knows, not what a request may carry.
    """
    return _models(read_engine(target.engine)["models"], _Clock(target))


def announced(engine: str) -> Mapping[str, str]:
    """Return what an engine announced for versions to come, by version."""
    notes: Mapping[str, str] = read_engine(engine).get("announced", {})
    return notes


def answer_renames(engine: str = "vllm") -> tuple[Mapping[str, Any], ...]:
    """Return how members of answers were renamed: ``{"from", "to", "old", "new", "note"}``."""
    return tuple(read_engine(engine).get("response_renames", ()))


def nested_field(of: Endpoint, path: str) -> Field | None:
    """Return the field at a dotted path (``repetition_detection.min_count``), if any."""
    first, *rest = path.split(".")
    field = of.fields.get(first)
    for part in rest:
        field = next(
            (model.fields[part] for model in models_of(of, field) if part in model.fields), None
        )
    return field


def models_of(of: Endpoint, field: Field | None) -> tuple[Model, ...]:
    """Return the models that a field's object may be (not those inside a list)."""
    if field is None:
        return ()
    options = field.schema.get("anyOf", (field.schema,))
    names = [option["$ref"].removeprefix(_MODEL_PREFIX) for option in options if "$ref" in option]
    return tuple(of.models[name] for name in names if name in of.models)


def walk(of: Endpoint) -> Iterator[tuple[str, Field]]:
    """Yield each field with its dotted path, and those inside objects of one shape."""
    for name, field in of.fields.items():
        yield name, field
        yield from _walk_inside(of, name, field)


def _walk_inside(of: Endpoint, prefix: str, field: Field) -> Iterator[tuple[str, Field]]:
    models = models_of(of, field)
    if len(models) == 1:
        for name, inner in models[0].fields.items():
            path = f"{prefix}.{name}"
            yield path, inner
            yield from _walk_inside(of, path, inner)


class _Clock:
    """Tells which facts hold at one release."""

    def __init__(self, target: Target) -> None:
        self._engine = target.engine
        self._now = index(target.release, target.engine)

    def reached(self, release: str) -> bool:
        """Whether ``release`` is the target's or older."""
        return index(release, self._engine) <= self._now

    def has(self, facts: Mapping[str, Any]) -> bool:
        """Whether something with ``since``, ``until``, ``ranges`` or ``gaps`` is there."""
        if "ranges" in facts:
            return any(self._within(*span) for span in facts["ranges"])
        gaps = facts.get("gaps", ())
        return self._within(facts["since"], facts.get("until")) and not any(
            self._within(*gap) for gap in gaps
        )

    def _within(self, since: str, until: str | None) -> bool:
        return self.reached(since) and (
            until in (None, "current") or index(str(until), self._engine) >= self._now
        )


def _require_endpoint(name: str, target: Target) -> None:
    places = read_index(target.engine)["endpoints"]
    place = places.get(name)
    if place is None:
        guess = nearest(name, places)
        hint = f"did you mean {guess}?" if guess else f"{target.engine} has {', '.join(places)}"
        raise UsageError(f"{target.engine} has no endpoint {name!r}", hint)
    if not _Clock(target).has(place):
        until = place.get("until", "now")
        raise UsageError(
            f"{target} has no {place['path']}", f"it exists from {place['since']} to {until}"
        )
    if target.served is not None and not target.served.has(place["path"]):
        raise UsageError(
            f"{target.served.url} has no {place['path']}",
            "its /openapi.json has other paths: the model, or an option of the server, decides",
        )


def _fields(facts: Mapping[str, Any], clock: _Clock) -> tuple[dict[str, Field], dict[str, Field]]:
    """The fields of a release, and those that other releases have."""
    present: dict[str, Field] = {}
    absent: dict[str, Field] = {}
    for name, known in facts.items():
        since = known["states"][0]["since"]
        here = clock.has({"since": since, **known})
        (present if here else absent)[name] = _field(name, known, clock)
    return present, absent


def _field(name: str, known: Mapping[str, Any], clock: _Clock) -> Field:
    first, *later = known["states"]
    state = first
    for change in later:
        if clock.reached(change["since"]):
            state = {**state, **change}
    deprecated = known.get("deprecated_since")
    return Field(
        name,
        state["schema"],
        state.get("required", False),
        state.get("default"),
        state["schema"].get("nullable", False),
        known.get("description", ""),
        first["since"],
        known.get("until"),
        deprecated if deprecated and clock.reached(deprecated) else None,
        known.get("effect"),
        tuple(_changes(first, later)) if later else (),
        known.get("source", ""),
        tuple(known.get("variants", ())),
        known.get("in", "body"),
        state.get("default_note", ""),
    )


def _changes(
    first: Mapping[str, Any], later: list[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    before = dict(first)
    for state in later:
        for what in ("schema", "default", "required"):
            if what in state:
                old = before.get(what, False if what == "required" else None)
                yield {"at": state["since"], "what": what, "from": old, "to": state[what]}
        before |= state


def _models(facts: Mapping[str, Any], clock: _Clock) -> dict[str, Model]:
    models = {}
    for name, known in facts.items():
        if clock.has(known):
            fields, absent = _fields(known["fields"], clock)
            models[name] = Model(
                name,
                known["kind"],
                fields,
                _policy(known["unknown"], clock),
                known.get("description", ""),
                absent,
            )
    return models


def _rules(facts: Mapping[str, Any], clock: _Clock) -> dict[str, RuleFact]:
    return {
        name: RuleFact(
            name,
            rule["text"],
            rule["kind"],
            tuple(rule["fields"]),
            rule.get("check"),
            rule["since"],
            rule.get("until"),
            rule.get("status"),
            _listed(rule.get("source", ())),
        )
        for name, rule in facts.items()
        if clock.has(rule)
    }


def _listed(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _policy(policies: list[list[str]], clock: _Clock) -> str:
    now = "ignored"
    for since, policy in policies:
        if clock.reached(since):
            now = policy
    return now
