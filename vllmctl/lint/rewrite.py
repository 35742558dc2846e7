"""Mended requests as text again, laid out as the text that they were read from."""

import json
import re
from functools import partial
from typing import Any

from vllmctl.lint.json_reader import Path, Reading, read
from vllmctl.lint.json_text import decode

_WIDTH = 88
_INDENT = re.compile(r"\n([ \t]+)\S")
_CLOSE = re.compile(r'"\s*:\S')
_TOO_LARGE = re.compile(r'("(?:[^"\\]|\\.)*")|Infinity')
_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")


def rewritten(value: Any, raw: bytes) -> str:
    """Return ``value`` as JSON in the style of ``raw``, from which it was read.

    Keys keep their order. Indentation, line ends and spaces stay; an object or list that
    stood on one line does again. What was escaped in an ASCII text stays escaped.
    """
    source = decode(raw)[0] or ""
    text = _Layout(source).text(value)
    if "\r\n" in source:
        text = text.replace("\n", "\r\n")
    end = source[len(source.rstrip()) :]
    return text + end.replace("\ufeff", "")


class _Layout:
    def __init__(self, source: str) -> None:
        self._reading: Reading = read(source)
        self._indent = _found(_INDENT, source, "  ")
        colon, comma = (":", ",") if _CLOSE.search(source) else (": ", ", ")
        self._colon = colon
        self._separators = (comma, colon)
        self._ascii = source.isascii() and bool(_ESCAPE.search(source))

    def text(self, value: Any) -> str:
        return self._text(value, (), "")

    def _text(self, value: Any, path: Path, indent: str) -> str:
        if not value or not isinstance(value, dict | list) or not self._spreads(value, path):
            return self._line(value)
        inner = indent + self._indent
        if isinstance(value, dict):
            opener, closer = "{", "}"
            members = [
                f"{self._line(key)}{self._colon}{self._text(part, (*path, key), inner)}"
                for key, part in value.items()
            ]
        else:
            opener, closer = "[", "]"
            members = [self._text(part, (*path, n), inner) for n, part in enumerate(value)]
        rows = f",\n{inner}".join(members)
        return f"{opener}\n{inner}{rows}\n{indent}{closer}"

    def _spreads(self, value: Any, path: Path) -> bool:
        """Whether an object or list goes over several lines, as it did, or for its length."""
        if not path or path in self._reading.places:
            return path in self._reading.spread
        return bool(self._reading.spread) and len(self._line(value)) > _WIDTH

    def _line(self, value: Any) -> str:
        text = self._dumped(value)
        try:
            text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair can be written as an escape only
            return json.dumps(value, separators=self._separators)
        return text

    def _dumped(self, value: Any) -> str:
        dumps = partial(json.dumps, separators=self._separators, ensure_ascii=self._ascii)
        try:
            return dumps(value, allow_nan=False)
        except ValueError:  # JSON cannot say Infinity, but a number that is read as that
            return _TOO_LARGE.sub(lambda found: found[1] or "1e999", dumps(value))


def _found(pattern: re.Pattern[str], text: str, default: str) -> str:
    match = pattern.search(text)
    return match[1] if match else default
