"""Plain text in rows of a screen, broken between words."""

from vllmctl.render.flow import Flow
from vllmctl.render.newlines import Newlines
from vllmctl.render.paint import PLAIN, Painter
from vllmctl.render.screen import Surface
from vllmctl.render.style import harmless

_INDENT = "\N{NO-BREAK SPACE}"
"""Stands for the spaces that a line begins with: a flow drops those, and keeps this."""

_TAB = 4


class TextSheet:
    """Text whose lines are kept, on a screen or in a column of one."""

    def __init__(self, screen: Surface, painter: Painter, style: int = PLAIN) -> None:
        self._screen = screen
        self._painter = painter
        self._style = style
        self._flow = Flow(screen.measure())
        self._newlines = Newlines()
        self._begins = True  # nothing of the line is there but its indent

    def feed(self, text: str) -> None:
        """Take the next piece."""
        self._flow.width = self._screen.measure()
        first, *others = harmless(self._newlines(text)).split("\n")
        self._add(first)
        for piece in others:
            self._end_line()
            self._add(piece)
        self._commit()

    def show(self) -> None:
        """Let a person see the line that is still arriving."""
        self._screen.show(self._painted(self._flow.open_rows()))

    def hide(self) -> None:
        """Take that line away."""
        self._screen.show([])

    def open_call(self) -> None:
        """A call stands in a line of its own."""
        if self._flow.open_rows():
            self._end_line()

    def close_call(self) -> None:
        """End the line of the call."""
        self._end_line()

    def end(self) -> None:
        """End the text; another one may follow."""
        self._flow.end()
        self._begins = True
        self._commit()
        self._screen.show([])

    def _end_line(self) -> None:
        self._flow.newline()
        self._begins = True

    def _add(self, text: str) -> None:
        text = text.expandtabs(_TAB)
        if self._begins:
            rest = text.lstrip(" ")
            self._begins = not rest
            text = _INDENT * (len(text) - len(rest)) + rest
        self._flow.add(text, self._style)

    def _commit(self) -> None:
        rows, self._flow.rows = self._flow.rows, []
        self._screen.commit(self._painted(rows))

    def _painted(self, rows: list[list[tuple[int, str]]]) -> list[str]:
        return [self._painter.paint(row).replace(_INDENT, " ") for row in rows]
