"""Styles of text as bits, and their painting."""

from collections.abc import Iterable

Piece = tuple[int, str]
"""Text in one style, which is a sum of the bits below."""

Row = list[Piece]

PLAIN = 0
BOLD, ITALIC, STRIKE, DIM, UNDERLINE, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN = (
    1 << bit for bit in range(11)
)
CODE = CYAN
LINK = UNDERLINE | BLUE
HEADINGS = (
    BOLD | UNDERLINE | MAGENTA,
    BOLD | MAGENTA,
    BOLD | CYAN,
    BOLD,
    BOLD | ITALIC,
    ITALIC,
)
"""The styles of headings by level, the first for level 1."""

_PARAMETERS = ("1", "3", "9", "2", "4", "31", "32", "33", "34", "35", "36")


class Painter:
    """Turns rows into text for the terminal, or into plain text where colour is not wanted.

    Without colour ``marks`` is true: emphasis and code then keep the marks of their source, for
    nothing else would tell them from other text.
    """

    def __init__(self, colored: bool) -> None:
        self.marks = not colored
        self._openings: dict[int, str] = {PLAIN: ""}

    def paint(self, row: Iterable[Piece]) -> str:
        """Return ``row`` as text."""
        if self.marks:
            return "".join([text for _, text in row])
        painted = []
        for style, text in row:
            painted.append(f"{self._opening(style)}{text}\x1b[0m" if style and text else text)
        return "".join(painted)

    def _opening(self, style: int) -> str:
        opening = self._openings.get(style)
        if opening is None:
            codes = [code for bit, code in enumerate(_PARAMETERS) if style >> bit & 1]
            opening = self._openings[style] = f"\x1b[{';'.join(codes)}m"
        return opening


def append(row: Row, style: int, text: str) -> None:
    """Add text to ``row``; adjacent text in one style becomes one piece."""
    if row and row[-1][0] == style:
        row[-1] = (style, row[-1][1] + text)
    else:
        row.append((style, text))
