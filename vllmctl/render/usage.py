"""Numbers of tokens as servers report them; what is no number was not told."""

from collections.abc import Mapping
from typing import Any

_MOST = 10**12
"""Tokens; nobody has made more."""


def count_of(usage: Any, name: str) -> int | None:
    """Return the number called ``name``."""
    count = usage.get(name) if isinstance(usage, Mapping) else None
    is_count = isinstance(count, int) and not isinstance(count, bool) and 0 <= count < _MOST
    return count if is_count else None


def reasoning_tokens(usage: Mapping[str, Any] | None) -> int | None:
    """Return how many of an answer's tokens were reasoning."""
    details = usage.get("completion_tokens_details") if usage else None
    return count_of(details, "reasoning_tokens")
