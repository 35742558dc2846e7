"""How values and lists of names are written in messages."""

import json
from collections.abc import Iterable
from typing import Any


def cut(text: str, width: int = 60) -> str:
    """Return ``text`` within ``width``, with a mark where it was cut."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def shown(value: Any, width: int = 60) -> str:
    """Return a value as JSON within ``width``."""
    return cut(json.dumps(value, ensure_ascii=False, default=str), width)


def listed(words: Iterable[str], join: str = "and") -> str:
    """Return words as people list them: ``a, b and c``."""
    *head, last = words or ("",)
    return f"{', '.join(head)} {join} {last}" if head else last
