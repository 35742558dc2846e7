"""Where each key and table of a TOML text stands, which ``tomllib`` does not tell.

The scanner follows the grammar and does not judge: the text must be one that
``tomllib`` accepts, with ``\\n`` as its only line end.
"""

import re
import tomllib
from bisect import bisect_right
from functools import cached_property

from vllmctl.record import Record

KeyPath = tuple[str | int, ...]
"""The keys that lead to a value; an index where an array is entered."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^"\\]+|\\.|"(?!""))*"""(?:"{0,2})'
    r"|'''(?:[^']+|'(?!''))*'''(?:'{0,2})"
    r'|"(?:[^"\\\n]+|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]+")


class TableHeader(Record, frozen=True):
    """A ``[table]`` or ``[[table]]`` line.

    ``keys`` is its name, ``start`` the offset of its line, ``line`` its number from 1.
    Between the offset ``gap`` and ``start`` are only comments and blank lines.
    """

    keys: tuple[str, ...]
    gap: int
    start: int
    line: int


class TomlLines:
    """The lines of a TOML text's keys, and its table headers in order."""

    def __init__(self, text: str) -> None:
        self._text = text

    def line(self, *path: str | int) -> int:
        """Return the line (from 1) where ``path`` is first set, or that of its nearest parent.

        An empty or unknown path is line 1.
        """
        lines = self._scanned.lines
        while path and path not in lines:
            path = path[:-1]
        return lines.get(path, 1)

    @property
    def headers(self) -> list[TableHeader]:
        """Return the table headers, from the first to the last."""
        return self._scanned.headers

    @property
    def end(self) -> int:
        """Return the offset behind the last statement's line; the rest is comments and blanks."""
        return self._scanned.end

    @cached_property
    def _scanned(self) -> "_Scanner":
        return _Scanner(self._text)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.headers: list[TableHeader] = []
        self._text = text
        self._at = 0
        self._gap = 0
        self._newlines = [match.start() for match in re.finditer("\n", text)]
        self._last_index: dict[KeyPath, int] = {}
        self._scan_document()

    def _scan_document(self) -> None:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._next() == "[":
                table = self._scan_header()
            else:
                self._scan_pair(table)
                self._end_statement()
            self._skip(_BLANK)

    @property
    def end(self) -> int:
        """Where the line of the last statement ends."""
        return self._gap

    def _scan_header(self) -> KeyPath:
        start = self._text.rfind("\n", 0, self._at) + 1
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        line = self._line()
        self._at += brackets
        keys = self._scan_keys()
        self._at += brackets
        self.headers.append(TableHeader(keys, self._gap, start, line))
        self._end_statement()
        parent = self._enter((), keys[:-1], line)
        table = (*parent, keys[-1])
        if brackets == 2:
            self._last_index[table] = self._last_index.get(table, -1) + 1
        return self._enter(parent, keys[-1:], line)

    def _scan_pair(self, table: KeyPath) -> None:
        line = self._line()
        path = self._enter(table, self._scan_keys(), line)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._scan_value(path)

    def _end_statement(self) -> None:
        newline = self._text.find("\n", self._at)
        self._gap = len(self._text) if newline < 0 else newline + 1

    def _enter(self, path: KeyPath, keys: tuple[str, ...], line: int) -> KeyPath:
        """Descend from ``path`` by ``keys``, into the newest element where one names an array."""
        for key in keys:
            path = (*path, key)
            self.lines.setdefault(path, line)
            if path in self._last_index:
                path = (*path, self._last_index[path])
                self.lines.setdefault(path, line)
        return path

    def _scan_keys(self) -> tuple[str, ...]:
        keys = []
        while True:
            self._skip(_SPACE)
            keys.append(self._scan_key())
            self._skip(_SPACE)
            if self._next() != ".":
                return tuple(keys)
            self._at += 1

    def _scan_key(self) -> str:
        if self._next() in "\"'":
            key: str = tomllib.loads(f"key = {self._take(_STRING)}")["key"]
            return key
        return self._take(_BARE_KEY)

    def _scan_value(self, path: KeyPath) -> None:
        match self._next():
            case "[":
                self._scan_array(path)
            case "{":
                self._scan_inline_table(path)
            case '"' | "'":
                self._take(_STRING)
            case _:
                self._take(_SCALAR)

    def _scan_array(self, path: KeyPath) -> None:
        index = 0
        self._at += 1
        while self._next_item("]"):
            element = (*path, index)
            self.lines.setdefault(element, self._line())
            self._scan_value(element)
            index += 1

    def _scan_inline_table(self, path: KeyPath) -> None:
        self._at += 1
        while self._next_item("}"):
            self._scan_pair(path)

    def _next_item(self, closing: str) -> bool:
        """Go to the next item of a bracketed list, or behind ``closing`` when there is none."""
        self._skip(_BLANK)
        if self._next() == ",":
            self._at += 1
            self._skip(_BLANK)
        if self._next() != closing:
            return True
        self._at += 1
        return False

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise ValueError("not the TOML that was parsed: it ends too early")
        return self._text[self._at]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        self._take(pattern)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise ValueError(f"not the TOML that was parsed, at line {self._line()}")
        self._at = match.end()
        return match.group()

    def _line(self) -> int:
        return bisect_right(self._newlines, self._at - 1) + 1
