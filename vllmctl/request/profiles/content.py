"""What is written into a profile: which fields go to which section, and no secrets."""

import re
from collections.abc import Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.errors import ConfigError
from vllmctl.request.profiles.field_check import SECTIONS
from vllmctl.request.profiles.strict_types import mismatch
from vllmctl.request.server.secret import is_secret_header, without_user
from vllmctl.request.server.settings import Setting

_NEEDS_ESCAPE = re.compile(r"\\*@")


def profile_table(
    values: Mapping[str, Any],
    endpoint: str,
    endpoints: list[Endpoint],
    server: Mapping[str, Setting],
) -> tuple[dict[str, Any], list[str]]:
    """Return the tables of a profile made from the fields of a request to ``endpoint``.

    The list says what was left out, and why. Raises ``ConfigError`` for null in a list.
    """
    notices: list[str] = []
    tables: dict[str, Any] = {"server": _server(server, notices)}
    for key, value in values.items():
        if value is None:
            notices.append(f"{key} is not saved: TOML has no null")
            continue
        section = _section_for(key, value, endpoint, endpoints)
        tables.setdefault(section, {})[key] = _writable(value, key, notices)
    order = ("server", *SECTIONS)
    return {name: tables[name] for name in order if tables.get(name)}, notices


def _section_for(key: str, value: Any, endpoint: str, endpoints: list[Endpoint]) -> str:
    """The shared section if all endpoints take this very value, else that of ``endpoint``."""
    if all(
        key in other.fields and not mismatch(other.fields[key].schema, value, other)
        for other in endpoints
    ):
        return "request"
    return next((name for name, names in SECTIONS.items() if names == (endpoint,)), "request")


def _writable(value: Any, path: str, notices: list[str]) -> Any:
    if isinstance(value, str):
        return "\\" + value if _NEEDS_ESCAPE.match(value) else value
    if isinstance(value, list):
        if None in value:
            raise ConfigError(f"{path} cannot be saved: TOML has no null")
        return [_writable(item, f"{path}[{i}]", notices) for i, item in enumerate(value)]
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if item is not None}
        notices += [f"{path}.{k} is not saved: TOML has no null" for k in value if k not in kept]
        return {key: _writable(item, f"{path}.{key}", notices) for key, item in kept.items()}
    return value


def _server(settings: Mapping[str, Setting], notices: list[str]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, setting in settings.items():
        section, _, header = name.partition(".")
        if name == "api_key" or (header and is_secret_header(header)):
            what = f"the header {header}" if header else "the key"
            notices.append(f"{what} is not saved: a secret does not belong in a profile")
        elif header:
            table.setdefault(section, {})[header] = setting.value
        else:
            table[name] = _plain(name, setting.value, notices)
    return table


def _plain(name: str, value: Any, notices: list[str]) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if name in ("base_url", "proxy") and without_user(value) != value:
        notices.append(f"user and password of {name} are not saved")
        return without_user(value)
    return value
