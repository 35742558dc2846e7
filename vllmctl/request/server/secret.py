"""What must not be shown or written: keys, tokens, passwords."""

import re
from collections.abc import Iterator

_HEADER = r"(?i)authorization|cookie|api-?key|token|secret|password|credential"
_LINE = r"(?i)api_?key\b|authorization|cookie|token\b|secret|password|bearer|//[^/\s]*@"

_USER = r"""(?isx)^([a-z][a-z0-9+.-]*://|//|)  # the scheme, if any
    (?:[^/?#]*@|[^/?#@:]*:(?!\d*(?:[/?#]|$)).*@)  # the latter for a password with / ? or #"""
_PARAMETER = r"([?&])([^?=&#]*)=([^&#]*)"


def is_secret_header(name: str) -> bool:
    """Whether the value of the header ``name`` is a secret."""
    return bool(re.search(_HEADER, name.replace("_", "-")))


def may_hold_secret(line: str) -> bool:
    """Whether a line of a settings file had better not be quoted."""
    return bool(re.search(_LINE, line))


def masked(secret: str) -> str:
    """Return what may be shown of ``secret``: that there is one."""
    return "…" if secret else ""


def masked_url(url: str) -> str:
    """Return ``url`` with user and password masked, and what a secret is called in the query."""
    return re.sub(_PARAMETER, _masked_parameter, re.sub(_USER, r"\1…@", url))


def shown_setting(name: str, value: object) -> object:
    """Return what may be shown of the setting ``name`` (a header is ``headers.NAME``)."""
    section, _, header = name.partition(".")
    if name == "api_key" or (section == "headers" and is_secret_header(header)):
        return masked(str(value))
    return masked_url(str(value)) if name in ("base_url", "proxy") else value


def secrets_of_url(url: str) -> Iterator[str]:
    """Yield the secrets in ``url``: the password, and what a secret is called in the query.

    Each as it stands there and as it is meant, and the password as a header carries it.
    """
    head, _, query = url.partition("?")
    user = re.match(_USER, head)
    if user:
        from base64 import b64encode
        from urllib.parse import unquote

        login = user.group().removeprefix(user[1]).removesuffix("@")
        password = login.partition(":")[2] or login
        yield from (password, unquote(password), b64encode(unquote(login).encode()).decode())
    if query:
        yield from _secret_parameters(query)


def _secret_parameters(query: str) -> Iterator[str]:
    from urllib.parse import parse_qsl

    for name, value in parse_qsl(query):
        if _is_secret_parameter(name):
            yield value


def without_user(url: str) -> str:
    """Return ``url`` without user and password."""
    return re.sub(_USER, r"\1", url)


def _masked_parameter(match: re.Match[str]) -> str:
    start, name, value = match.groups()
    return f"{start}{name}={'…' if _is_secret_parameter(name) else value}"


def _is_secret_parameter(name: str) -> bool:
    return is_secret_header(name) or name.lower() == "key"
