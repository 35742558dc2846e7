"""Rows on a terminal: written once when committed, repainted only while they are the tail."""

import re
from collections.abc import Callable
from typing import Protocol, TextIO

from vllmctl.render.cells import cell, cells, is_doubtful

Size = Callable[[], tuple[int, int]]
"""Returns the columns and lines of the terminal."""

STYLING = re.compile("\x1b\\[[0-9;]*[mG]")
"""What rows hold besides text: colours, and jumps to a column."""

_END = "\x1b[0m"


class Surface(Protocol):
    """Takes rows: a screen, or a column of one."""

    @property
    def begin(self) -> int:
        """The cells of the screen before each row."""

    def measure(self) -> int:
        """Return the cells of a row as they are now."""

    def commit(self, rows: list[str]) -> None:
        """Add rows that stand for good."""

    def show(self, tail: list[str]) -> None:
        """Show what was committed, and ``tail`` as the rows that may still change."""


class Screen:
    """The end of what a terminal shows.

    The tail stands in the last rows, with the cursor behind it. Each ``show`` is one write: rows
    that stay as they are are not touched, and of the others nothing is erased that is not
    written anew at once.
    """

    begin = 0

    def __init__(self, out: TextIO, size: Size) -> None:
        self._out = out
        self._size = size
        self._committed: list[str] = []
        self._tail: list[str] = []
        self.columns, self.lines = size()
        self._shown_columns = self.columns

    def measure(self) -> int:
        """Ask the terminal for its size and return its columns."""
        self.columns, self.lines = self._size()
        return self.columns

    def commit(self, rows: list[str]) -> None:
        """Add rows that stand for good; ``show`` writes them."""
        self._committed += rows

    def show(self, tail: list[str]) -> None:
        """Write what was committed, and ``tail`` as the rows that may still change.

        Of a tail that is higher than the terminal the last rows are shown. Its rows are not
        wider than the terminal, unless it is but one.
        """
        old, committed = self._tail, self._committed
        tail = tail[-max(self.lines - 1, 1) :]  # a copy: others may add to theirs
        new = committed + tail if committed else tail
        change = ""
        if new != old or committed:
            change = self._change(old, new) + ("" if tail else "\n" if new else "")
        # who is interrupted while writing has written: the stream holds the rest
        self._tail, self._committed, self._shown_columns = tail, [], self.columns
        if change:
            self._out.write(change)
            self._out.flush()

    def _change(self, old: list[str], new: list[str]) -> str:
        """Return what turns the rows ``old`` on the terminal into ``new``."""
        same = _same_rows(old, new)
        if same == len(old):
            return "\n".join(new) if not old else "".join([f"\n{row}" for row in new[same:]])
        if same == len(old) - 1 and same < len(new):
            change = _continuation(old[same], new[same]) or self._step_back(old[same], new[same])
            if change:
                return "\n".join([change, *new[same + 1 :]])
        if 1 < len(old) <= len(new) and self.columns == self._shown_columns:
            return _in_place(old, new, same)
        same = min(same, max(len(new) - 1, 0))  # the cursor is to stand behind the last row
        # line by line: tmux scrolls the screen away when all of it is erased at once
        erase = "\x1b[A\x1b[K" * (sum(map(self._height, old[same:])) - 1)
        return f"\r\x1b[K{erase}" + "\n".join(new[same:])

    def _step_back(self, old: str, new: str) -> str:
        """Return what takes the end of the last row away, if ``new`` is its beginning.

        Unlike a return to the margin this holds when the terminal was resized a moment ago.
        """
        gone = _continuation(new, old)
        if gone is None or is_doubtful(gone):
            return ""
        width, (_, used) = cells(STYLING.sub("", gone)), self._end(old)
        # at the very edge terminals count the cursor's column differently
        return f"\x1b[{width}D\x1b[K" if width <= used < self.columns else ""

    def _height(self, row: str) -> int:
        return self._end(row)[0]

    def _end(self, row: str) -> tuple[int, int]:
        """The lines that ``row`` takes, and the cells in the last of them.

        The terminal breaks a row that is too long for it.
        """
        text = STYLING.sub("", row) if "\x1b" in row else row
        if text.isascii():
            above = max(len(text) - 1, 0) // self.columns
            return above + 1, len(text) - above * self.columns
        height, used = 1, 0
        for width in map(cell, text):
            used += width
            if used > self.columns:
                height, used = height + 1, width
        return height, used


def _in_place(old: list[str], new: list[str], same: int) -> str:
    """Return what writes those rows anew that differ, where each takes one line."""
    up = len(old) - 1 - same
    changed = [
        f"\r\x1b[K{row}" if place >= len(old) - 1 or row != old[place] else ""
        for place, row in enumerate(new[same:], same)
    ]
    return (f"\x1b[{up}A" if up else "") + "\n".join(changed)


def _same_rows(old: list[str], new: list[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _continuation(old: str, new: str) -> str | None:
    """Return what makes ``new`` of the row ``old`` when written behind it."""
    if new.startswith(old):
        return new[len(old) :]
    head = old.removesuffix(_END)
    if head == old or not new.startswith(head):
        return None
    opening = STYLING.findall(head)[-1]
    return f"{opening}{new[len(head) :]}"
