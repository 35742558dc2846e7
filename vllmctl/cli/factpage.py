"""The page on which facts are printed: titles, paragraphs, rows; for people, as text."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from vllmctl.cli.helppage import HelpPage
from vllmctl.cli.page import Page
from vllmctl.env import Environment
from vllmctl.explain.sections import Section, TableRow
from vllmctl.texts import cut

_INDENT = "  "
_LABEL = 12
_WIDE_LABEL = 27
_NARROW = 72
_COLUMNS = (30, 16, 12, 14)
"""The widest that name, type and default may be in a table; the releases get the rest."""


class FactPage:
    """Writes sections within the width of the terminal, 80 columns at most."""

    def __init__(self, env: Environment) -> None:
        page = HelpPage(Page("", "", ()), (), env)
        self.width = page.width
        self.title = page.title

    def text(self, sections: Iterable[Section]) -> str:
        """Return the page; sections with nothing in them are left out."""
        blocks = ["\n".join(self._lines(section)) for section in sections if _has_body(section)]
        return "\n\n".join(blocks) + "\n"

    def heading(self, text: str) -> str:
        """Return a title, in lines."""
        return "\n".join(map(self.title, self.wrapped(text, "", _INDENT)))

    def wrapped(self, text: str, first: str = _INDENT, rest: str = _INDENT) -> list[str]:
        """Return ``text`` in lines; names and flags are never cut."""
        return textwrap.wrap(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=rest,
            break_on_hyphens=False,
            break_long_words=False,
        ) or [first.rstrip()]

    def _lines(self, section: Section) -> Iterator[str]:
        yield self.heading(section.title)
        for paragraph in section.paragraphs:
            yield from self.wrapped(paragraph)
        yield from self._rows(section.rows, _WIDE_LABEL if section.wide else _LABEL)
        for line in section.lines:
            yield from self._shell(line)

    def _rows(self, rows: Sequence[tuple[str, str]], most: int) -> Iterator[str]:
        """Labels in a column and wrapped texts beside them; a long label has its own line."""
        most = min(most, self.width * 2 // 5)
        column = max((len(label) for label, _ in rows if len(label) <= most), default=0)
        indent = _INDENT + " " * (column + 2)
        for label, text in rows:
            if len(label) > column or not self._fits(text, indent):
                yield _INDENT + label
                inner = indent if self._fits(text, indent) else _INDENT * 2
                yield from self.wrapped(text, inner, inner) if text else ()
            else:
                yield from self.wrapped(text, f"{_INDENT}{label.ljust(column)}  ", indent)

    def _fits(self, text: str, indent: str) -> bool:
        """Whether no word of ``text`` is too long for what is left beside ``indent``."""
        return max(map(len, text.split()), default=0) <= self.width - len(indent)

    def table(self, groups: Iterable[tuple[str, list[TableRow]]], *, below: bool = False) -> str:
        """Return rows under the titles of their groups, in columns where there is room."""
        groups = list(groups)
        widths = self._widths([row.cells for _, rows in groups for row in rows])
        blocks = []
        for title, rows in groups:
            lines = [line for row in rows for line in self._cells(row.cells, widths)]
            if below:
                lines = [line for row in rows for line in self._with_words(row, widths)]
            blocks.append("\n".join([self.title(title), *lines]))
        return "".join(f"\n{block}\n" for block in blocks)

    def _with_words(self, row: TableRow, widths: list[int]) -> Iterator[str]:
        yield from self._cells(row.cells, widths)
        if row.below:
            yield from self.wrapped(row.below, _INDENT * 3, _INDENT * 3)

    def _widths(self, rows: list[tuple[str, str, str, str]]) -> list[int]:
        """How wide each column is; none where the page is too narrow for columns."""
        if not rows or self.width < _NARROW:
            return []
        longest = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [min(length, most) for length, most in zip(longest, _COLUMNS, strict=True)]

    def _cells(self, cells: tuple[str, str, str, str], widths: list[int]) -> Iterator[str]:
        name, kind, default, releases = cells
        if not widths:
            yield _INDENT + name
            yield from self.wrapped(f"{kind}, {default}, {releases}", _INDENT * 2, _INDENT * 2)
            return
        start = _INDENT + name.ljust(widths[0])
        if len(name) > widths[0]:
            yield start
            start = _INDENT + " " * widths[0]
        padded = [cut(kind, widths[1]).ljust(widths[1]), cut(default, widths[2]).ljust(widths[2])]
        line = "  ".join([start, *padded])
        yield from self.wrapped(releases or "-", f"{line}  ", " " * (len(line) + 2))

    def _shell(self, line: str) -> Iterator[str]:
        """A command line, continued with backslashes before options where it is too long."""
        start, *options = line.split(" --")
        lines = [_INDENT + start]
        for option in options:
            if len(lines[-1]) + len(option) + len(" -- \\") > self.width:
                lines.append(_INDENT * 2 + f"--{option}")
            else:
                lines[-1] += f" --{option}"
        yield from (f"{each} \\" for each in lines[:-1])
        yield lines[-1]


def _has_body(section: Section) -> bool:
    return bool(section.paragraphs or section.rows or section.lines)
