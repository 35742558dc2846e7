"""Splits the first command of a shell's text into its words, as bash reads them."""

from collections.abc import Callable
from itertools import takewhile
from string import hexdigits
from typing import NamedTuple

from vllmctl.errors import UsageError

_ENDS = "|;&\n"
_BLANK = " \t\r"
_CONTINUATIONS = ("\\\n", "\\\r\n", "^\n", "^\r\n", "`\n", "`\r\n")
"""How the lines of one command are joined: in bash, cmd and PowerShell."""

_IN_QUOTES = '"\\$`'
"""What a backslash protects between double quotes."""

_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


class Command(NamedTuple):
    """The words of a command, and what is written below it for its standard input."""

    words: list[str]
    below: str | None


def first_command(text: str) -> Command:
    """Return the first command in ``text``; variables stay as they are.

    Raises ``UsageError`` for a quotation without an end.
    """
    return _Reader(text).command()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._mark: str | None = None
        self._given: str | None = None

    def command(self) -> Command:
        words: list[str] = []
        while self._skip():
            if self._redirected():
                continue
            word = self._word()
            if not (word.isdigit() and self._text[self._at : self._at + 1] in ("<", ">")):
                words.append(word)
        return Command(words, self._given if self._mark is None else self._below(self._mark))

    def _skip(self) -> bool:
        """Go to the next word; false at the end of the command."""
        while self._at < len(self._text):
            joined = self._joined()
            if joined:
                self._at += joined
            elif self._text[self._at] in _BLANK:
                self._at += 1
            else:
                return self._text[self._at] not in _ENDS
        return False

    def _joined(self) -> int:
        """The length of the sign here that lets the command go on in the next line."""
        signs = (sign for sign in _CONTINUATIONS if self._text.startswith(sign, self._at))
        return len(next(signs, ""))

    def _redirected(self) -> bool:
        """Take ``>FILE``, ``<<<TEXT``, and ``<<WORD``, which the lines below are taken for."""
        start = self._at
        while self._text[self._at : self._at + 1] in ("<", ">"):
            self._at += 1
        sign = self._text[start : self._at]
        self._at += sign == ">" and self._text.startswith("&", self._at)
        if sign == "<<":
            self._at += self._text.startswith("-", self._at)
        word = self._word() if sign and self._skip() else ""
        if sign == "<<":
            self._mark = word
        elif sign == "<<<":
            self._given = word
        return bool(sign)

    def _below(self, mark: str) -> str:
        """The lines after this one, up to the one that is ``mark``."""
        lines = self._text[self._at :].partition("\n")[2].split("\n")
        ends = (place for place, line in enumerate(lines) if line.strip() == mark)
        return "\n".join(lines[: next(ends, len(lines))])

    def _word(self) -> str:
        found = ""
        while self._at < len(self._text) and self._text[self._at] not in _BLANK + _ENDS + "<>":
            if self._joined():
                break
            found += self._piece()
        return found

    def _piece(self) -> str:
        """One character, or what stands in one pair of quotes."""
        sign = self._text[self._at]
        if sign == "'":
            return self._single(self._at + 1)
        if sign == '"':
            return self._quoted(self._at + 1, '"', _in_double)
        if self._text.startswith("$'", self._at):
            return self._quoted(self._at + 2, "'", _in_ansi)
        self._at += 2 if sign == "\\" else 1
        return self._text[self._at - 1 : self._at]

    def _single(self, start: int) -> str:
        end = self._text.find("'", start)
        if end < 0:
            raise _open_quotes()
        self._at = end + 1
        return self._text[start:end]

    def _quoted(self, start: int, end: str, read: Callable[[str, int], tuple[str, int]]) -> str:
        pieces: list[str] = []
        at = start
        while at < len(self._text) and self._text[at] != end:
            piece, length = read(self._text, at) if self._text[at] == "\\" else (self._text[at], 1)
            pieces.append(piece)
            at += length
        if at >= len(self._text):
            raise _open_quotes()
        self._at = at + 1
        return "".join(pieces)


def _in_double(text: str, at: int) -> tuple[str, int]:
    following = text[at + 1 : at + 2]
    if following == "\n":
        return "", 2
    return (following, 2) if following and following in _IN_QUOTES else ("\\", 1)


def _in_ansi(text: str, at: int) -> tuple[str, int]:
    following = text[at + 1 : at + 2]
    if following == "x":
        digits = "".join(takewhile(hexdigits.__contains__, text[at + 2 : at + 4]))
        return (_byte(digits), 2 + len(digits)) if digits else ("\\", 1)
    return _SIGNS.get(following, following if following in "\\'\"?" else f"\\{following}"), 2


def _byte(digits: str) -> str:
    return bytes([int(digits, 16)]).decode(errors="surrogateescape")


def _open_quotes() -> UsageError:
    return UsageError("the curl command cannot be read: a quotation has no end")
