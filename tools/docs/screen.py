"""What a terminal shows of what is written to it: rows of cells, with their colours."""

import io
import re
from itertools import groupby

from vllmctl.render.cells import cell

_TOKEN = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n])", re.DOTALL)
_NOTHING = ("", "0")

Cell = tuple[str, str]
"""A character with those that join it, and what sets its colours; the second cell of a wide
character is empty."""


class Screen(io.StringIO):
    """A terminal with a cursor that keeps all rows; what scrolled out can never change.

    Text that is too long goes on in the next row. On ``resize`` such rows are broken anew, as
    most terminals do. What a program of ours has no reason to write is an ``AssertionError``.
    """

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        super().__init__()
        self.columns = columns
        self.lines = lines
        self.written = ""
        self._rows: list[list[Cell]] = [[]]
        self._goes_on: list[bool] = [False]  # whether a row goes on in the next one
        self._row = 0
        self._column = 0
        self._style = ""

    def isatty(self) -> bool:
        """Yes."""
        return True

    def size(self) -> tuple[int, int]:
        """Return the columns and lines."""
        return self.columns, self.lines

    def write(self, text: str) -> int:
        """Show ``text``."""
        self.written += text
        for match in _TOKEN.finditer(text):
            parameter, command, control, char = match.groups()
            if char:
                self._put((char, self._style))
            elif control == "\n":
                self._down()
                self._column = 0  # as the terminal's driver does
            elif control == "\r":
                self._column = 0
            elif command == "m":
                self._style = "" if parameter in _NOTHING else match[0]
            else:
                self._command(command, int(parameter) if parameter.isdecimal() else 1)
        return len(text)

    def resize(self, columns: int) -> None:
        """Become wider or narrower."""
        below = self._rows[self._row + 1 :]
        assert not any(below), "the cursor is in the last row"
        del self._rows[self._row + 1 :], self._goes_on[self._row + 1 :]
        lines: list[list[Cell]] = []
        joins = False
        for row, goes_on in zip(self._rows, self._goes_on, strict=True):
            lines = [*lines[:-1], lines[-1] + row] if joins else [*lines, row]
            joins = goes_on
        column = self._column
        self.columns = columns
        self._rows, self._goes_on, self._row, self._column = [[]], [False], 0, 0
        for number, line in enumerate(lines):
            if number:
                self._down()
                self._column = 0
            for each in line:
                if each[0]:
                    self._put(each)
        self._column = min(self._column, columns) if column else 0

    @property
    def text(self) -> str:
        """All that a person can see, scrolled out or not."""
        return "\n".join(self.rows[: self._row + 1])

    @property
    def painted(self) -> str:
        """The same with its colours."""
        return "\n".join([_painted(row) for row in self._rows[: self._row + 1]])

    @property
    def rows(self) -> list[str]:
        """All rows as text."""
        return self.part(0, self.columns)

    def part(self, begin: int, end: int) -> list[str]:
        """What stands in these columns."""
        return ["".join([char for char, _ in row[begin:end]]).rstrip(" ") for row in self._rows]

    def _put(self, new: Cell) -> None:
        char, style = new
        width = cell(char[0])
        row = self._rows[self._row]
        if width == 0:
            if row:
                row[-1] = (row[-1][0] + char, row[-1][1])
            return
        if self._column + width > self.columns:
            self._goes_on[self._row] = True
            self._down()
            self._column = 0
            row = self._rows[self._row]
        row += [(" ", "")] * (self._column - len(row))
        row[self._column : self._column + width] = [new, *[("", style)] * (width - 1)]
        self._column += width

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append([])
            self._goes_on.append(False)

    def _command(self, command: str, number: int) -> None:
        match command:
            case "A":
                top = max(len(self._rows) - self.lines, 0)
                assert self._row - number >= top, "the cursor would leave the screen"
                self._row -= number
            case "D":
                assert number <= self._column < self.columns, "the cursor would stop at the edge"
                self._column -= number
            case "G":
                self._column = number - 1
            case "K":
                del self._rows[self._row][self._column :]
                self._goes_on[self._row] = False
            case _:
                raise AssertionError(f"an unknown command: {command}")


def _painted(row: list[Cell]) -> str:
    shown = []
    for style, cells in groupby(row, lambda each: each[1]):
        text = "".join([char for char, _ in cells])
        shown.append(f"{style}{text}\x1b[0m" if style else text)
    return "".join(shown).rstrip(" ")
