"""The keys of a profile's ``[server]`` table: what each may be, and who may set it."""

import re
from collections.abc import Callable
from math import isfinite
from typing import Any

from vllmctl.errors import UsageError
from vllmctl.record import Record

_DURATION = r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s|m|h|)"
_UNITS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
_HEADER_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_SCHEMES = ("http", "https", "unix")
_PROXY_SCHEMES = ("http", "https", "socks4", "socks5", "socks5h")

Check = Callable[[Any], str | None]
"""Says what is wrong with a value, or ``None``."""


class ServerKey(Record, frozen=True):
    """One key of ``[server]``.

    ``needs_trust`` keys are not taken from a project's file before the user trusts it.
    ``is_path`` values are paths that start at the profile's folder.
    """

    help: str
    check: Check
    needs_trust: bool = False
    is_path: bool = False


def parse_duration(value: object) -> float:
    """Return ``value`` in seconds: a number, or a text such as ``90s``, ``2m`` or ``500ms``.

    0 means no limit. Raises ``UsageError`` that names the forms.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        if isfinite(value) and value >= 0:
            return float(value)
    elif isinstance(value, str):
        match = re.fullmatch(_DURATION, value.strip())
        if match:
            return float(match["number"]) * _UNITS[match["unit"]]
    forms = "seconds, or a text such as 90s, 2m or 500ms"
    raise UsageError(f"expected {forms}, got {described(value)}")


def described(value: object) -> str:
    """Return what a TOML value is, for messages: ``the string "0.7"``, ``64.0``, ``a list``."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            text = value if len(value) <= 40 else value[:39] + "…"
            return f'the string "{text}"'
        case int() | float():
            return str(value)
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return f"the date or time {value}"


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return f"expected a string, got {described(value)}"
    if not value.strip() or not value.isprintable():
        return "expected a string that is not empty and has no control characters"
    return None


def _secret(value: Any) -> str | None:
    if isinstance(value, str):
        return None if _text(value) is None else "the key is empty or has control characters"
    return "expected a string"


def _url(value: Any) -> str | None:
    return _text(value) or _scheme(value, _SCHEMES) or _port(value)


def _port(value: str) -> str | None:
    from urllib.parse import urlsplit

    try:
        _ = urlsplit(value if "://" in value else f"//{value}").port
    except ValueError:
        return "expected a port from 1 to 65535 behind the host, or none"
    return None


def _proxy(value: Any) -> str | None:
    return None if value == "" else _text(value) or _scheme(value, _PROXY_SCHEMES)


def _scheme(value: str, allowed: tuple[str, ...]) -> str | None:
    scheme, colon, rest = value.partition("://")
    if any(char.isspace() for char in value):
        return "expected a URL, and a URL has no spaces"
    if colon and scheme.lower() not in allowed:
        return f"expected {', '.join(s + '://' for s in allowed)} in front, got {scheme}://"
    if colon and not rest.strip("/"):
        return f"expected a host after {scheme}://"
    return None


def _variable(value: Any) -> str | None:
    if isinstance(value, str) and re.fullmatch(_VARIABLE, value):
        return None
    if isinstance(value, str):  # may be the key itself, so it is not shown
        return "expected the name of an environment variable, not the key itself"
    return f"expected the name of an environment variable, got {described(value)}"


def _command(value: Any) -> str | None:
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return None
    return None if isinstance(value, str) and value.strip() else "expected a command, or its words"


def _entry(value: Any) -> str | None:
    if isinstance(value, str) and value.isprintable() and all(value.rpartition("/")[::2]):
        return None
    return "expected service/user, as the keyring knows the key"


def _headers(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f'expected a table such as {{ X-Team = "ml" }}, got {described(value)}'
    for name, content in value.items():
        if not re.fullmatch(_HEADER_NAME, name):
            return f"{name!r} is no name of a header"
        if not isinstance(content, str):
            return f"header {name}: expected a string"
        if not content.isprintable():
            return f"header {name}: control characters and line ends cannot be sent"
    return None


def _duration(value: Any) -> str | None:
    try:
        parse_duration(value)
    except UsageError as error:
        return error.message
    return None


def _count(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return None
    return f"expected a whole number from 0 up, got {described(value)}"


def _switch(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"expected true or false, got {described(value)}"


def _target(value: Any) -> str | None:
    from vllmctl.catalog.target import parse_target

    problem = _text(value)
    if problem or value == "server":
        return problem
    try:
        parse_target(value)
    except UsageError as error:
        return f"{error.message}; {error.hint}" if error.hint else error.message
    return None


SERVER_KEYS = {
    "base_url": ServerKey("URL of the server", _url),
    "model": ServerKey("Model, when the request names none", _text),
    "target": ServerKey("Engine and release that the server runs", _target),
    "api_key_env": ServerKey("Variable that holds the key", _variable, needs_trust=True),
    "api_key_cmd": ServerKey("Command that prints the key", _command, needs_trust=True),
    "api_key_keyring": ServerKey("Keyring's SERVICE/USER of the key", _entry, needs_trust=True),
    "api_key": ServerKey("The key itself, in plain text", _secret),
    "headers": ServerKey("Headers to send", _headers),
    "connect_timeout": ServerKey("Longest wait for a connection", _duration),
    "idle_timeout": ServerKey("Longest silence of the server", _duration),
    "timeout": ServerKey("Longest time for the whole answer", _duration),
    "retries": ServerKey("Tries again before the request was accepted", _count),
    "proxy": ServerKey("Proxy; empty for none", _proxy, needs_trust=True),
    "insecure": ServerKey("Do not verify certificates", _switch, needs_trust=True),
    "ca_file": ServerKey("Certificates to trust", _text, needs_trust=True, is_path=True),
    "cert_file": ServerKey("Certificate to show", _text, needs_trust=True, is_path=True),
    "key_file": ServerKey("Key of that certificate", _text, needs_trust=True, is_path=True),
}

KEY_SOURCES = ("api_key_env", "api_key_cmd", "api_key_keyring", "api_key")
"""Where the key may come from; a profile sets one of them at most."""

FOREIGN_KEYS = {
    "url": "base_url",
    "endpoint": "base_url",
    "host": "base_url",
    "api_base": "base_url",
    "server": "base_url",
    "key": "api_key_env",
    "token": "api_key_env",
    "verify": "insecure",
    "ssl_verify": "insecure",
    "verify_ssl": "insecure",
    "read_timeout": "idle_timeout",
    "request_timeout": "timeout",
    "max_retries": "retries",
    "ca_bundle": "ca_file",
    "cacert": "ca_file",
}
"""What other tools call these keys: a suggestion, not an alias."""
