"""Tables: held until they end, with their rows so far as the tail.

After ``_HELD`` rows the columns keep their widths, and further rows are committed as they come.
"""

import re

from vllmctl.render.flow import wrapped
from vllmctl.render.markdown.grid import Alignment, Grid, natural_width
from vllmctl.render.markdown.inline import parse
from vllmctl.render.markdown.page import Margin, Page
from vllmctl.render.markdown.prose import Prose
from vllmctl.render.paint import PLAIN, Row

_HELD = 100
_BREAK = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


class TableStart:
    """A line that begins with a bar: a table's headings if the next line says so."""

    def __init__(self, page: Page, margin: Margin, line: str) -> None:
        self.page = page
        self.margin = margin
        self.line = line

    def columns(self, line: str) -> list[Alignment] | None:
        """Return how ``line`` aligns the columns, or ``None`` where it does no such thing."""
        rules = split_row(line)
        if len(rules) != len(split_row(self.line)) or not all(map(_RULE.fullmatch, rules)):
            return None
        return [_alignment(rule) for rule in rules]

    def as_prose(self) -> Prose:
        """Return the line as text."""
        prose = Prose(self.page, self.margin)
        prose.add(self.line)
        return prose

    def end(self) -> None:
        """Commit the line as text."""
        self.as_prose().end()

    def tail(self) -> list[str]:
        """Return the line as it stands."""
        rows = wrapped([(PLAIN, self.line)], self.page.width - self.margin.cells)
        return self.margin.dress([self.page.painter.paint(row) for row in rows], keep=True)


class Table:
    """A table with the headings of ``start`` and a column for each of ``columns``."""

    def __init__(self, start: TableStart, columns: list[Alignment]) -> None:
        self._page = start.page
        self._margin = start.margin
        self._columns = columns
        self._header = self._cells(start.line)
        self._wanted = [natural_width(cell) for cell in self._header]
        self._rows: list[list[Row]] = []
        self._is_settled = False
        self._grid: Grid | None = None
        self._drawn: list[str] = []
        self._drawn_rows = 0

    def line(self, text: str) -> None:
        """Add a row."""
        row = self._cells(text)
        self._rows.append(row)
        if self._is_settled:
            self._commit()
        else:
            self._wanted = list(map(max, self._wanted, map(natural_width, row)))
            if len(self._rows) == _HELD:
                self._settle()

    def end(self) -> None:
        """Commit everything."""
        if not self._is_settled:
            self._commit()

    def tail(self) -> list[str]:
        """Return the table so far, unless it is committed as it comes."""
        return [] if self._is_settled else self._margin.dress(self._draw(), keep=True)

    def _settle(self) -> None:
        """Commit the rows so far, in columns with some room for longer cells to come."""
        taken = sum(self._wanted) + self._margin.cells + 3 * len(self._wanted)
        spare = max(self._page.width - taken, 0) // len(self._wanted)
        self._wanted = [width + min(spare, 2 + width // 4) for width in self._wanted]
        self._commit()
        self._is_settled = True

    def _commit(self) -> None:
        self._page.screen.commit(self._margin.dress(self._draw()))
        self._rows, self._drawn, self._drawn_rows = [], [], 0

    def _draw(self) -> list[str]:
        """Draw the rows that are held; those drawn before stay while the widths do."""
        page, painter, margin = self._page, self._page.painter, self._margin.cells
        grid = Grid.fitting(self._wanted, page.width - margin, page.screen.begin + margin)
        if grid != self._grid:
            self._grid, self._drawn_rows = grid, 0
            head = [] if self._is_settled else grid.head(self._header, self._columns, painter)
            self._drawn = head
        for row in self._rows[self._drawn_rows :]:
            if self._drawn_rows or self._is_settled:
                self._drawn += grid.between(painter)
            self._drawn += grid.row(row, self._header, self._columns, painter)
            self._drawn_rows += 1
        return self._drawn

    def _cells(self, line: str) -> list[Row]:
        count = len(self._columns)
        texts = (split_row(line) + [""] * count)[:count]
        return [self._cell(text) for text in texts]

    def _cell(self, text: str) -> Row:
        parsed = parse(text, "\n", final=True, marks=self._page.painter.marks)
        return [(span.style, span.text) for span in parsed.spans]


def split_row(line: str) -> list[str]:
    """Return the texts of a row's cells; a bar behind a backslash parts none."""
    line = line.strip().removeprefix("|")
    parts = _BREAK.split(line)
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def _alignment(rule: str) -> Alignment:
    if rule.endswith(":"):
        return "center" if rule.startswith(":") else "right"
    return "left"
