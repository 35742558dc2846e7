"""From text that arrives in pieces to blocks on a page."""

from vllmctl.render.markdown.code import Code
from vllmctl.render.markdown.lines import Fence, Kind, Line, is_undecided, matched, read_line
from vllmctl.render.markdown.page import Container, Margin, Page
from vllmctl.render.markdown.prose import Heading, Prose
from vllmctl.render.markdown.table import Table, TableStart
from vllmctl.render.newlines import Newlines
from vllmctl.render.paint import DIM, Painter
from vllmctl.render.screen import Surface
from vllmctl.render.style import harmless

Leaf = Prose | Code | TableStart | Table

_WHOLE = frozenset((Kind.BLANK, Kind.RULE, Kind.UNDERLINE, Kind.FENCE, Kind.BAR, Kind.INDENTED))
"""Lines that are read once they are whole; others flow onto the page as they come."""


class Document:
    """One document, shown on ``screen`` while it arrives."""

    def __init__(self, screen: Surface, painter: Painter) -> None:
        self._page = Page(screen, painter, screen.measure())
        self._changed = False
        self._reset()

    def _reset(self) -> None:
        self._containers: list[Container] = []
        self._leaf: Leaf | None = None
        self._fence: Fence | None = None  # what the open code began with
        self._line = ""  # the beginning of a line that is not read yet
        self._flows = False  # the line was read, and its rest goes to the leaf
        self._is_apart = False  # a blank line came since the last block
        self._has_rows = False
        self._newlines = Newlines()

    def feed(self, text: str) -> None:
        """Take the next piece of the text."""
        self._measure()
        first, *others = harmless(self._newlines(text)).split("\n")
        self._piece(first)
        for piece in others:
            self._end_line()
            self._piece(piece)

    def show(self) -> None:
        """Bring the terminal up to date."""
        if self._changed:
            self._changed = False
            self._page.screen.show(self._tail())

    def hide(self) -> None:
        """Write what is committed and take the tail away, so that others can write."""
        self._measure()
        self._page.screen.show([])
        self._changed = True

    def end(self) -> None:
        """Write everything, and be ready for another document."""
        self._measure()
        if self._line or self._flows:
            self._end_line()
        self._close()
        self._leave(0)
        self._page.screen.show([])
        self._reset()

    def _measure(self) -> None:
        width = self._page.screen.measure()
        if width != self._page.width:
            self._page.width = width
            self._changed = True

    def _piece(self, text: str) -> None:
        """Take a piece of a line."""
        if not text:
            return
        if self._flows:
            self._changed = True
            if isinstance(self._leaf, Prose):  # and it is
                self._leaf.add(text)
            return
        self._line += text
        if self._fence:
            self._changed = True
        elif not is_undecided(self._line):
            line = self._read(self._line)
            if line.kind not in _WHOLE:
                self._line, self._flows = "", True
                self._take(line)

    def _end_line(self) -> None:
        self._changed = True
        text, self._line = self._line, ""
        if self._flows:
            self._flows = False
        elif not (self._fence and self._take_code(text, self._fence)):
            self._take(self._read(text))
        if isinstance(self._leaf, Heading):
            self._close()

    def _read(self, text: str) -> Line:
        return read_line(
            text, self._containers, in_prose=isinstance(self._leaf, Prose | TableStart)
        )

    def _take_code(self, text: str, fence: Fence) -> bool:
        """Take a line between two fences; return whether it is one."""
        kept, text = matched(text, self._containers)
        if kept < len(self._containers):
            self._close()
            return False
        if fence.is_ended_by(text):
            self._close()
        elif isinstance(self._leaf, Code):
            self._leaf.line(fence.unindented(text))
        return True

    def _take(self, line: Line) -> None:
        self._changed = True
        inside = line.kept == len(self._containers) and not line.new
        if isinstance(self._leaf, TableStart):
            if inside and line.kind is Kind.BAR and self._start_table(self._leaf, line.text):
                return
            self._leaf = self._leaf.as_prose()
        if not self._goes_on(line, inside):
            self._close()
            self._enter(line)
            self._open(line)

    def _start_table(self, start: TableStart, rule: str) -> bool:
        columns = start.columns(rule)
        if columns:
            self._leaf = Table(start, columns)
        return columns is not None

    def _goes_on(self, line: Line, inside: bool) -> bool:
        """Give the line to the open leaf; return whether it is part of it."""
        match self._leaf, line.kind:
            case Prose(), Kind.TEXT if not line.new:
                self._leaf.add(f"\n{line.text}")
            case Table(), Kind.BAR if inside:
                self._leaf.line(line.text)
            case Code(), Kind.INDENTED if inside:
                self._leaf.line(line.text)
                self._is_apart = False
            case Code(), Kind.BLANK if inside:
                self._leaf.blank()
                self._is_apart = True
            case _:
                return False
        return True

    def _enter(self, line: Line) -> None:
        """Leave the containers that ended, enter new ones, and set the block apart."""
        if line.kind is Kind.BLANK:
            self._is_apart |= not any(container.indent for container in line.new)
        self._leave(line.kept)
        is_heading = line.kind is Kind.HEADING and self._has_rows
        if line.kind is not Kind.BLANK and (self._is_apart or is_heading):
            self._is_apart = False
            if self._has_rows:
                self._page.screen.commit([Margin(self._containers, self._page).blank])
        self._containers += line.new

    def _open(self, line: Line) -> None:
        if line.kind is Kind.BLANK:
            return
        margin = self._margin()
        match line.kind:
            case Kind.RULE | Kind.UNDERLINE:
                self._draw_rule(margin, "─" if line.kind is Kind.RULE else "═")
            case Kind.HEADING:
                self._leaf = Heading(self._page, margin, len(line.mark))
                self._leaf.add(line.text)
            case Kind.FENCE:
                self._fence = Fence(line.mark)
                self._leaf = Code(self._page, margin, line.text)
            case Kind.INDENTED:
                self._leaf = Code(self._page, margin, "")
                self._leaf.line(line.text)
            case Kind.BAR:
                self._leaf = TableStart(self._page, margin, line.text)
            case _:
                self._leaf = Prose(self._page, margin)
                self._leaf.add(line.text)

    def _draw_rule(self, margin: Margin, line: str) -> None:
        rule = [(DIM, line * max(self._page.width - margin.cells, 1))]
        self._page.screen.commit(margin.dress([self._page.painter.paint(rule)]))

    def _margin(self) -> Margin:
        self._has_rows = True
        margin = Margin(self._containers, self._page)
        for container in self._containers:
            container.fresh = False
        return margin

    def _close(self) -> None:
        if self._leaf:
            self._leaf.end()
        self._leaf = self._fence = None

    def _leave(self, kept: int) -> None:
        """Leave all but the outer ``kept`` containers; of an empty item its mark is shown."""
        if any(container.fresh for container in self._containers[kept:]):
            margin = self._margin()
            self._page.screen.commit(margin.dress([""]))
        del self._containers[kept:]

    def _tail(self) -> list[str]:
        if self._leaf is None:
            return []
        if not (self._fence and isinstance(self._leaf, Code)):
            return self._leaf.tail()
        _, partial = matched(self._line, self._containers)
        return [] if self._fence.may_be_ended_by(partial) else self._leaf.tail(partial)
