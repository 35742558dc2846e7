"""Whole numbers out of texts that anybody may have written."""

_MOST_DIGITS = 18


def count_in(text: str) -> int | None:
    """Return the number that ``text`` is, from 0 up; ``None`` when it is none, or absurd.

    ``str.isdigit`` knows more digits than ``int``, and ``int`` refuses thousands of them.
    """
    is_count = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_count else None
