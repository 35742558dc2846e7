"""Says in plain words what differs."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tools.catalogue.compare import Aspect, Change, Comparison, FieldChange
from tools.catalogue.facts import EndpointFacts, FieldFacts, ReleaseFacts, reachable
from tools.catalogue.raise_sites import Site
from tools.catalogue.schemas import limits_of, type_text

_FEW = 4
_WIDTH = 300


def change_lines(comparison: Comparison, facts: ReleaseFacts) -> Iterator[str]:
    """Yield what differs; endpoints with the same differences are told together."""
    told: dict[tuple[str, ...], list[str]] = {}
    for change in comparison.differing:
        lines = tuple(f"  {line}" for line in _lines(change))
        told.setdefault(lines, []).append(_title(change, facts))
    for lines, titles in told.items():
        yield ", ".join(titles)
        yield from lines


def site_lines(sites: Iterable[Site], facts: ReleaseFacts) -> Iterator[str]:
    """Yield refusals that no rule covers: where, what they say, when, and what they may touch."""
    for site in sites:
        endpoints = [
            endpoint
            for endpoint in facts.endpoints.values()
            if site.owner.partition(".")[0] in endpoint.classes
        ]
        yield f"  + {site.path}:{site.line} in {site.home.partition(' ')[2]}"
        yield f"      says: {_short(site.message or site.error)}"
        if site.conditions:
            yield f"      when: {_short(' and '.join(site.conditions))}"
        if endpoints:
            yield f"      endpoints: {_some([endpoint.name for endpoint in endpoints])}"
            yield f"      fields: {', '.join(_fields_named(site, endpoints)) or 'none named'}"


def _title(change: Change, facts: ReleaseFacts) -> str:
    if change.kind == "endpoint":
        return change.name
    if change.kind == "engine class":
        return f"engine class {change.name}"
    users = [
        name
        for name, endpoint in facts.endpoints.items()
        if change.name in reachable(endpoint.fields, facts.models)
    ]
    return f"model {change.name} (in {_some(users)})" if users else f"model {change.name}"


def _some(names: list[str]) -> str:
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")


def _lines(change: Change) -> Iterator[str]:
    if change.fate != "changed":
        yield {"new": "+ is new", "gone": "- is gone"}[change.fate]
    yield from (_aspect_line(aspect) for aspect in change.aspects)
    yield from (_field_line(each) for each in change.fields)


def _field_line(change: FieldChange) -> str:
    if change.old is None and change.new is not None:
        return f"+ {change.name} is new: {_description(change.new)}"
    if change.new is None and change.old is not None:
        return f"- {change.name} is gone: it was {_description(change.old)}"
    return f"~ {change.name}: " + "; ".join(_aspect_text(aspect) for aspect in change.aspects)


def _aspect_line(aspect: Aspect) -> str:
    return f"~ {_aspect_text(aspect)}"


def _aspect_text(aspect: Aspect) -> str:
    say = _limits if aspect.what == "limits" else _value
    return f"{aspect.what} {say(aspect.old)} → {say(aspect.new)}"


def _limits(limits: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_value(value)}" for key, value in limits.items()) or "none"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return "none" if value is None else json.dumps(value, ensure_ascii=False)


def _description(facts: FieldFacts) -> str:
    """A field in a few words: ``integer, minimum 0, default 3``."""
    if facts.schema is None:
        return "read by hand, its type must be looked up"
    limits = limits_of(facts.schema)
    parts = [type_text(facts.schema), *([_limits(limits)] if limits else [])]
    default = facts.default_note or facts.default
    parts.append("required" if facts.required else f"default {_value(default)}")
    if facts.place != "body":
        parts.append(f"in the {facts.place}")
    return ", ".join(parts)


def _fields_named(site: Site, endpoints: Iterable[EndpointFacts]) -> list[str]:
    words = set(re.findall(r"\w+", " ".join([site.message, *site.conditions])))
    names = dict.fromkeys(name for endpoint in endpoints for name in endpoint.fields)
    return [name for name in names if name in words]


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
