"""Whether a profile's own keys and its ``[server]`` are known and of the right type."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.nearest import nearest
from vllmctl.request.profiles.field_check import SECTIONS, listed, section_of
from vllmctl.request.profiles.files import Profile
from vllmctl.request.profiles.problem import MOST, Problem, problem_at
from vllmctl.request.server.keys import FOREIGN_KEYS, KEY_SOURCES, SERVER_KEYS, described

_TABLES = (*SECTIONS, "server")
_KEYS = ("description", "extends", *_TABLES)
_FOREIGN_SECTIONS = {
    **dict.fromkeys(("params", "parameters", "sampling", "sampling_params"), "request"),
    **dict.fromkeys(("default", "defaults", "options", "generation", "body"), "request"),
    **dict.fromkeys(("completion", "completions"), "complete"),
    **dict.fromkeys(("connection", "client", "api"), "server"),
}


def outline_problems(profile: Profile, endpoints: list[Endpoint]) -> Iterator[Problem]:
    """Return what is wrong with the profile's own keys and its ``[server]``.

    ``endpoints`` are all that a section may be for; their fields are known names. No more
    than ``MOST`` of them.
    """
    return islice(_problems(profile, endpoints), MOST)


def _problems(profile: Profile, endpoints: list[Endpoint]) -> Iterator[Problem]:
    for key, value in profile.table.items():
        if key not in _KEYS:
            message, hint = _unknown_key(profile, key, value, endpoints)
            hint = _named_hint(key, value) if not profile.name and not hint else hint
            yield problem_at(profile, (key,), message, hint or f"sections are {_tables(profile)}")
        elif key in _TABLES and not isinstance(value, dict):
            yield problem_at(profile, (key,), f"expected a table, got {described(value)}")
    yield from _wrong_text(profile)
    server = profile.table.get("server")
    if isinstance(server, dict):
        yield from _server_problems(profile, server, endpoints)


def _tables(profile: Profile) -> str:
    """Return the sections that may stand where ``profile`` does."""
    return listed((*_TABLES, "profiles.NAME") if not profile.name else _TABLES)


def _wrong_text(profile: Profile) -> Iterator[Problem]:
    description = profile.table.get("description", "")
    if not isinstance(description, str):
        message = f"expected a string, got {described(description)}"
        yield problem_at(profile, ("description",), message)
    extends = profile.table.get("extends", [])
    names = [extends] if isinstance(extends, str) else extends
    if not isinstance(names, list) or not all(isinstance(n, str) and n for n in names):
        yield problem_at(profile, ("extends",), "expected names of profiles in a list")


def _server_problems(
    profile: Profile, server: Mapping[str, Any], endpoints: list[Endpoint]
) -> Iterator[Problem]:
    for key, value in server.items():
        path = ("server", key)
        if key not in SERVER_KEYS:
            hint = _server_hint(key, endpoints)
            yield problem_at(profile, path, "no such setting of a server", hint)
        elif fault := SERVER_KEYS[key].check(value):
            yield problem_at(profile, path, fault)
    sources = [key for key in KEY_SOURCES if key in server]
    if len(sources) > 1:
        message = f"only one of {', '.join(sources)} can give the key"
        yield problem_at(profile, ("server", sources[1]), message)


def _server_hint(key: str, endpoints: list[Endpoint]) -> str:
    near = FOREIGN_KEYS.get(key) or nearest(key, SERVER_KEYS)
    if near:
        return f"did you mean {near}?"
    if section := section_of(key, endpoints):
        return f"{key} is a field: it belongs in [{section}]"
    return f"there are {', '.join(SERVER_KEYS)}"


def _unknown_key(
    profile: Profile, key: str, value: Any, endpoints: list[Endpoint]
) -> tuple[str, str]:
    section = "server" if key in SERVER_KEYS else section_of(key, endpoints)
    if section:
        table = ".".join((*profile.keys, section))
        return "it stands outside its section", f"{key} belongs in [{table}]"
    if isinstance(value, dict):
        near = _FOREIGN_SECTIONS.get(key) or nearest(key, _TABLES)
        return "no such section", f"did you mean [{near}]?" if near else ""
    return "no such key", _near_anything(key, endpoints)


def _named_hint(key: str, value: Any) -> str:
    """Return what a table of a config file may have been meant as."""
    if not isinstance(value, dict):
        return ""
    if nearest(key, ["profiles"]):
        return "did you mean [profiles.NAME]?"
    return f"did you mean [profiles.{key}]?" if any(table in value for table in _TABLES) else ""


def _near_anything(key: str, endpoints: list[Endpoint]) -> str:
    if key in FOREIGN_KEYS:
        return f"did you mean {FOREIGN_KEYS[key]} in [server]?"
    fields = [name for endpoint in endpoints for name in endpoint.fields]
    near = nearest(key, _KEYS) or nearest(key, SERVER_KEYS) or nearest(key, fields)
    if near in _KEYS:
        return f"did you mean {near}?"
    if near:
        section = "server" if near in SERVER_KEYS else section_of(near, endpoints)
        return f"did you mean {near} in [{section}]?"
    return f"there are description, extends and the sections {listed(_TABLES)}"
