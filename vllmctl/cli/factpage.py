"""The page on which facts are printed: titles, paragraphs, rows; for people, as text."""

import textwrap
from collections.abc import Iterable, Iterator

from vllmctl.cli.helppage import HelpPage, Page
from vllmctl.env import Environment
from vllmctl.explain.sections import Section

_INDENT = "  "
_LABEL = 11


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
        yield from map(self.title, self.wrapped(section.title, "", _INDENT))
        for paragraph in section.paragraphs:
            yield from self.wrapped(paragraph)
        column = max((len(label) for label, _ in section.rows), default=0)
        for label, text in section.rows:
            left = f"{_INDENT}{label.ljust(min(column, _LABEL))}  "
            yield from self.wrapped(text, left, " " * len(left))
        for line in section.lines:
            yield from self._shell(line)

    def _shell(self, line: str) -> Iterator[str]:
        """A command line, continued with a backslash where it is too long."""
        if len(line) + len(_INDENT) <= self.width or " --" not in line:
            yield _INDENT + line
            return
        start, _, rest = line.rpartition(" --")
        yield f"{_INDENT}{start} \\"
        yield f"{_INDENT * 3}--{rest}"


def _has_body(section: Section) -> bool:
    return bool(section.paragraphs or section.rows or section.lines)
