"""What differs between an endpoint at two targets: what a migration has to change."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint, Field, RuleFact
from vllmctl.catalog.retired import replacement
from vllmctl.explain.defaults import file_key
from vllmctl.explain.history import change_text
from vllmctl.explain.paths import spots
from vllmctl.explain.wording import type_text
from vllmctl.record import Record, field


class Gone(Record, frozen=True):
    """A field that the newer side lacks; ``to`` takes its value now, or is empty."""

    path: str
    to: str
    note: str


class New(Record, frozen=True):
    """A field that only the newer side has."""

    path: str
    type: str
    description: str


class Changed(Record, frozen=True):
    """A field of both sides, and what is different, in words."""

    path: str
    what: tuple[str, ...]


class Comparison(Record):
    """The way from ``old`` to ``new``.

    ``unknown`` is what becomes of unknown fields on either side. ``same_engine`` is false
    for two engines, whose rules are not comparable.
    """

    old: Endpoint
    new: Endpoint
    gone: list[Gone] = field(factory=list)
    added: list[New] = field(factory=list)
    changed: list[Changed] = field(factory=list)
    rules_gone: list[RuleFact] = field(factory=list)
    rules_added: list[RuleFact] = field(factory=list)

    @property
    def unknown(self) -> tuple[str, str]:
        """What the server does with unknown fields: before and after."""
        return self.old.unknown, self.new.unknown

    @property
    def same_engine(self) -> bool:
        """Whether both sides are releases of one engine."""
        return self.old.target.engine == self.new.target.engine

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form that ``fields --diff --format json`` prints."""
        return {
            "endpoint": self.new.name,
            "from": str(self.old.target),
            "to": str(self.new.target),
            "unknown_fields": {"from": self.unknown[0], "to": self.unknown[1]},
            "removed": [
                {"name": gone.path, "instead": gone.to or None, "note": gone.note or None}
                for gone in self.gone
            ],
            "changed": [{"name": c.path, "what": list(c.what)} for c in self.changed],
            "added": [
                {"name": new.path, "type": new.type, "description": new.description}
                for new in self.added
            ],
            "rules_removed": [_rule(rule) for rule in self.rules_gone],
            "rules_added": [_rule(rule) for rule in self.rules_added],
        }


def compare(old: Endpoint, new: Endpoint) -> Comparison:
    """Return what differs from ``old`` to ``new``, nested fields included.

    A field inside an object that came or went as a whole is told only where another field
    takes its place. Fields of the body itself come first.
    """
    before, after = _present(old), _present(new)
    found = Comparison(old, new)
    found.gone = [_gone(path, new) for path in _lost(before, after, new)]
    found.added = [
        New(path, type_text(after[path].schema), after[path].description)
        for path in _outermost([path for path in after if path not in before])
    ]
    for path in before:
        if path in after and (what := tuple(_differences(before[path], after[path], new))):
            found.changed.append(Changed(path, what))
    if found.same_engine:
        found.rules_gone = [r for name, r in old.rules.items() if name not in new.rules]
        found.rules_added = [r for name, r in new.rules.items() if name not in old.rules]
    return found


def _present(of: Endpoint) -> dict[str, Field]:
    here = [spot for spot in spots(of).values() if spot.is_here]
    return {spot.path: spot.field for spot in sorted(here, key=lambda spot: "." in spot.path)}


def _lost(before: Mapping[str, Field], after: Mapping[str, Field], new: Endpoint) -> list[str]:
    """The paths that are gone; parts that have a successor stand for their object."""
    paths = [path for path in before if path not in after]
    followed = [path for path in paths if replacement(new, path)]
    wholes = [p for p in _outermost(paths) if p in followed or not _holds(p, followed)]
    return [path for path in paths if path in wholes or path in followed]


def _outermost(paths: list[str]) -> list[str]:
    return [path for path in paths if not any(_is_part(path, other) for other in paths)]


def _holds(path: str, others: list[str]) -> bool:
    return any(_is_part(other, path) for other in others)


def _is_part(path: str, of: str) -> bool:
    return path.startswith((f"{of}.", f"{of}["))


def _gone(path: str, new: Endpoint) -> Gone:
    became = replacement(new, path)
    if became is None:
        return Gone(path, "", "")
    return Gone(path, became.to or "", became.note)


def _differences(old: Field, new: Field, of: Endpoint) -> Iterator[str]:
    for what in ("schema", "default", "required"):
        before, after = getattr(old, what), getattr(new, what)
        if before != after and not (what == "default" and (old.required or new.required)):
            text = change_text({"what": what, "from": before, "to": after})
            key = file_key(new, of.target) if what == "default" else None
            yield f"{text}: generation_config.json may decide ({key.name})" if key else text
    if new.deprecated_since and not old.deprecated_since:
        became = replacement(of, new.name)
        yield f"deprecated{f': use {became.to}' if became and became.to else ''}"


def _rule(rule: RuleFact) -> dict[str, Any]:
    return {"id": rule.id, "kind": rule.kind, "text": rule.text, "fields": list(rule.fields)}
