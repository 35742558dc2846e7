"""What changed with a field, release by release."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.files import read_endpoint
from vllmctl.catalog.target import following, index
from vllmctl.explain.explanation import Event
from vllmctl.explain.wording import limits, type_text, value_text

Homes = Iterable[tuple[Endpoint, Field]]


def history(path: str, homes: Homes) -> list[Event]:
    """Return what changed, oldest first; the same event on several endpoints once."""
    homes = list(homes)
    events: dict[tuple[str, str], list[str]] = {}
    for of, field in homes:
        for release, text in [*_events(of, field), *_ended_rules(of, path)]:
            events.setdefault((release, text), []).append(of.name)
    if not events:
        return []
    engine = homes[0][0].target.engine
    ordered = sorted(events, key=lambda event: index(event[0], engine))
    return [Event(r, _placed(t, events[r, t], len(homes))) for r, t in ordered]


def change_text(change: Mapping[str, Any]) -> str:
    """Return a change of ``catalog.facts.Field.changes`` in words."""
    old, new = change["from"], change["to"]
    if change["what"] == "required":
        return "required from here on" if new else "no longer required"
    if change["what"] == "default":
        return f"default {value_text(old)} → {value_text(new)}"
    if type_text(old) != type_text(new):
        return f"{type_text(old)} → {type_text(new)}"
    return f"limits: {_limits(old)} → {_limits(new)}"


def _events(of: Endpoint, field: Field) -> Iterator[tuple[str, str]]:
    if not field.since:
        return
    yield field.since, "first release with it"
    for change in field.changes:
        yield change["at"], change_text(change)
    if field.deprecated_since:
        yield field.deprecated_since, "marked deprecated"
    gone = following(field.until, of.target.engine) if field.until else None
    if gone:
        yield gone, f"removed ({field.until} was the last release with it)"


def _ended_rules(of: Endpoint, path: str) -> Iterator[tuple[str, str]]:
    engine = of.target.engine
    for rule in read_endpoint(engine, of.name)["rules"].values():
        until = rule.get("until")
        gone = following(until, engine) if until and path in rule["fields"] else None
        if gone and rule["kind"] in ("reject", "ignore"):
            yield gone, f"no longer: {rule['text']}"


def _placed(text: str, names: list[str], count: int) -> str:
    names = list(dict.fromkeys(names))
    return text if len(names) == count else f"{text} ({', '.join(names)})"


def _limits(schema: Mapping[str, Any]) -> str:
    return ", ".join(limits(schema)) or "none"
