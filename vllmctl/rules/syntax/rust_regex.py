"""Regular expressions as llguidance reads them, with Rust's ``regex-syntax``."""

import re
from typing import NamedTuple

from vllmctl.counts import count_in
from vllmctl.rules.syntax.anchors import Tree
from vllmctl.rules.syntax.fault import SyntaxFaultError
from vllmctl.rules.syntax.rust_set import read_set
from vllmctl.rules.syntax.unicode_names import is_unicode_class

_GROUP_STARTS = {
    "?=": "look-ahead (?=…) is not supported",
    "?!": "look-ahead (?!…) is not supported",
    "?<=": "look-behind (?<=…) is not supported",
    "?<!": "look-behind (?<!…) is not supported",
}
_FLAGS = re.compile(r"\?([imsRUux-]*)([:)])")
_NAMED = re.compile(r"\?P?<([^\W\d][\w.\[\]]*)>")
_TIMES = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_QUANTIFIER = re.compile(r"\{ *(\d++) *+(, *+(\d*+) *+)?\}")
_HEX = re.compile(r"x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[xuU]\{[0-9A-Fa-f]+\}")
_PROPERTY = re.compile(r"[pP](?:\{([^}]*)\}|([^\\{]))", re.DOTALL)
_LAST = 0x10FFFF
_DEEPEST = 250
_NAMES = frozenset("afnrtvdDsSwW")
_CODES = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7}


def rust_regex_refusal(pattern: str) -> str:
    """Return why llguidance refuses a pattern, or nothing."""
    try:
        _Reader(pattern).read()
    except SyntaxFaultError as fault:
        return str(fault)
    return ""


class Escape(NamedTuple):
    """What an escape is: how long it is, and the character that it stands for, if it is one."""

    length: int
    code: int | None


def read_escape(pattern: str, place: int) -> Escape:
    """Read the escape whose backslash is at ``place``.

    Raises:
        SyntaxFaultError: it is none.
    """
    letter = pattern[place + 1 : place + 2]
    if not letter:
        return Escape(1, None)
    if letter in "xuU":
        return _read_code(pattern, place, letter)
    if letter in "pP":
        found = _PROPERTY.match(pattern, place + 1)
        if not found or not is_unicode_class(found[1] or found[2] or ""):
            raise SyntaxFaultError("\\p wants the name of a Unicode property: \\p{L}")
        return Escape(1 + len(found[0]), None)
    if letter in "0123456789":
        raise SyntaxFaultError(f"back-references (\\{letter}) are not supported")
    if letter == "k":
        raise SyntaxFaultError("back-references (\\k) are not supported")
    if letter in "bB<>":
        raise SyntaxFaultError(f"word boundaries (\\{letter}) are not supported")
    if letter in _NAMES:
        return Escape(2, _CODES.get(letter))
    if letter.isalnum() or not letter.isascii():
        raise SyntaxFaultError(f"\\{letter} is no escape")
    return Escape(2, ord(letter))


def _read_code(pattern: str, place: int, letter: str) -> Escape:
    found = _HEX.match(pattern, place + 1)
    digits = found[0][1:].strip("{}").lstrip("0") or "0" if found else ""
    code = int(digits, 16) if digits and len(digits) < 9 else _LAST + 1
    if not found or code > _LAST or 0xD800 <= code < 0xE000:
        raise SyntaxFaultError(f"\\{letter} wants the number of a character")
    return Escape(1 + len(found[0]), code)


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0
        self._tree = Tree()
        self._by_line = [False]  # of each open group: whether ^ and $ are the ends of lines
        self._names: set[str] = set()
        self._repeatable = False

    def read(self) -> None:
        """Read all of it."""
        while self._place < len(self._pattern):
            self._step(self._pattern[self._place])
        if len(self._by_line) > 1:
            raise SyntaxFaultError("a group ( is not closed")
        if misplaced := self._tree.misplaced():
            raise SyntaxFaultError(f"{misplaced} stands within the pattern")

    def _step(self, character: str) -> None:
        if character == "\\":
            self._escape()
        elif character == "[":
            self._atom(read_set(self._pattern, self._place, read_escape) - self._place)
        elif character == "(":
            self._group()
        elif character == ")":
            self._close()
        elif character in "*+?{":
            self._repeat(character)
        elif character == "|":
            self._tree.option()
            self._start(1)
        elif character in "^$":
            if self._by_line[-1]:
                raise SyntaxFaultError(f"{character} with the flag m is not supported")
            self._atom(1, "look")
        else:
            self._atom(1)

    def _atom(self, count: int, kind: str = "atom") -> None:
        self._tree.add(kind, self._pattern[self._place : self._place + count])
        self._place += count
        self._repeatable = True

    def _start(self, count: int) -> None:
        """Go on to where nothing is that could be repeated."""
        self._place += count
        self._repeatable = False

    def _escape(self) -> None:
        following = self._pattern[self._place + 1 : self._place + 2]
        if not following:
            self._place += 1  # llguidance leaves out a backslash at the end
        elif following in ("A", "z"):
            self._atom(2, "look")
        else:
            self._atom(read_escape(self._pattern, self._place).length)

    def _group(self) -> None:
        start = self._place + 1
        named = _NAMED.match(self._pattern, start)
        if self._pattern.startswith("?", start) and not named:
            self._flags(start)
            return
        if named and named[1] in self._names:
            raise SyntaxFaultError(f"two groups are named {named[1]}")
        self._names |= {named[1]} if named else set()
        self._open(captures=True, by_line=self._by_line[-1])
        self._start(1 + len(named[0]) if named else 1)

    def _open(self, *, captures: bool, by_line: bool) -> None:
        if len(self._by_line) > _DEEPEST:
            raise SyntaxFaultError("its groups are nested too deeply")
        self._tree.open(captures=captures)
        self._by_line.append(by_line)

    def _flags(self, place: int) -> None:
        for start, reason in _GROUP_STARTS.items():
            if self._pattern.startswith(start, place):
                raise SyntaxFaultError(reason)
        found = _FLAGS.match(self._pattern, place)
        flags = found[1] if found else ""
        if found is None or len(set(flags)) < len(flags) or flags.endswith("-"):
            raise SyntaxFaultError(f"no group starts with ({self._pattern[place : place + 3]}")
        on, _, off = flags.partition("-")
        if "u" in off:
            raise SyntaxFaultError("without Unicode a pattern can match invalid UTF-8")
        by_line = "m" in on or (self._by_line[-1] and "m" not in off)
        if found[2] == ":":
            self._open(captures=False, by_line=by_line)
        elif flags:
            self._by_line[-1] = by_line
        else:
            raise SyntaxFaultError("no group starts with (?)")
        self._start(1 + len(found[0]))

    def _close(self) -> None:
        if len(self._by_line) == 1:
            raise SyntaxFaultError("a ) has no group to close")
        self._by_line.pop()
        self._tree.close()
        self._place += 1
        self._repeatable = True

    def _repeat(self, character: str) -> None:
        if not self._repeatable:
            raise SyntaxFaultError(f"there is nothing before {character} to repeat")
        if character == "{":
            self._count()
        else:
            self._tree.repeat(*_TIMES[character])
            self._place += 1
        self._place += self._pattern.startswith("?", self._place)  # as few as possible

    def _count(self) -> None:
        found = _QUANTIFIER.match(self._pattern, self._place)
        if not found:
            raise SyntaxFaultError(
                "{ starts a count such as {2} or {1,3}; write \\{ for the character"
            )
        least = count_in(found[1]) or 0
        most = (count_in(found[3]) or 0) if found[3] else None if found[2] else least
        if most is not None and least > most:
            raise SyntaxFaultError(f"in {found[0]} the first number must not be the larger")
        self._tree.repeat(least, most)
        self._place = found.end()
