"""Files with a request a line, as people have them."""

import json
from typing import Any

import pytest

from tests.lint.helpers import Answer, cases, lint

FILES = {case["id"]: case for case in cases("batch_files.jsonl")}


def _raw(name: str) -> bytes:
    case = FILES[name]
    return (b"\xef\xbb\xbf" if case["bom"] else b"") + case["text"].encode()


def _lint(raw: bytes, *arguments: str) -> Answer:
    return lint("--lines", "-", "--format", "jsonl", *arguments, stdin=raw)


def _said(answer: Answer) -> list[tuple[int, str]]:
    return [(line["line"], f["code"]) for line in answer.lines for f in line["findings"]]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("c001", [(1, "json.bom")]),
        ("c003", []),
        ("c005", [(3, "batch.duplicate_id")]),
        ("c007", [(1, "batch.unknown_key")]),
        ("c008", [(1, "batch.missing_key")] * 3),
        ("c010", [(1, "batch.stream"), (2, "batch.secret"), (2, "batch.secret")]),
        ("c011", [(1, "batch.result"), (2, "batch.result"), (3, "batch.result")]),
        ("c014", [(1, "batch.result"), (2, "json.cut")]),
        ("c020", [(1, "json.syntax")]),
    ],
)
def test_fault_is_told_with_its_line(name: str, said: list[tuple[int, str]]) -> None:
    answer = _lint(_raw(name))
    assert _said(answer) == said
    errors = [code for _, code in said if code != "json.bom"]
    assert answer.code == (2 if errors else 0)


def test_lines_behind_a_broken_one_are_linted() -> None:
    answer = _lint(_raw("c016"))
    assert [line["line"] for line in answer.lines] == [1, 2, 3]
    assert (2, "json.cut") in _said(answer)


def test_urls_that_are_wrong_or_mixed_are_told() -> None:
    said = _said(_lint(_raw("c009")))
    assert {(2, "batch.url"), (3, "batch.mixed_urls"), (4, "batch.method"), (4, "batch.url")} <= {
        *said
    }
    assert not [code for line, code in said if line == 1]


def test_both_lines_of_a_custom_id_are_named() -> None:
    (finding,) = _lint(_raw("c005")).lines[2]["findings"]
    assert '"a"' in finding["message"]
    assert "line 1" in finding["message"]


def test_numbers_are_those_of_the_file_where_lines_are_blank() -> None:
    assert [line["line"] for line in _lint(_raw("c003")).lines] == [1, 4]


def test_key_with_a_space_is_shown_in_quotes_with_the_right_one() -> None:
    (finding,) = _lint(_raw("c007")).lines[0]["findings"]
    assert '" method"' in finding["message"]
    assert 'did you mean "method"' in finding["message"]


@pytest.mark.parametrize("arguments", [(), ("--fix",), ("--fix", "--target", "vllm==0.33.0")])
@pytest.mark.parametrize("form", ["text", "jsonl", "json", "github"])
def test_keys_in_a_body_are_never_echoed(form: str, arguments: tuple[str, ...]) -> None:
    if "--fix" in arguments and form != "text":
        return
    answer = lint("--lines", "-", "--format", form, *arguments, stdin=_raw("c010"))
    assert "api_key" in answer.out + answer.err
    assert "sk-xxxx" not in answer.out + answer.err


@pytest.mark.parametrize("name", ["c001", "c007", "c008", "c010"])
def test_fixed_file_is_clean(name: str) -> None:
    fixed = lint("--lines", "-", "--fix", stdin=_raw(name))
    assert fixed.code == 0
    assert _said(_lint(fixed.out.encode())) == []


def test_fix_leaves_what_is_right_as_it_stands() -> None:
    raw = _raw("c003")
    assert lint("--lines", "-", "--fix", stdin=raw).out.encode() == raw


def test_fix_leaves_a_line_that_it_cannot_read() -> None:
    raw = _raw("c020")
    fixed = lint("--lines", "-", "--fix", stdin=raw)
    assert fixed.out.encode() == raw
    assert fixed.code == 2


def test_other_provider_s_line_becomes_a_batch_line() -> None:
    fixed = lint("--lines", "-", "--fix", stdin=_raw("c008")).out
    assert json.loads(fixed) == {
        "custom_id": "u1",
        "body": {
            "model": "m",
            "messages": [{"role": "user", "content": "q"}],
            "max_tokens": 1000,
        },
        "method": "POST",
        "url": "/v1/chat/completions",
    }


@pytest.mark.parametrize(
    ("line", "endpoint"),
    [
        ({"messages": []}, "chat.completions"),
        ({"prompt": "x"}, "completions"),
        ({"path": "/v1/completions", "body": {"prompt": "x"}}, "completions"),
        ({"path": "http://h:1/v1/completions", "body": {}, "verdict": "reject"}, "completions"),
        ({"custom_id": "a", "method": "POST", "url": "/rerank", "body": {}}, "rerank"),
        ({"body": {"prompt": "x"}}, "completions"),
    ],
)
def test_every_form_of_a_line_is_understood(line: dict[str, Any], endpoint: str) -> None:
    (result,) = _lint(json.dumps(line).encode()).lines
    assert result["endpoint"] == endpoint
    assert not [f for f in result["findings"] if f["code"].startswith("batch.")]


def test_paths_lead_into_the_body_in_every_form() -> None:
    body = {"prompt": "x", "temperature": 5}
    forms: list[dict[str, Any]] = [
        body,
        {"path": "/v1/completions", "body": body},
        {"custom_id": "a", "method": "POST", "url": "/v1/completions", "body": body},
    ]
    for form in forms:
        (result,) = _lint(json.dumps(form).encode()).lines
        assert [f["path"] for f in result["findings"] if f["level"] == "error"] == ["temperature"]
    (result,) = _lint(b'{"path": "/v1/completions", "body": {"prompt": "x", "seed": NaN}}').lines
    assert [f["path"] for f in result["findings"]] == ["seed"]
    assert result["findings"][0]["fix"] == [{"op": "remove", "path": "seed"}]


def test_result_of_a_batch_line_carries_its_custom_id() -> None:
    first, *_ = _lint(_raw("c005")).lines
    assert first["custom_id"] == "a"


def test_unknown_path_is_told_with_the_nearest() -> None:
    (result,) = _lint(b'{"path": "/v1/chat/completion", "body": {}}').lines
    (finding,) = result["findings"]
    assert finding["code"] == "endpoint.unknown"
    assert "/v1/chat/completions" in finding["message"]


def test_url_that_run_batch_does_not_take_is_told_once() -> None:
    line = {"method": "POST", "url": "/v1/completions", "body": {"prompt": "x"}}
    raw = "".join(json.dumps({"custom_id": str(n), **line}) + "\n" for n in range(3)).encode()
    assert _said(_lint(raw)) == [(1, "batch.not_in_run_batch")]


def test_file_in_utf16_is_refused_once() -> None:
    raw = _raw("c003").decode().encode("utf-16")
    assert _said(_lint(raw)) == [(1, "json.encoding")]
