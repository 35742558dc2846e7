"""Sets of characters such as ``[a-z&&[^aeiou]]``, as Rust's ``regex-syntax`` reads them."""

import re
from collections.abc import Callable
from typing import Protocol

from vllmctl.rules.syntax.fault import SyntaxFaultError

_POSIX = re.compile(
    r"\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word"
    r"|xdigit):\]"
)
_DEEPEST = 250
_OPERATORS = ("&&", "--", "~~")


class EscapeRead(Protocol):
    """What was read of an escape."""

    @property
    def length(self) -> int:
        """Its length."""

    @property
    def code(self) -> int | None:
        """The character that it stands for, if it is one."""


Escapes = Callable[[str, int], EscapeRead]


def read_set(pattern: str, place: int, escapes: Escapes) -> int:
    """Read the set that begins at ``place``; return the place after it.

    Raises:
        SyntaxFaultError: it is none.
    """
    return _Reader(pattern, place, escapes).read()


class _Reader:
    def __init__(self, pattern: str, place: int, escapes: Escapes) -> None:
        self._pattern = pattern
        self._place = place
        self._escapes = escapes

    def read(self) -> int:
        """Read to the bracket that closes the outermost set."""
        self._open()
        depth = 1
        while depth:
            posix = _POSIX.match(self._pattern, self._place)
            if posix:
                self._place = posix.end()
            elif self._now == "[":
                self._open()
                depth += 1
                if depth > _DEEPEST:
                    raise SyntaxFaultError("its sets are nested too deeply")
            elif self._now == "]":
                self._place += 1
                depth -= 1
            elif self._pattern[self._place : self._place + 2] in _OPERATORS:
                self._place += 2
            else:
                self._item()
        return self._place

    @property
    def _now(self) -> str:
        character = self._pattern[self._place : self._place + 1]
        if not character:
            raise SyntaxFaultError("a set [ is not closed")
        return character

    def _open(self) -> None:
        """Read what a set begins with: its hyphens, or else a bracket, are characters."""
        self._place += 1
        self._place += self._now == "^"
        start = self._place
        while self._now == "-":
            self._place += 1
        if self._place == start and self._now == "]":
            self._place += 1

    def _item(self) -> None:
        start = self._place
        first = self._character()
        if self._now != "-" or self._pattern[self._place + 1 : self._place + 2] in ("]", "-"):
            return
        self._place += 1
        self._now  # noqa: B018
        last = self._character()
        shown = self._pattern[start : self._place]
        if first is None or last is None:
            raise SyntaxFaultError(f"in [{shown}] a range is from one character to another")
        if first > last:
            raise SyntaxFaultError(f"in [{shown}] the first character must not come after the last")

    def _character(self) -> int | None:
        character = self._now
        if character != "\\":
            self._place += 1
            return ord(character)
        if self._pattern[self._place + 1 : self._place + 2] in ("A", "z"):
            raise SyntaxFaultError(f"\\{self._pattern[self._place + 1]} cannot be in a set")
        found = self._escapes(self._pattern, self._place)
        self._place += found.length
        return found.code
