"""Mending: what changes, what is lost, and that nothing else does."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.lint.helpers import cases, chat, lint, lint_json
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.retired import replacement
from vllmctl.catalog.target import newest
from vllmctl.request.paths import get

REMOVED = [
    (name, field)
    for name in ("chat.completions", "completions")
    for field, facts in endpoint(name, newest()).absent.items()
    if facts.until is not None
]
VALUES: dict[str, Any] = {
    "guided_json": {"type": "object", "properties": {"a": {"type": "integer"}}},
    "guided_regex": "a+",
    "guided_choice": ["a", "b"],
    "guided_grammar": 'root ::= "a"',
    "structural_tag": '{"type": "structural_tag", "format": {"type": "any_text"}}',
    "best_of": 3,
    "early_stopping": True,
}
PRETTY = """{
    "model": "m",
    "messages": [
        {"role": "user", "content": "caf\u00e9"}
    ],
    "stop": ["a", "b"],
    "temprature": 0.5,
    "guided_json": {"type": "object"},
    "max_tokens": 5
}
"""
MENDED = """{
    "model": "m",
    "messages": [
        {"role": "user", "content": "caf\u00e9"}
    ],
    "stop": ["a", "b"],
    "temperature": 0.5,
    "structured_outputs": {"json": {"type": "object"}},
    "max_tokens": 5
}
"""


def _body(name: str, **fields: Any) -> dict[str, Any]:
    return chat(**fields) if name == "chat.completions" else {"prompt": "hi", **fields}


@pytest.mark.parametrize(("name", "field"), REMOVED)
def test_removed_field_gives_way_to_its_successor(name: str, field: str) -> None:
    body = _body(name, **{field: VALUES.get(field, "a")})
    found = lint_json(body).json["findings"]
    assert [f["level"] for f in found if f["path"] == field] == ["ignored"]
    fixed = lint(json.dumps(body), "--fix")
    mended = json.loads(fixed.out)
    assert field not in mended
    became = replacement(endpoint(name, newest()), field)
    if became is not None and became.to is not None and field in VALUES:
        assert get(mended, became.to) == VALUES[field]
    else:
        assert "lost: " in fixed.err
    assert not [f for f in lint_json(mended).json["findings"] if f["fix"]]


@pytest.mark.parametrize("case", cases("requests.jsonl"), ids=lambda case: case["id"])
def test_nothing_that_had_a_fix_is_found_in_the_fixed_body(case: dict[str, Any]) -> None:
    text = case.get("body_text") or json.dumps(case["body"])
    path = ("--endpoint", case["path"])
    fixed = lint(text, "--fix", *path)
    assert not [f for f in lint(fixed.out, "--json", *path).json["findings"] if f["fix"]]
    assert lint(fixed.out, "--fix", *path).out == fixed.out


def test_order_and_layout_of_the_file_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_text(PRETTY)
    assert lint("b.json", "--in-place", cwd=tmp_path).code == 0
    assert file.read_text() == MENDED
    assert lint("-", "--fix", stdin=PRETTY.encode()).out == MENDED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"prompt":"x","temprature":1}', '{"prompt":"x","temperature":1}'),
        ('{"prompt": "x", "temprature": 1}', '{"prompt": "x", "temperature": 1}'),
        ('{"prompt": "\\u00e9", "temprature": 1}', '{"prompt": "\\u00e9", "temperature": 1}'),
        ('{\r\n\t"prompt": "x",\r\n\t"temprature": 1\r\n}\r\n',) * 2,
        ("\ufeff" + '{"prompt": "x"}', '{"prompt": "x"}'),
        ('{"prompt": "x", "n": 1,}', '{"prompt": "x", "n": 1}'),
        ('{"prompt": "x", "n": 1, "n": 2}', '{"prompt": "x", "n": 2}'),
        ('{"prompt": "x", "seed": NaN}', '{"prompt": "x"}'),
    ],
)
def test_style_of_the_text_is_kept(before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_bytes(before.encode())
    lint("b.json", "--in-place", cwd=tmp_path)
    assert file.read_bytes().decode() == after.replace("temprature", "temperature")


def test_file_that_is_right_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_text('{ "prompt" :  "x" }')
    os.utime(file, (1, 1))
    assert lint("b.json", "--in-place", cwd=tmp_path).code == 0
    assert file.stat().st_mtime == 1


def test_mode_of_the_file_is_kept_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_text('{"prompt": "x", "temprature": 1}')
    file.chmod(0o640)
    lint("b.json", "--in-place", cwd=tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["b.json"]


def test_lines_are_mended_in_place_and_the_others_left(tmp_path: Path) -> None:
    file = tmp_path / "b.jsonl"
    file.write_text('{ "prompt":  "x" }\n\n{"prompt":"y","temprature":1}\n{"prompt')
    assert lint("b.jsonl", "--in-place", cwd=tmp_path).code == 2
    assert file.read_text() == '{ "prompt":  "x" }\n\n{"prompt":"y","temperature":1}\n{"prompt'


def test_in_place_wants_a_file() -> None:
    assert lint("-", "--in-place", stdin=b'{"prompt": "x"}').code == 2
    assert lint('{"prompt": "x"}', "--in-place").code == 2


def test_in_place_prints_what_remains_for_programs(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text('{"prompt": "x", "top_k": 0.5, "temprature": 1}')
    answer = lint("b.json", "--in-place", "--json", cwd=tmp_path)
    assert answer.code == 2
    assert answer.codes == ["type.int_from_float"]
    (change,) = answer.json["changes"]
    assert change == {
        "op": "move",
        "path": "temprature",
        "to": "temperature",
        "was": 1,
        "lost": None,
    }


def test_fix_as_json_holds_the_body_and_the_changes() -> None:
    result = lint_json(chat(best_of=3), "--fix").json
    assert result["body"] == chat()
    assert "best_of" in result["changes"][0]["lost"]


def test_changes_are_told_on_stderr_and_the_body_alone_is_on_stdout() -> None:
    answer = lint(json.dumps(chat(temperature=5, best_of=3)), "--fix")
    assert json.loads(answer.out) == chat(temperature=2)
    assert "set temperature to 2 (was 5)" in answer.err
    assert "removed best_of (was 3); lost: " in answer.err


def test_body_that_cannot_be_read_is_not_printed() -> None:
    answer = lint("-", "--fix", stdin=b'{"prompt": ')
    assert (answer.code, answer.out) == (2, "")


def test_unwrapping_loses_nothing() -> None:
    answer = lint(json.dumps(chat(extra_body={"top_k": 5})), "--fix")
    assert json.loads(answer.out) == chat(top_k=5)
    assert "lost" not in answer.err


def test_wrapped_body_is_mended_where_it_is() -> None:
    line = {"path": "/v1/completions", "body": {"prompt": "x", "temprature": 1}, "note": 1}
    answer = lint(json.dumps(line), "--fix")
    assert json.loads(answer.out) == {**line, "body": {"prompt": "x", "temperature": 1}}


def test_half_of_a_pair_becomes_the_replacement_character() -> None:
    answer = lint("-", "--fix", stdin=b'{"prompt": "a\\ud83d"}')
    assert json.loads(answer.out) == {"prompt": "a\ufffd"}


def test_value_that_stands_in_the_way_of_a_move_is_kept() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    body = chat(tools=tools, tool_choice="required", name="f")
    fixed = lint(json.dumps(body), "--fix")
    assert json.loads(fixed.out) == chat(tools=tools, tool_choice="required")
    assert "removed name" in fixed.err


def test_several_values_of_a_list_that_are_no_json_are_taken_out() -> None:
    answer = lint("-", "--fix", stdin=b'{"prompt": "x", "vllm_xargs": {"a": [NaN, 1, Infinity]}}')
    assert json.loads(answer.out) == {"prompt": "x", "vllm_xargs": {"a": [1]}}


def test_number_that_is_too_large_stays_one() -> None:
    text = b'{"prompt": "x", "vllm_xargs": {"a": [1e999, "Infinity"]}, "temprature": 1}'
    answer = lint("-", "--fix", stdin=text)
    assert '"a": [1e999, "Infinity"]' in answer.out
