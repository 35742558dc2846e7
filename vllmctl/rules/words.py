"""How values and lists of names are written in messages."""

import json
from collections.abc import Iterable
from typing import Any


def shown(value: Any, width: int = 60) -> str:
    """Return a value as JSON, cut to ``width`` characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def plain(number: Any) -> Any:
    """Return a whole number without a point, whether or not the engine has read it: 2, not 2.0."""
    is_whole = isinstance(number, float) and number.is_integer()
    return int(number) if is_whole else number


def listed(words: Iterable[str], join: str = "and") -> str:
    """Return words as people list them: ``a, b and c``."""
    *head, last = words
    return f"{', '.join(head)} {join} {last}" if head else last
