"""Reads JSON as far as it can be read, and tells what is wrong with it and where.

The quick parser (``json_text``) stops at the first fault and does not say which key of
which object it was in. This one goes on after whatever leaves no doubt about what was
meant, and keeps the place of every value.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from vllmctl.catalog.json_path import path_text
from vllmctl.record import Record
from vllmctl.rules.finding import Edit, Level

Path = tuple[int | str, ...]

DEEPEST = 970
"""Levels that the server's own parser takes (vLLM 0.32.0, measured)."""

_SPACE = re.compile(r"[ \t\n\r]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|#[^\n]*", re.DOTALL)
_WORD = re.compile(r"[^\s,:\[\]{}\"]+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_CONTROL = re.compile(r"[\x00-\x1f]")
_HALF = re.compile(r"[\ud800-\udfff]")
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_NO_NUMBER = ("NaN", "Infinity", "-Infinity")
"""No JSON, but Python's parser, and so the server's, takes these; ``_WRITTEN`` it does not."""
_WRITTEN = ("nan", "inf", "-inf")
_CLOSERS = {"{": "}", "[": "]"}
_NOUNS = {"{": "object", "[": "list"}
_STRINGS = json.JSONDecoder(strict=False)


class JsonFault(NamedTuple):
    """What is wrong with a text, at ``offset``, in the value at ``path``.

    ``fix`` is as in a finding; an empty one means that writing the value anew mends it.
    """

    code: str
    offset: int
    message: str
    path: Path = ()
    fix: tuple[Edit, ...] | None = None
    level: Level = Level.ERROR


class Reading(NamedTuple):
    """What was read: ``value`` as far as it goes, all of it if ``complete``.

    ``places`` has the offset of each member (of its key, in an object); ``spread`` are the
    objects and lists that stand on several lines; ``depth`` is the number of levels.
    """

    value: Any
    complete: bool
    faults: list[JsonFault]
    places: Mapping[Path, int]
    spread: frozenset[Path] = frozenset()
    depth: int = 0


def read(text: str) -> Reading:
    """Read one JSON value; never raises."""
    reader = _Reader(text)
    try:
        reader.document()
    except _StopError as stop:
        reader.faults.append(stop.fault)
        return Reading(reader.value, False, reader.faults, reader.places)
    spread = frozenset(reader.spread)
    return Reading(reader.value, True, reader.faults, reader.places, spread, reader.depth)


class _StopError(Exception):
    """There is no telling what was meant from here on."""

    def __init__(self, fault: JsonFault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _Open(Record):
    """An object or a list whose end has not come yet."""

    items: dict[str, Any] | list[Any]
    path: Path
    opener: str
    start: int

    @property
    def noun(self) -> str:
        return _NOUNS[self.opener]


class _Reader:
    """Without recursion: a text may nest deeper than Python does."""

    def __init__(self, text: str) -> None:
        self.value: Any = None
        self.faults: list[JsonFault] = []
        self.places: dict[Path, int] = {}
        self.spread: set[Path] = set()
        self.depth = 0
        self._text = text
        self._at = 0
        self._open: list[_Open] = []

    def document(self) -> None:
        if not self._peek():
            raise self._stop("empty", "there is nothing to read")
        self.value = self._value(())
        while self._open:
            self._member(self._open[-1])
        if self._peek():
            raise self._stop("extra", "there is more after the end of the value")

    def _member(self, parent: _Open) -> None:
        """Read one member of the innermost object or list, or its end."""
        if parent.items and self._peek() != _CLOSERS[parent.opener]:
            comma = self._comma(parent)
            if self._peek() == _CLOSERS[parent.opener]:
                message = f"a comma stands before the end of the {parent.noun}"
                self._fault("trailing_comma", message, parent.path, comma, fix=())
        if self._peek() == _CLOSERS[parent.opener]:
            self._at += 1
            self._open.pop()
            if "\n" in self._text[parent.start : self._at]:
                self.spread.add(parent.path)
        elif isinstance(parent.items, dict):
            self._pair(parent.items, parent)
        else:
            path = (*parent.path, len(parent.items))
            self.places[path] = self._at
            parent.items.append(self._value(path))

    def _pair(self, items: dict[str, Any], parent: _Open) -> None:
        start = self._at
        key = self._key(parent)
        path = (*parent.path, key)
        if self._peek() != ":":
            raise self._unexpected(f"a colon after the key {json.dumps(key)}", parent)
        self._at += 1
        self._peek()
        self.places[path] = start
        before = items.get(key)
        is_new = key not in items
        items[key] = self._value(path)
        if not is_new:
            self._duplicate(key, path, start, before)

    def _duplicate(self, key: str, path: Path, start: int, before: Any) -> None:
        first = json.dumps(before, default=str)
        first = first if len(first) <= 40 else "the first value"
        message = f"{json.dumps(key)} is there twice: the last one counts, {first} is lost"
        self._fault("duplicate_key", message, path, start, fix=(), level=Level.WARNING)

    def _comma(self, parent: _Open) -> int:
        if self._peek() != ",":
            expected = f"a comma or {_CLOSERS[parent.opener]}"
            raise self._unexpected(expected, parent)
        self._at += 1
        return self._at - 1

    def _key(self, parent: _Open) -> str:
        if self._peek() != '"':
            raise self._unexpected("a key in double quotes", parent)
        return self._string((*parent.path, "?"), is_key=True)

    def _value(self, path: Path) -> Any:
        character = self._peek()
        if character == '"':
            return self._string(path)
        if character in _CLOSERS:
            return self._container(character, path)
        match = _WORD.match(self._text, self._at)
        if match is None:
            raise self._unexpected("a value", self._open[-1] if self._open else None)
        value = self._scalar(match[0], path)
        self._at = match.end()
        return value

    def _container(self, opener: str, path: Path) -> Any:
        if len(self._open) > DEEPEST:
            raise self._stop("too_deep", f"this nests deeper than {DEEPEST} levels")
        items: dict[str, Any] | list[Any] = {} if opener == "{" else []
        self._open.append(_Open(items, path, opener, self._at))
        self.depth = max(self.depth, len(self._open))
        self._at += 1
        return items

    def _scalar(self, word: str, path: Path) -> Any:
        if word in _WORDS:
            return _WORDS[word]
        number = _NUMBER.fullmatch(word)
        if number is not None:
            return self._number(word, is_whole=number[1] is None and number[2] is None)
        if word in (*_NO_NUMBER, *_WRITTEN):
            self._no_number(word, path)
            return float(word.lower())
        if word in _PYTHON:
            right = _PYTHON[word]
            self._fault("foreign_word", f"{word} is written {right} in JSON", path, fix=())
            return _WORDS[right]
        raise self._unexpected("a value", self._open[-1] if self._open else None)

    def _no_number(self, word: str, path: Path) -> None:
        """Whether the field takes such a value is told by its own rule."""
        fix = (Edit("remove", path_text(path)),) if path else None
        level = Level.WARNING if word in _NO_NUMBER else Level.ERROR
        taken = ", though vLLM reads it" if level is Level.WARNING else ""
        message = f"{word} is not JSON{taken}: no number can be sent for it"
        self._fault("not_a_number", message, path, fix=fix, level=level)

    def _number(self, word: str, *, is_whole: bool) -> int | float:
        try:
            return int(word) if is_whole else float(word)
        except ValueError:
            message = f"a number of {len(word)} digits: the server refuses to read it"
            raise self._stop("too_long", message) from None

    def _string(self, path: Path, *, is_key: bool = False) -> str:
        start = self._at
        try:
            text, self._at = _STRINGS.raw_decode(self._text, start)
        except json.JSONDecodeError as fault:
            raise self._broken_string(fault) from None
        raw = self._text[start : self._at]
        control = _CONTROL.search(raw)
        if control:
            escaped = json.dumps(control[0])[1:-1]
            message = f"a control character inside a text: it is written {escaped}"
            self._fault("control_character", message, path, start + control.start(), fix=())
        half = _HALF.search(text)
        if half:
            self._half_pair(text, half.start(), path, start, is_key=is_key)
        assert isinstance(text, str)
        return text

    def _half_pair(self, text: str, place: int, path: Path, start: int, *, is_key: bool) -> None:
        """Whether the server stumbles over it is told by a rule: nobody may read the text."""
        message = (
            f"character {place + 1} of this text is \\u{ord(text[place]):04x}, half of a pair "
            "that makes no character alone"
        )
        mended = Edit("set", path_text(path), _HALF.sub("\ufffd", text))
        fix = None if is_key else (mended,)
        self._fault("half_pair", message, path, start, fix=fix, level=Level.WARNING)

    def _broken_string(self, fault: json.JSONDecodeError) -> _StopError:
        if fault.msg.startswith("Unterminated"):
            self._at = len(self._text)
            return self._cut("the text in quotes", fault.pos)
        self._at = fault.pos
        escape = self._text[fault.pos : fault.pos + 2]
        return self._stop("syntax", f"{escape} is no escape: a backslash is written \\\\")

    def _peek(self) -> str:
        """Go to the next character that counts and return it, empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            comment = _COMMENT.match(self._text, self._at)
            if comment is None:
                return self._text[self._at : self._at + 1]
            path = self._open[-1].path if self._open else ()
            self._fault("comment", "JSON has no comments", path, fix=())
            self._at = comment.end()

    def _unexpected(self, expected: str, parent: _Open | None) -> _StopError:
        found = self._peek()
        if not found and parent:
            return self._cut(f"the {parent.noun}", parent.start)
        word = _WORD.match(self._text, self._at)
        shown = word[0][:20] if word else found
        hint = self._hint(expected, found, is_word=word is not None)
        path = parent.path if parent else ()
        return self._stop("syntax", f"expected {expected}, found {shown}{hint}", path)

    def _hint(self, expected: str, found: str, *, is_word: bool) -> str:
        if found == "'":
            return ": JSON has double quotes only"
        if '"' not in self._text and found.isalpha() and "{" in self._text:
            return ": has a shell taken the quotes away"
        if expected.startswith("a comma") and is_word and self._text[self._at - 1] == '"':
            return ': a quote inside a text is written \\"'
        if expected.startswith("a comma") and found == '"':
            return ": a comma may be missing before it"
        return ""

    def _cut(self, what: str, start: int) -> _StopError:
        line = self._text.count("\n", 0, start) + 1
        column = start - self._text.rfind("\n", 0, start)
        place = f"line {line}, column {column}" if "\n" in self._text else f"column {column}"
        self._at = len(self._text.rstrip())
        return self._stop("cut", f"the input ends inside {what} that began at {place}")

    def _stop(self, code: str, message: str, path: Path = ()) -> _StopError:
        return _StopError(JsonFault(f"json.{code}", self._at, message, path))

    def _fault(
        self,
        code: str,
        message: str,
        path: Path,
        offset: int | None = None,
        *,
        fix: tuple[Edit, ...] | None,
        level: Level = Level.ERROR,
    ) -> None:
        offset = self._at if offset is None else offset
        self.faults.append(JsonFault(f"json.{code}", offset, message, path, fix, level))
