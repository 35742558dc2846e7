"""Changing one table of a TOML text and leaving every other character as it is."""

import tomllib
from itertools import zip_longest
from typing import Any

from vllmctl.record import Record
from vllmctl.request.profiles.toml_lines import TomlLines


class CannotEditError(Exception):
    """The table is written in a form that cannot be changed as text (inline, dotted)."""


def table_text(text: str, keys: tuple[str, ...]) -> str:
    """Return what stands in ``text`` for the table ``keys``: its headers and all below them."""
    return "".join(text[span.start : span.end] for span in _spans(text, keys))


def with_table(text: str, keys: tuple[str, ...], new: str) -> str:
    """Return ``text`` with the table ``keys`` replaced by ``new``, or with ``new`` at the end.

    ``new`` is TOML with the table's full headers; comments above the table stay. Raises
    ``CannotEditError`` when the result would say anything else.
    """
    spans = _spans(text, keys)
    if spans:
        result = _without(text, spans[1:])
        result = result[: spans[0].start] + new + result[spans[0].end :]
    else:
        result = f"{text.rstrip()}\n\n{new}" if text.strip() else text + new
    return _proven(result, _changed(text, keys, _value_at(tomllib.loads(new), keys)))


def without_table(text: str, keys: tuple[str, ...]) -> str:
    """Return ``text`` without the table ``keys`` and the comment right above it.

    Raises ``CannotEditError`` when the result would say anything else.
    """
    spans = _spans(text, keys)
    spans = [_Span(spans[0].comment, spans[0].comment, spans[0].end), *spans[1:]] if spans else []
    result = _without(text, spans)
    if spans:
        before, after = result[: spans[0].start], result[spans[0].start :]
        result = before.rstrip("\n") + "\n\n" + after.lstrip("\n") if before.strip() else after
        result = result.rstrip("\n") + "\n" if result.strip() else result.lstrip("\n")
    return _proven(result, _changed(text, keys, None))


class _Span(Record, frozen=True):
    """A header and the statements below it; ``comment`` is where the comment above begins."""

    comment: int
    start: int
    end: int


def _spans(text: str, keys: tuple[str, ...]) -> list[_Span]:
    """Return the spans of the table and its sub-tables; comments between them are included."""
    lines = TomlLines(text)
    spans: list[_Span] = []
    after_own = False
    for header, following in zip_longest(lines.headers, lines.headers[1:]):
        own = header.keys[: len(keys)] == keys
        if own:
            start = header.gap if after_own else header.start
            end = following.gap if following else lines.end
            spans.append(_Span(_comment_above(text, header.gap, header.start), start, end))
        after_own = own
    return spans


def _comment_above(text: str, gap: int, start: int) -> int:
    """Return where the comment begins that touches the line at ``start``."""
    rows = text[gap:start].splitlines(keepends=True)
    while rows and rows[-1].strip():
        start -= len(rows.pop())
    return start


def _without(text: str, spans: list[_Span]) -> str:
    for span in reversed(spans):
        text = text[: span.start] + text[span.end :]
    return text


def _changed(text: str, keys: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Return the data of ``text`` with ``keys`` set to ``value``, or removed for ``None``."""
    data = tomllib.loads(text)
    table: Any = data
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    if value is None:
        table.pop(keys[-1], None)
    else:
        table[keys[-1]] = value
    return data


def _value_at(data: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        data = data[key]
    return data


def _proven(text: str, expected: dict[str, Any]) -> str:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise CannotEditError from None
    if _without_empty(data) != _without_empty(expected):
        raise CannotEditError
    return text


def _without_empty(value: Any) -> Any:
    """Return ``value`` without empty tables, which say nothing."""
    if not isinstance(value, dict):
        return value
    parts = {key: _without_empty(inner) for key, inner in value.items()}
    return {key: inner for key, inner in parts.items() if inner != {}}
