"""Whole numbers out of texts that anybody may have written."""

import re

_COUNT = re.compile("[0-9]{1,18}")


def count_in(text: str) -> int | None:
    """Return the number that ``text`` is, from 0 up; ``None`` when it is none, or absurd.

    ``str.isdigit`` knows more digits than ``int``, and ``int`` refuses thousands of them.
    """
    return int(text) if _COUNT.fullmatch(text) else None
