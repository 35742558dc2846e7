"""Rows of columns put together on a screen."""

import re

from vllmctl.render.cells import cells, is_doubtful
from vllmctl.render.columns.folding import folded
from vllmctl.render.paint import DIM, Painter
from vllmctl.render.screen import STYLING, Screen

_LEAST = 36
"""The cells from which on a column is easy to read."""

_NARROWEST = 2
"""What a column keeps when the terminal becomes narrow in mid-answer: the widest character."""

_BETWEEN = 3
_JUMP = re.compile("\x1b\\[[0-9]+G")


def fit(count: int, width: int) -> bool:
    """Whether ``count`` columns are easy to read in ``width`` cells."""
    return count > 1 and _column_width(count, width) >= _LEAST


class Column:
    """The rows of one choice: those that are complete but not yet written, and the tail.

    They are filled up to the width of the column, but for those of the last one.
    """

    def __init__(self, place: int, columns: "Columns", *, is_last: bool) -> None:
        self._place = place
        self._columns = columns
        self._is_last = is_last
        self._rows: list[str] = []
        self._tail: list[str] = []
        self._padded: list[str] = []
        self._padded_tail: list[str] = []
        self.ended = False

    @property
    def begin(self) -> int:
        """The cells before the column."""
        return self._place * (self._columns.width + _BETWEEN)

    @property
    def complete(self) -> int:
        """How many rows wait for those beside them."""
        return len(self._rows)

    @property
    def height(self) -> int:
        """How many rows there are, with those that may still change."""
        return len(self._rows) + len(self._tail)

    def measure(self) -> int:
        """Return the width of the column as the terminal is now."""
        return self._columns.measure()

    def commit(self, rows: list[str]) -> None:
        """Add rows that stand for good."""
        rows = folded(rows, self._columns.width)
        self._rows += rows
        self._padded += map(self._pad, rows)

    def show(self, tail: list[str]) -> None:
        """Take ``tail`` as the rows that may still change."""
        tail = folded(tail, self._columns.width)
        if tail != self._tail:
            self._tail, self._padded_tail = tail, [*map(self._pad, tail)]

    def cell(self, row: int) -> str:
        """Return what the column shows in a row, filled up to its width."""
        complete = len(self._padded)
        if row < complete:
            return self._padded[row]
        row -= complete
        return self._padded_tail[row] if row < len(self._padded_tail) else self._pad("")

    def drop(self, rows: int) -> None:
        """Forget the first rows: they are written."""
        del self._rows[:rows], self._padded[:rows]

    def refit(self) -> None:
        """Break what waits anew, for another width."""
        rows, tail = self._rows, self._tail
        self._rows, self._tail, self._padded, self._padded_tail = [], [], [], []
        self.commit([_JUMP.sub("", row) for row in rows])
        self.show([_JUMP.sub("", row) for row in tail])

    def _pad(self, row: str) -> str:
        if self._is_last:
            return row
        text = STYLING.sub("", row) if "\x1b" in row else row
        filled = row + " " * (self._columns.width - cells(text))
        if is_doubtful(text):
            return f"{filled}\x1b[{self.begin + self._columns.width + 1}G"
        return filled


class Columns:
    """``count`` columns on ``screen``, with a line between them."""

    def __init__(self, screen: Screen, painter: Painter, count: int) -> None:
        self._screen = screen
        self._painter = painter
        self._separator = painter.paint([(DIM, " │ ")])
        self.width = _column_width(count, screen.columns)
        self.columns = [Column(n, self, is_last=n == count - 1) for n in range(count)]

    def measure(self) -> int:
        """Return the width of a column as the terminal is now."""
        width = _column_width(len(self.columns), self._screen.measure())
        if width != self.width:
            self.width = width
            for column in self.columns:
                column.refit()
        return width

    def head(self, titles: list[str]) -> None:
        """Write titles above the columns, and a line below them."""
        cells = [folded([self._painter.paint([(DIM, title)])], self.width)[0] for title in titles]
        for column, title in zip(self.columns, cells, strict=True):
            column.commit([title])
        self._write(1)
        rule = "─┼─".join("─" * self.width for _ in self.columns)
        self._screen.commit([self._painter.paint([(DIM, rule)])])

    def show(self) -> None:
        """Bring the terminal up to date."""
        open_columns = [column.complete for column in self.columns if not column.ended]
        self._write(min(open_columns) if open_columns else self._longest())
        self._screen.show([self._row(number) for number in self._seen()])

    def end(self) -> None:
        """Write all that is left."""
        self._write(self._longest())
        self._screen.show([])

    def _seen(self) -> range:
        """The rows to show as the tail: none where the terminal would break them."""
        if self.columns[-1].begin + self.width > self._screen.columns:
            return range(0)
        height = max(column.height for column in self.columns)
        return range(max(height - self._screen.lines + 1, 0), height)

    def _longest(self) -> int:
        return max(column.complete for column in self.columns)

    def _write(self, rows: int) -> None:
        self._screen.commit([self._row(number) for number in range(rows)])
        for column in self.columns:
            column.drop(rows)

    def _row(self, number: int) -> str:
        return self._separator.join([c.cell(number) for c in self.columns]).rstrip(" ")


def _column_width(count: int, width: int) -> int:
    return max((width - _BETWEEN * (count - 1)) // count, _NARROWEST)
