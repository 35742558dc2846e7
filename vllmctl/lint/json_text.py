"""From bytes to a JSON value, with findings about the text.

Almost every text is plain JSON, which a quick parser reads; only when it refuses one is it
read again by the reader that can say what is wrong.
"""

import codecs
from typing import TYPE_CHECKING, Any

import jiter

from vllmctl.lint.finding import TextFinding
from vllmctl.record import Record, field
from vllmctl.rules.finding import Finding, Level

if TYPE_CHECKING:
    from vllmctl.lint.json_reader import JsonFault

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "json.bom", "a byte order mark"),
    (codecs.BOM_UTF32_LE, "utf-32", "json.encoding", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "json.encoding", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "json.encoding", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "json.encoding", "UTF-16"),
)
_EXCERPT = 72
_DEEP = 200


class JsonText(Record):
    """A value and what there is to say about the text that it was written in.

    ``readable`` tells that the whole value was read; ``is_deep`` that it nests deeper than
    what walks through values can go. Paths in ``findings`` start at the value.
    """

    value: Any
    readable: bool = True
    findings: list[Finding] = field(factory=list)
    is_deep: bool = False


def parse(raw: bytes, line: int = 1) -> JsonText:
    """Read one JSON value; ``line`` is the number of the first line of ``raw`` in its file."""
    try:
        value = jiter.from_json(raw, catch_duplicate_keys=True, allow_inf_nan=False)
    except ValueError:
        return _parse_slowly(raw, line)
    return JsonText(value)


def decode(raw: bytes, line: int = 1) -> tuple[str | None, list[Finding]]:
    """Return ``raw`` as text without a byte order mark, and what is odd about its bytes."""
    findings: list[Finding] = []
    encoding = "utf-8"
    for mark, name, code, what in _MARKS:
        if raw.startswith(mark):
            encoding = name
            message = f"the text begins with {what}" if code == "json.bom" else f"this is {what}"
            findings.append(
                TextFinding(Level.NOTE, code, "", f"{message}; JSON is UTF-8 without a mark", ())
            )
            break
    try:
        return raw.decode(encoding), findings
    except UnicodeDecodeError as fault:
        return None, [*findings, _not_text(raw, fault, line)]


def _parse_slowly(raw: bytes, line: int) -> JsonText:
    from vllmctl.lint.json_reader import read

    text, findings = decode(raw, line)
    if text is None:
        return JsonText(None, False, findings)
    reading = read(text)
    findings += [_finding_at(fault, text, line) for fault in reading.faults]
    return JsonText(reading.value, reading.complete, findings, reading.depth > _DEEP)


def _finding_at(fault: "JsonFault", text: str, line: int) -> Finding:
    """Return a fault as a finding with its place; ``line`` is that of the text's beginning."""
    from vllmctl.catalog.json_path import path_text

    start = text.rfind("\n", 0, fault.offset) + 1
    place = (line + text.count("\n", 0, fault.offset), fault.offset - start + 1)
    path = path_text(fault.path)
    excerpt = _excerpt(text, start, fault.offset)
    return TextFinding(fault.level, fault.code, path, fault.message, fault.fix, (), *place, excerpt)


def _not_text(raw: bytes, fault: UnicodeDecodeError, line: int) -> Finding:
    start = raw.rfind(b"\n", 0, fault.start) + 1
    place = (line + raw.count(b"\n", 0, fault.start), fault.start - start + 1)
    byte = f"byte 0x{raw[fault.start]:02x}" if fault.start < len(raw) else "what is there"
    message = f"{byte} is no UTF-8: convert the file first, for example with iconv -t UTF-8"
    return TextFinding(Level.ERROR, "json.not_utf8", "", message, None, (), *place)


def _excerpt(text: str, start: int, offset: int) -> str:
    """The line around ``offset`` with a caret under it."""
    end = text.find("\n", offset)
    left = max(start, offset - _EXCERPT // 2)
    right = min(len(text) if end < 0 else end, left + _EXCERPT)
    shown = text[left:right].replace("\t", " ").rstrip("\r")
    if not shown:
        return ""
    return f"{shown}\n{' ' * (offset - left)}^"
