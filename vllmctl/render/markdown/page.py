"""What every block needs: the screen, the colours, and the margin its rows begin with."""

from vllmctl.record import Record
from vllmctl.render.cells import cells, cut
from vllmctl.render.paint import DIM, PLAIN, YELLOW, Painter, Row
from vllmctl.render.screen import Surface

_ENOUGH = 10
"""The cells that a margin leaves for text, where the terminal has them."""

LEAST = 2
"""The cells that it leaves on any terminal: those of the widest character."""


class Page(Record):
    """Where rows go, how they are painted, and the cells of a row."""

    screen: Surface
    painter: Painter
    width: int


class Container:
    """A quotation or a list item: what its lines begin with, in the source and on the page.

    ``indent`` is the column at which an item's text stands in the source; 0 for a quotation.
    An item is ``fresh`` until a row with its mark is there.
    """

    __slots__ = ("fresh", "indent", "mark")

    def __init__(self, mark: str, indent: int = 0) -> None:
        self.mark = mark
        self.indent = indent
        self.fresh = bool(indent)

    def pieces(self) -> tuple[Row, Row]:
        """Return what its first row begins with, and what the others do."""
        if not self.indent:
            bar = [(DIM, self.mark)]
            return bar, bar
        blank = [(PLAIN, " " * cells(self.mark))]
        return [(YELLOW, self.mark)] if self.fresh else blank, blank


class Margin:
    """What the rows of one block begin with: the first row, and those that follow."""

    __slots__ = ("_first", "_rest", "cells")

    def __init__(self, containers: list[Container], page: Page) -> None:
        pairs = [container.pieces() for container in containers]
        while len(pairs) > 1 and sum(_cells(rest) for _, rest in pairs) > page.width - _ENOUGH:
            del pairs[0]
        room = max(page.width - LEAST, 0)
        first = _cropped([piece for first, _ in pairs for piece in first], room)
        rest = _cropped([piece for _, rest in pairs for piece in rest], room)
        self.cells = _cells(rest)
        self._first = page.painter.paint(first)
        self._rest = page.painter.paint(rest)

    @property
    def blank(self) -> str:
        """A row with nothing behind the margin."""
        return self._rest.rstrip(" ")

    def dress(self, rows: list[str], *, keep: bool = False) -> list[str]:
        """Return ``rows`` behind the margin; with ``keep`` the first row is still to come."""
        if not rows or not self.cells:
            return rows
        dressed = [(self._first if n == 0 else self._rest) + row for n, row in enumerate(rows)]
        if not keep:
            self._first = self._rest
        return [row.rstrip(" ") for row in dressed]


def _cropped(row: Row, room: int) -> Row:
    if _cells(row) <= room:
        return row
    text = "".join([text for _, text in row])
    return [(row[0][0], cut(text, room)[0])] if room else []


def _cells(row: Row) -> int:
    return sum(cells(text) for _, text in row)
