"""Regular expressions as xgrammar reads them: it turns them into a grammar, sign by sign."""

import re

from vllmctl.rules.syntax.ebnf import ebnf_refusal
from vllmctl.rules.syntax.fault import SyntaxFaultError

_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]+|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_BRACED = re.compile(r"\\u\{[0-9A-Fa-f]{1,6}\}")
_COUNT = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_NAMED = re.compile(r"<[A-Za-z]*>")
_LENGTHS = {"u": 5, "x": 4, "c": 3}
_SETS = {
    "d": "0-9",
    "D": r"\x00-\x2F\x3A-\U0010FFFF",
    "w": "a-zA-Z0-9_",
    "W": r"\x00-\x2F\x3A-\x40\x5B-\x5E\x60\x7B-\U0010FFFF",
    "s": r"\f\n\r\t\v\u0020\u00a0",
    "S": r"\x00-\x08\x0E-\x1F\x21-\x9F\xA1-\U0010FFFF",
}
_NOT_SUPPORTED = {
    **dict.fromkeys("123456789k", "back-references (\\{}) are not supported"),
    **dict.fromkeys("bB", "word boundaries (\\{}) are not supported"),
    **dict.fromkeys("pP", "Unicode properties (\\{}) are not supported"),
}
_CODES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "0": 0, "e": 27}
_ITSELF = "^$.*+?\\()[]{}|/'\""
_WRITTEN = {34: '\\"', 92: "\\\\", 93: "]", 45: "-"}


def xgrammar_regex_refusal(pattern: str) -> str:
    """Return why xgrammar refuses a pattern, or nothing."""
    try:
        grammar = _Converter(pattern).grammar()
    except SyntaxFaultError as fault:
        return str(fault)
    return ebnf_refusal(f"root ::= {grammar}\n").removeprefix("line 1: ")


class _Converter:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0
        self._written: list[str] = []
        self._open = 0

    def grammar(self) -> str:
        """Return the body of the grammar's rule.

        Raises:
            SyntaxFaultError: xgrammar does not know something in the pattern.
        """
        while self._now:
            self._step(self._now)
        if self._open:
            raise SyntaxFaultError("a group ( is not closed")
        self._fill_option("|")
        return " ".join(self._written) or '""'

    @property
    def _now(self) -> str:
        return self._pattern[self._place : self._place + 1]

    def _add(self, segment: str, length: int = 0) -> None:
        self._written.append(segment)
        self._place += length

    def _fill_option(self, after: str) -> None:
        """Write an alternative of nothing, where nothing has been written."""
        if self._written and self._written[-1][-1] in after:
            self._add('""')

    def _step(self, character: str) -> None:
        if character in "^$":
            self._place += 1
        elif character == "[":
            self._class()
        elif character in "()":
            self._group(character)
        elif character in "*+?{":
            self._repeat(character)
        elif character == "|":
            self._fill_option("|(")
            self._add("|" if self._written else '"" |', 1)
        elif character == "\\":
            self._escape()
        elif character == ".":
            self._add(r"[\u0000-\U0010FFFF]", 1)
        else:
            self._add(f'"{_written(ord(character))}"', 1)

    def _class(self) -> None:
        written = []
        self._place += 1
        if self._now == "]":
            raise SyntaxFaultError("a set [] is empty")
        while self._now != "]":
            if not self._now:
                raise SyntaxFaultError("a set [ is not closed")
            written.append(self._escape_in_set() if self._now == "\\" else self._take(1))
        self._add(f"[{''.join(written)}]", 1)

    def _take(self, length: int) -> str:
        self._place += length
        return self._pattern[self._place - length : self._place]

    def _group(self, character: str) -> None:
        if character == ")":
            if not self._open:
                raise SyntaxFaultError("a ) has no group to close")
            self._fill_option("|")
            self._open -= 1
            self._add(")", 1)
            return
        self._open += 1
        self._add("(", 1)
        if self._now != "?":
            return
        named = _NAMED.match(self._pattern, self._place + 1)
        if self._pattern.startswith(":", self._place + 1):
            self._place += 2
        elif named:
            self._place = named.end()
        else:
            start = self._pattern[self._place - 1 : self._place + 3]
            raise SyntaxFaultError(f"groups that start with {start} are not supported")

    def _repeat(self, character: str) -> None:
        found = _COUNT.match(self._pattern, self._place)
        if character == "{" and not found:
            raise SyntaxFaultError("a count is {2}, {2,} or {2,3}")
        self._add(self._take(len(found[0]) if found else 1))
        self._place += self._now == "?"
        if self._now and self._now in "*+?{":
            raise SyntaxFaultError(f"{self._now} repeats what is repeated already")

    def _escape(self) -> None:
        letter = self._pattern[self._place + 1 : self._place + 2]
        if letter in _NOT_SUPPORTED:
            raise SyntaxFaultError(_NOT_SUPPORTED[letter].format(letter))
        if letter in _SETS and letter:
            self._add(f"[{_SETS[letter]}]", 2)
        else:
            self._add(f'"{self._character()}"')

    def _escape_in_set(self) -> str:
        letter = self._pattern[self._place + 1 : self._place + 2]
        if letter in _SETS:
            self._place += 2
            return _SETS[letter]
        character = self._character()
        return f"\\{character}" if character in ("]", "-") else character

    def _character(self) -> str:
        """Read an escape; what it knows not stands for itself."""
        rest = self._pattern[self._place : self._place + 12]
        if len(rest) < _LENGTHS.get(rest[1:2], 2):
            raise SyntaxFaultError("an escape is not finished")
        letter = rest[1]
        if found := _ESCAPE.match(self._pattern, self._place):
            return _written(int(self._take(len(found[0]))[2:], 16))
        if letter == "u" and rest[2] == "{":
            braced = _BRACED.match(rest)
            if not braced:
                raise SyntaxFaultError("\\u{…} wants the number of a character")
            return _written(int(self._take(len(braced[0]))[3:-1], 16))
        if letter == "c":
            if not (rest[2].isascii() and rest[2].isalpha()):
                raise SyntaxFaultError("\\c wants a letter")
            return _written(ord(self._take(3)[2]) % 32)
        self._place += 2
        return _written(_CODES.get(letter, ord(letter)))


def _written(code: int) -> str:
    """A character as it stands in texts of the grammar."""
    if code in _WRITTEN:
        return _WRITTEN[code]
    return chr(code) if 32 <= code < 127 else f"\\U{code & 0xFFFFFFFF:08x}"
