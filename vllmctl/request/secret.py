"""What must not be shown or written: keys, tokens, passwords."""

import re

_HEADER = re.compile(r"authorization|cookie|api-?key|token|secret|password|credential", re.I)
_LINE = re.compile(
    r"api_?key\b|authorization|cookie|token\b|secret|password|bearer|//[^/\s]*@", re.I
)

_USER = re.compile(r"^([a-z][a-z0-9+.-]*://|//|)[^/?#@]*@", re.I)


def is_secret_header(name: str) -> bool:
    """Whether the value of the header ``name`` is a secret."""
    return bool(_HEADER.search(name.replace("_", "-")))


def may_hold_secret(line: str) -> bool:
    """Whether a line of a settings file had better not be quoted."""
    return bool(_LINE.search(line))


def masked(secret: str) -> str:
    """Return ``secret`` so that its owner recognises it and nobody can use it."""
    return f"{secret[:3]}…{secret[-2:]}" if len(secret) >= 12 else "…"


def masked_url(url: str) -> str:
    """Return ``url`` with user and password masked, if it has any."""
    return _USER.sub(r"\1…@", url)


def without_user(url: str) -> str:
    """Return ``url`` without user and password."""
    return _USER.sub(r"\1", url)
