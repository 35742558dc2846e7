"""Whether the fields in a profile's sections are known, and of the right type."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.json_path import Keys, keys_of
from vllmctl.catalog.load import models_of
from vllmctl.catalog.retired import Replacement, replacement
from vllmctl.catalog.target import Target, index
from vllmctl.nearest import nearest
from vllmctl.request.profiles.files import Profile
from vllmctl.request.profiles.problem import Problem, Unknown, problem_at
from vllmctl.request.profiles.strict_types import mismatch, not_json
from vllmctl.request.server.keys import SERVER_KEYS

SECTIONS = {
    "request": ("chat.completions", "completions"),
    "chat": ("chat.completions",),
    "complete": ("completions",),
}
"""The sections that hold fields, and the endpoints that each is for."""

Fault = tuple[Keys, str, str]
"""Where in a field's value, what is wrong, and how to mend it."""

_BOTH = "chat and complete differ here: set it in [chat] and in [complete]"


def field_problems(
    profile: Profile, section: str, values: Mapping[str, Any], endpoints: list[Endpoint]
) -> Iterator[Problem]:
    """Yield what is wrong with the fields of ``section``, whose files have been read.

    ``endpoints`` are those of every section, at the release in question; a section whose
    endpoint it does not have is not looked at.
    """
    own = [endpoint for endpoint in endpoints if endpoint.name in SECTIONS[section]]
    for key, value in values.items() if own else ():
        homes = [endpoint for endpoint in own if key in endpoint.fields]
        if not homes:
            fault = _misplaced(key, own, endpoints)
            unknown = Unknown.MISPLACED if fault else Unknown.STRANGE
            message, hint = fault or _strange(key, value, own, endpoints)
            yield problem_at(profile, (section, key), message, hint, unknown=unknown)
            continue
        for path, message, hint in _value_faults(key, value, homes):
            yield problem_at(profile, (section, key, *path), message, hint)


def limit_problems(
    profile: Profile, section: str, values: Mapping[str, Any], endpoints: list[Endpoint]
) -> Iterator[Problem]:
    """Yield the values that the server would refuse, though their types are right."""
    from vllmctl.catalog.schema import check_types

    seen = set()
    for endpoint in endpoints:
        known = {key: value for key, value in values.items() if key in endpoint.fields}
        faults = check_types(endpoint, known).faults if endpoint.name in SECTIONS[section] else ()
        for fault in faults:
            path = keys_of(fault.path)
            if path[0] in known and path not in seen:
                seen.add(path)
                yield problem_at(profile, (section, *path), fault.message)


def section_of(field: str, endpoints: list[Endpoint]) -> str:
    """Return the section for ``field``: the shared one when every endpoint has it.

    Empty when no endpoint has the field.
    """
    homes = [endpoint.name for endpoint in endpoints if field in endpoint.fields]
    if len(homes) != 1:
        return "request" if homes else ""
    return next(section for section, names in SECTIONS.items() if names == (homes[0],))


def listed(sections: tuple[str, ...]) -> str:
    """Return ``sections`` as people write them."""
    return ", ".join(f"[{section}]" for section in sections)


def _misplaced(key: str, own: list[Endpoint], endpoints: list[Endpoint]) -> tuple[str, str] | None:
    """What is to be said of a name that a profile has another place for."""
    elsewhere = section_of(key, endpoints)
    if elsewhere:
        return f"{own[0].path} has no such field", f"{key} belongs in [{elsewhere}]"
    if key in SERVER_KEYS:
        return "no such field", f"{key} belongs in [server]"
    if any(key.partition(".")[0] in endpoint.fields for endpoint in own):
        return "no such field", "write the dotted key without quotes"
    return None


def _strange(
    key: str, value: Any, own: list[Endpoint], endpoints: list[Endpoint]
) -> tuple[str, str]:
    gone = next((e for e in [*own, *endpoints] if key in e.absent), None)
    if gone:
        return _absent(gone.absent[key], value, gone)
    near = nearest(key, [name for endpoint in own for name in endpoint.fields])
    return "no such field", f"did you mean {near}?" if near else _where_to_look(key)


def _absent(field: Field, value: Any, endpoint: Endpoint) -> tuple[str, str]:
    target = endpoint.target
    parts = [f"{field.name}.{part}" for part in value] if isinstance(value, dict) else []
    found = (replacement(endpoint, name) for name in (field.name, *parts))
    became = next((other for other in found if other), None)
    if field.until is None or _is_before(target, field.since):
        return f"{target} does not have it yet: it came with {field.since}", _instead(became)
    message = f"{target} no longer has it: {field.until} was the last release with it"
    return message, _instead(became) or "set target in [server] if your server is older"


def _is_before(target: Target, release: str) -> bool:
    return index(target.release, target.engine) < index(release, target.engine)


def _instead(became: Replacement | None) -> str:
    if became is None:
        return ""
    text = f"use {became.to} instead of {became.name}" if became.to else "nothing replaced it"
    return f"{text}. {became.note}" if became.note else text


def _where_to_look(key: str) -> str:
    return f"`vllmctl fields --search {key}` looks for alike ones"


def _value_faults(key: str, value: Any, homes: list[Endpoint]) -> Iterator[Fault]:
    fault = not_json(value)
    if fault:
        yield *fault, ""
        return
    wrong = [fault for home in homes if (fault := mismatch(home.fields[key].schema, value, home))]
    if wrong:
        differ = len(wrong) < len(homes)
        yield *wrong[0], _BOTH if differ else _type_hint(value, wrong[0][0])
        return
    yield from _unknown_parts(value, homes[0].fields[key], homes[0])


def _type_hint(value: Any, path: Keys) -> str:
    for part in path:
        value = value[part]
    if isinstance(value, str) and _is_bare(value):
        return "numbers, true and false stand without quotes"
    if isinstance(value, float) and value.is_integer():
        return f"write {int(value)}"
    return ""


def _is_bare(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text in ("true", "false")
    return True


def _unknown_parts(value: Any, field: Field, endpoint: Endpoint) -> Iterator[Fault]:
    """Yield unknown names inside an object of one shape."""
    models = models_of(endpoint, field)
    if len(models) != 1 or not isinstance(value, dict):
        return
    for name, inner in value.items():
        known = models[0].fields
        if name in known:
            for path, message, hint in _unknown_parts(inner, known[name], endpoint):
                yield (name, *path), message, hint
        else:
            near = nearest(name, known)
            hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
            yield (name,), "no such part", hint
