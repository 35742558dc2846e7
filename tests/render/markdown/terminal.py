"""A terminal without a screen: what was written to it, and what a person would see."""

import io
import re
from collections.abc import Iterable

from vllmctl.render.cells import cell
from vllmctl.render.markdown.document import Document
from vllmctl.render.markdown.styles import Painter
from vllmctl.render.screen import Screen

_TOKEN = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n])", re.DOTALL)


class Terminal(io.StringIO):
    """Rows of cells with a cursor; lines that scroll out at the top can never change.

    Text that is too long goes on in the next row. On ``resize`` such rows are broken anew, as
    most terminals do.
    """

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        super().__init__()
        self.columns = columns
        self.lines = lines
        self.written = ""
        self._rows: list[list[str]] = [[]]
        self._goes_on: list[bool] = [False]  # whether a row goes on in the next one
        self._row = 0
        self._column = 0

    def isatty(self) -> bool:
        return True

    def size(self) -> tuple[int, int]:
        return self.columns, self.lines

    def write(self, text: str) -> int:
        self.written += text
        for match in _TOKEN.finditer(text):
            parameter, command, control, char = match.groups()
            if char:
                self._put(char)
            elif control == "\n":
                self._down()
                self._column = 0  # as the terminal's driver does
            elif control == "\r":
                self._column = 0
            else:
                self._command(command, int(parameter) if parameter.isdecimal() else 1)
        return len(text)

    def resize(self, columns: int) -> None:
        below = self._rows[self._row + 1 :]
        assert not any(below), "the cursor is in the last row"
        del self._rows[self._row + 1 :], self._goes_on[self._row + 1 :]
        lines: list[list[str]] = []
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
            for char in "".join(line):
                self._put(char)
        self._column = min(self._column, columns) if column else 0

    @property
    def text(self) -> str:
        """All that a person can see, scrolled out or not."""
        return "\n".join(self.rows[: self._row + 1])

    @property
    def rows(self) -> list[str]:
        return ["".join(row).rstrip(" ") for row in self._rows]

    def part(self, begin: int, end: int) -> list[str]:
        """What stands in these columns."""
        return ["".join(row[begin:end]).rstrip(" ") for row in self._rows]

    def _put(self, char: str) -> None:
        width = cell(char)
        row = self._rows[self._row]
        if width == 0:
            if row:
                row[-1] += char
            return
        if self._column + width > self.columns:
            self._goes_on[self._row] = True
            self._down()
            self._column = 0
            row = self._rows[self._row]
        row += [" "] * (self._column - len(row))
        row[self._column : self._column + width] = [char, *[""] * (width - 1)]
        self._column += width

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append([])
            self._goes_on.append(False)

    def _command(self, command: str, number: int) -> None:
        match command:
            case "m":
                pass
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


class Recorder(Screen):
    """A screen that keeps what was committed."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(terminal, terminal.size)
        self.committed_rows: list[str] = []

    def commit(self, rows: list[str]) -> None:
        self.committed_rows += rows
        super().commit(rows)


def committed(pieces: Iterable[str], columns: int = 80, *, colored: bool = False) -> list[str]:
    """Return the rows that are committed for a text in pieces."""
    recorder = Recorder(Terminal(columns))
    document = Document(recorder, Painter(colored))
    for piece in pieces:
        document.feed(piece)
        document.show()
    document.end()
    return recorder.committed_rows


def shown(text: str, columns: int = 80) -> str:
    """Return what a person sees of a whole text, without colours."""
    return "\n".join(committed([text], columns))
