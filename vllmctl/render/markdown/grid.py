"""Cells drawn as a table, or one below the other where the terminal is too narrow for it."""

from typing import Literal

from vllmctl.record import Record
from vllmctl.render.cells import cells, is_doubtful
from vllmctl.render.flow import wrapped
from vllmctl.render.paint import BOLD, DIM, PLAIN, Painter, Row

Alignment = Literal["left", "center", "right"]

_NARROWEST = 6
_BETWEEN = 3


class Grid(Record, frozen=True):
    """How a table is drawn: the widths of its columns, and the column of the screen it begins at.

    Without ``widths`` every row is a list of "heading: cell" lines in ``room`` cells.
    """

    widths: tuple[int, ...]
    room: int
    begin: int
    is_tight: bool

    @classmethod
    def fitting(cls, wanted: list[int], room: int, begin: int) -> "Grid":
        """Return the grid for columns that would like the widths ``wanted``."""
        inner = room - _BETWEEN * (len(wanted) - 1)
        return cls(_shared(wanted, inner), room, begin, sum(wanted) > inner)

    def head(self, header: list[Row], columns: list[Alignment], painter: Painter) -> list[str]:
        """Draw the headings and the line below them."""
        if not self.widths:
            return []
        bold = [[(style | BOLD, text) for style, text in cell] for cell in header]
        return [*self._lines(bold, columns, painter), self._ruler(painter, "┼", "─")]

    def row(
        self, row: list[Row], header: list[Row], columns: list[Alignment], painter: Painter
    ) -> list[str]:
        """Draw one row."""
        if self.widths:
            return self._lines(row, columns, painter)
        return self._listed(row, header, painter)

    def between(self, painter: Painter) -> list[str]:
        """Draw what parts two rows, where they could be taken for one."""
        if not self.widths:
            return [painter.paint([(DIM, "─" * min(self.room, 20))])]
        return [self._ruler(painter, "┼", "╌")] if self.is_tight else []

    def _lines(self, row: list[Row], columns: list[Alignment], painter: Painter) -> list[str]:
        broken = [wrapped(cell, width) for cell, width in zip(row, self.widths, strict=True)]
        height = max(map(len, broken))
        separator = painter.paint([(DIM, " │ ")])
        lines = []
        for number in range(height):
            end = self.begin
            shown = []
            for cell, width, side in zip(broken, self.widths, columns, strict=True):
                line = cell[number] if number < len(cell) else []
                end += width
                shown.append(_padded(line, width, side, end, painter))
                end += _BETWEEN
            lines.append(separator.join(shown).rstrip(" "))
        return lines

    def _listed(self, row: list[Row], header: list[Row], painter: Painter) -> list[str]:
        lines = []
        for title, cell in zip(header, row, strict=True):
            label = [(style | BOLD, text) for style, text in title]
            colon = [(PLAIN, ": ")] if label else []
            lines += [painter.paint(line) for line in wrapped([*label, *colon, *cell], self.room)]
        return lines

    def _ruler(self, painter: Painter, cross: str, line: str) -> str:
        return painter.paint([(DIM, f"{line}{cross}{line}".join(line * w for w in self.widths))])


def natural_width(cell: Row) -> int:
    """Return the cells that a cell of a table takes unbroken."""
    return max(map(cells, "".join([text for _, text in cell]).split("\n")))


def _shared(wanted: list[int], room: int) -> tuple[int, ...]:
    """Share ``room`` among columns: what fits is left alone, the others get equal parts."""
    if sum(wanted) <= room:
        return tuple(wanted)
    left, part = room, 0
    for done, width in enumerate(sorted(wanted)):
        part = left // (len(wanted) - done)
        if width > part:
            break
        left -= width
    if part < _NARROWEST:
        return ()
    widths = [min(width, part) for width in wanted]
    for place, width in enumerate(wanted):
        widths[place] += 1 if width > part and sum(widths) < room else 0
    return tuple(widths)


def _padded(line: Row, width: int, side: Alignment, end: int, painter: Painter) -> str:
    """Fill ``line`` to ``width`` cells; ``end`` is the column of the screen behind them."""
    text = "".join([text for _, text in line])
    room = max(width - cells(text), 0)
    before = {"left": 0, "center": room // 2, "right": room}[side]
    shown = " " * before + painter.paint(line) + " " * (room - before)
    return f"{shown}\x1b[{end + 1}G" if is_doubtful(text) else shown
