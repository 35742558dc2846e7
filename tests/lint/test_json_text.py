"""What is said of texts that are no plain JSON."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vllmctl.lint.finding import TextFinding
from vllmctl.lint.json_reader import DEEPEST, read
from vllmctl.lint.json_text import parse

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _said(text: str | bytes) -> list[tuple[str, str, int, int]]:
    raw = text.encode() if isinstance(text, str) else text
    found = parse(raw).findings
    assert all(isinstance(finding, TextFinding) for finding in found)
    return [(f.code, f.path, f.line, f.column) for f in found]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"b": [1, 2,]}', [("json.trailing_comma", "b", 1, 12)]),
        ('{"b": 1,\n}', [("json.trailing_comma", "", 1, 8)]),
        ('{"a": {"b": 1, "b": 2}}', [("json.duplicate_key", "a.b", 1, 16)]),
        ('{"a": [1, -Infinity]}', [("json.not_a_number", "a[1]", 1, 11)]),
        ('{"a": NaN}', [("json.not_a_number", "a", 1, 7)]),
        ('{"a": 1,\n "b": None}', [("json.foreign_word", "b", 2, 7)]),
        ('{"a": 1 // one\n}', [("json.comment", "", 1, 9)]),
        ('{"a": "x\ny"}', [("json.control_character", "a", 1, 9)]),
        ('{"m": [{"c": "half \\ud83d"}]}', [("json.half_pair", "m[0].c", 1, 14)]),
        ("{'a': 1}", [("json.syntax", "", 1, 2)]),
        ('{"a": "say "hi" now"}', [("json.syntax", "", 1, 13)]),
        ('{"a": 1 "b": 2}', [("json.syntax", "", 1, 9)]),
        ('{"a" 1}', [("json.syntax", "", 1, 6)]),
        ('{"a": 01}', [("json.syntax", "", 1, 7)]),
        ('{"a": }', [("json.syntax", "", 1, 7)]),
        ('{"a": "\\q"}', [("json.syntax", "", 1, 8)]),
        ('{"a": 1}\n{"b": 2}', [("json.extra", "", 2, 1)]),
        ('{"a": [1,\n', [("json.cut", "", 1, 10)]),
        ('{"a": "b', [("json.cut", "", 1, 9)]),
        ("  \n", [("json.empty", "", 2, 1)]),
        ('{"a": ' + "9" * 5000 + "}", [("json.too_long", "", 1, 7)]),
        ("[" * (DEEPEST + 2), [("json.too_deep", "", 1, DEEPEST + 2)]),
        (b'{"a":\n"h\xe9"}', [("json.not_utf8", "", 2, 3)]),
        (b"\xef\xbb\xbf{}", [("json.bom", "", 1, 0)]),
        ('{"a": "é"}'.encode("utf-16"), [("json.encoding", "", 1, 0)]),
    ],
)  # fmt: skip
def test_fault_is_told_with_its_place(
    text: str | bytes, said: list[tuple[str, str, int, int]]
) -> None:
    assert _said(text) == said


def test_shell_that_took_the_quotes_is_named() -> None:
    (finding,) = parse(b"{temperature: 0.5}").findings
    assert "shell" in finding.message


def test_quote_inside_a_text_is_named_with_a_caret_under_it() -> None:
    (finding,) = parse(b'{"prompt": "say "hi" now"}').findings
    assert '\\"' in finding.message
    assert isinstance(finding, TextFinding)
    line, caret = finding.excerpt.split("\n")
    assert line[caret.index("^") :].startswith('hi"')


def test_last_of_two_equal_keys_counts_and_the_lost_value_is_told() -> None:
    text = parse(b'{"temperature": 0.5, "temperature": 1}')
    assert text.value == {"temperature": 1}
    assert "0.5 is lost" in text.findings[0].message


def test_lines_count_from_the_line_of_the_file() -> None:
    finding = parse(b'{"a": NaN}', line=17).findings[0]
    assert isinstance(finding, TextFinding)
    assert (finding.line, finding.placed[:8]) == (17, "line 17,")


def test_reading_goes_on_behind_what_is_clear() -> None:
    text = parse(b'{"a": True, /* why */ "b": [1,], "c": "x"}')
    assert text.readable
    assert text.value == {"a": True, "b": [1], "c": "x"}


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_plain_json_is_read_as_python_reads_it_and_nothing_is_said(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        if any(0xD800 <= ord(character) < 0xE000 for character in text):
            continue
        parsed = parse(text.encode())
        assert parsed.value == value
        assert parsed.findings == []
        assert read(text).value == value
        assert read(text).faults == []


@given(st.text(alphabet='{}[]",:01 .-eNaTruefls\\n/#*\n', max_size=40))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_or_refused_as_python_does(text: str) -> None:
    try:
        value, is_json = json.loads(text), True
    except ValueError:
        value, is_json = None, False
    parsed = parse(text.encode())
    assert parsed.readable or parsed.findings
    if is_json and not any(f.code == "json.not_a_number" for f in parsed.findings):
        assert parsed.value == value
        assert {f.code for f in parsed.findings} <= {"json.duplicate_key", "json.half_pair"}
    elif not is_json:
        assert any(finding.level == "error" for finding in parsed.findings)


@given(st.binary(max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_answered_with_findings(raw: bytes) -> None:
    parsed = parse(raw)
    assert parsed.readable or parsed.findings
