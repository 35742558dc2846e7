"""Regular expressions as llguidance reads them, with Rust's ``regex-syntax``."""

import re
from typing import NamedTuple

from vllmctl.counts import count_in
from vllmctl.rules.syntax.anchors import Tree
from vllmctl.rules.syntax.fault import SyntaxFaultError
from vllmctl.rules.syntax.rust_depth import Depth
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
_ASCII = 0x7F
_BEYOND_ASCII = re.compile(r"\[:?\^|[^\x00-\x7F]")
_BYTES = re.compile(r"\\(?:[DSWpP]|x[89A-Fa-f])")
_INVALID = "without Unicode a pattern can match invalid UTF-8"
_BLANKS = "#\t\v\f\r \x85\u200e\u200f\u2028\u2029"
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


class _Flags(NamedTuple):
    """Whether ``^`` and ``$`` are the ends of lines, blanks say nothing, and bytes are matched."""

    by_line: bool = False
    spaced: bool = False
    of_bytes: bool = False

    def changed(self, letters: str) -> "_Flags":
        """Return the flags after ``letters`` such as ``im-x``."""
        on, _, off = letters.partition("-")
        return _Flags(
            "m" in on or (self.by_line and "m" not in off),
            "x" in on or (self.spaced and "x" not in off),
            "u" in off or (self.of_bytes and "u" not in on),
        )


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0
        self._tree = Tree()
        self._depth = Depth()
        self._flags = [_Flags()]  # of each open group
        self._names: set[str] = set()
        self._repeatable = False

    def read(self) -> None:
        """Read all of it."""
        while self._place < len(self._pattern):
            if not self._skip():
                self._step(self._pattern[self._place])
        if len(self._flags) > 1:
            raise SyntaxFaultError("a group ( is not closed")
        self._depth.end()
        if misplaced := self._tree.misplaced():
            raise SyntaxFaultError(f"{misplaced} stands within the pattern")

    def _step(self, character: str) -> None:
        if character == "\\":
            self._escape()
        elif character == "[":
            self._set()
        elif character == "(":
            self._group()
        elif character == ")":
            self._close()
        elif character in "*+?{":
            self._repeat(character)
        elif character == "|":
            self._tree.option()
            self._depth.option()
            self._start(1)
        elif character in "^$":
            if self._flags[-1].by_line:
                raise SyntaxFaultError(f"{character} with the flag m is not supported")
            self._atom(1, "look")
        elif character == "." and self._flags[-1].of_bytes:
            raise SyntaxFaultError(_INVALID)
        else:
            self._atom(1)

    def _skip(self) -> bool:
        """Skip what stands for nothing with the flag x: a blank, or a comment.

        A comment has no end: llguidance writes the breaks of lines as ``\\n``.
        """
        character = self._pattern[self._place]
        if not self._flags[-1].spaced or character not in _BLANKS:
            return False
        self._place = len(self._pattern) if character == "#" else self._place + 1
        return True

    def _set(self) -> None:
        end = read_set(self._pattern, self._place, self._escape_in_set)
        if self._flags[-1].of_bytes and _BEYOND_ASCII.search(self._pattern, self._place, end):
            raise SyntaxFaultError(_INVALID)
        self._atom(end - self._place, depth=1)

    def _escape_in_set(self, pattern: str, place: int) -> Escape:
        found = read_escape(pattern, place)
        is_beyond = found.code is not None and found.code > _ASCII
        if self._flags[-1].of_bytes and (is_beyond or pattern[place + 1] in "DSWpP"):
            raise SyntaxFaultError(_INVALID)
        return found

    def _atom(self, count: int, kind: str = "atom", depth: int = 0) -> None:
        self._depth.add(depth)
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
            if self._flags[-1].of_bytes and _BYTES.match(self._pattern, self._place):
                raise SyntaxFaultError(_INVALID)
            self._atom(read_escape(self._pattern, self._place).length)

    def _group(self) -> None:
        start = self._place + 1
        named = _NAMED.match(self._pattern, start)
        if self._pattern.startswith("?", start) and not named:
            self._flagged(start)
            return
        if named and named[1] in self._names:
            raise SyntaxFaultError(f"two groups are named {named[1]}")
        self._names |= {named[1]} if named else set()
        self._open(captures=True, flags=self._flags[-1])
        self._start(1 + len(named[0]) if named else 1)

    def _open(self, *, captures: bool, flags: "_Flags") -> None:
        self._tree.open(captures=captures)
        self._depth.open()
        self._flags.append(flags)

    def _flagged(self, place: int) -> None:
        for start, reason in _GROUP_STARTS.items():
            if self._pattern.startswith(start, place):
                raise SyntaxFaultError(reason)
        found = _FLAGS.match(self._pattern, place)
        flags = found[1] if found else ""
        if found is None or len(set(flags)) < len(flags) or flags.endswith("-"):
            raise SyntaxFaultError(f"no group starts with ({self._pattern[place : place + 3]}")
        if found[2] == ":":
            self._open(captures=False, flags=self._flags[-1].changed(flags))
        elif flags:
            self._flags[-1] = self._flags[-1].changed(flags)
            self._depth.add()
        else:
            raise SyntaxFaultError("no group starts with (?)")
        self._start(1 + len(found[0]))

    def _close(self) -> None:
        if len(self._flags) == 1:
            raise SyntaxFaultError("a ) has no group to close")
        self._flags.pop()
        self._tree.close()
        self._depth.close()
        self._place += 1
        self._repeatable = True

    def _repeat(self, character: str) -> None:
        if not self._repeatable:
            raise SyntaxFaultError(f"there is nothing before {character} to repeat")
        self._depth.repeat()
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
