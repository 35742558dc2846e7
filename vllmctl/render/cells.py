"""How many cells of a terminal a text takes.

Terminals disagree about emoji that are joined or told to be coloured (U+200D, U+FE0F, flags,
skin tones). ``cells`` then returns the largest of their answers, so that a row that fits by it
fits everywhere.
"""

import re

_WIDTHS: dict[str, int] = {"\u200d": 0, "\ufe0f": 1}
_DOUBTFUL = re.compile("[\u200d\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")


def cells(text: str) -> int:
    """Return the number of cells that ``text``, which has no control characters, takes."""
    return len(text) if text.isascii() else sum(map(cell, text))


def cell(char: str) -> int:
    """Return the cells of one character: 0, 1 or 2."""
    width = _WIDTHS.get(char)
    if width is None:
        from rich.cells import get_character_cell_size

        width = _WIDTHS[char] = get_character_cell_size(char)
    return width


def is_doubtful(text: str) -> bool:
    """Whether terminals may disagree about the width of ``text``."""
    return not text.isascii() and _DOUBTFUL.search(text) is not None


def cut(text: str, width: int) -> tuple[str, str]:
    """Split ``text`` where it would pass ``width`` cells; the first part has a character."""
    if text.isascii():
        return text[: max(width, 1)], text[max(width, 1) :]
    used = 0
    for place, char in enumerate(text):
        used += cell(char)
        if used > width and place:
            return text[:place], text[place:]
    return text, ""


def shortened(text: str, width: int) -> str:
    """Return ``text``, cut to ``width`` cells with an ellipsis where it is longer."""
    if cells(text) <= width:
        return text
    return (cut(text, width - 1)[0] if width > 1 else "") + "…"
