"""Where the text of a choice goes."""

from collections.abc import Callable
from typing import Protocol, TextIO

from vllmctl.render.style import harmless


class Sheet(Protocol):
    """Takes the text of one choice at a time, and its tool calls one after the other."""

    def feed(self, text: str) -> None:
        """Take the next piece."""

    def show(self) -> None:
        """Let a person see what was taken."""

    def hide(self) -> None:
        """Make room: others want to write on the same terminal."""

    def open_call(self) -> None:
        """Begin a tool call, whose text follows."""

    def close_call(self) -> None:
        """End it."""

    def end(self) -> None:
        """End the text; another one may follow."""


def exact_sheet(out: TextIO, *, on_terminal: bool) -> Sheet:
    """Return a sheet for the text as it is.

    On a terminal what a model says cannot control it; into a pipe go the very characters of
    the answer and nothing else.
    """
    return PlainSheet(out, harmless if on_terminal else str, on_terminal=on_terminal)


class PlainSheet:
    """Writes to ``out`` what ``dressed`` makes of each piece.

    ``on_terminal`` tells that others write there too, and that a text is to end its line.
    """

    def __init__(self, out: TextIO, dressed: Callable[[str], str], *, on_terminal: bool) -> None:
        self._out = out
        self._dressed = dressed
        self._on_terminal = on_terminal
        self._last = "\n"
        self._has_ended = False

    def feed(self, text: str) -> None:
        """Write a piece; another text begins in a line of its own."""
        if self._has_ended:
            self._has_ended = False
            self._end_line()
        self._out.write(self._dressed(text))
        self._last = text or self._last

    def show(self) -> None:
        """Send what was written on its way."""
        self._out.flush()

    def hide(self) -> None:
        """On a terminal, leave the line to others."""
        if self._on_terminal:
            self._end_line()
        self._out.flush()

    def open_call(self) -> None:
        """A call stands in a line of its own."""
        self._end_line()

    def close_call(self) -> None:
        """End the line of the call."""
        self.feed("\n")

    def end(self) -> None:
        """On a terminal, end the line."""
        self.hide()
        self._has_ended = True

    def _end_line(self) -> None:
        if not self._last.endswith("\n"):
            self.feed("\n")
