"""What can be linted, and which endpoint it is for."""

import json
from pathlib import Path

import pytest

from tests.lint.helpers import chat, lint, lint_json


def test_standard_input_is_read_by_name_and_when_piped() -> None:
    raw = json.dumps(chat()).encode()
    assert lint("-", "--json", stdin=raw).json["endpoint"] == "chat.completions"
    assert lint("--json", stdin=raw).json["endpoint"] == "chat.completions"


def test_nothing_to_lint_is_a_usage_error() -> None:
    answer = lint()
    assert answer.code == 2
    assert "nothing to lint" in answer.err


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    answer = lint("nope.json", cwd=tmp_path)
    assert answer.code == 2
    assert "there is no file nope.json" in answer.err


def test_folder_is_no_file(tmp_path: Path) -> None:
    assert "is a folder" in lint(str(tmp_path)).err


def test_habit_of_an_at_sign_is_forgiven(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text('{"prompt": "x"}')
    assert lint("@b.json", cwd=tmp_path).code == 0


def test_jsonl_is_read_by_lines_without_being_told(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text('{"prompt": "x"}\n{"prompt": "y"}\n')
    assert len(lint("b.jsonl", "--format", "jsonl", cwd=tmp_path).lines) == 2


def test_two_values_in_a_file_are_one_too_many() -> None:
    assert lint("-", "--json", stdin=b'{"prompt": "x"}\n{"prompt": "y"}\n').codes == ["json.extra"]


@pytest.mark.parametrize(
    ("asked", "endpoint"),
    [
        ("chat", "chat.completions"),
        ("complete", "completions"),
        ("embeddings", "embeddings"),
        ("/v1/completions", "completions"),
        ("http://h:8000/tokenize", "tokenize"),
    ],
)
def test_endpoint_is_taken_as_asked(asked: str, endpoint: str) -> None:
    assert lint_json({"prompt": "x"}, "--endpoint", asked).json["endpoint"] == endpoint


def test_unknown_endpoint_is_a_usage_error_with_the_nearest() -> None:
    answer = lint_json({"prompt": "x"}, "--endpoint", "chatt")
    assert answer.code == 2
    assert "did you mean chat" in answer.err


def test_endpoint_that_cannot_be_told_is_a_finding() -> None:
    answer = lint_json({"model": "m"})
    assert answer.codes == ["endpoint.not_told"]
    assert answer.json["endpoint"] is None
    assert "--endpoint" in answer.json["findings"][0]["message"]


@pytest.mark.parametrize("text", ["[]", "[1, 2]"])
def test_body_that_is_no_object_is_an_error(text: str) -> None:
    answer = lint(text, "--json", "--endpoint", "chat")
    assert answer.codes == ["type.dict_type"]


@pytest.mark.parametrize("depth", [150, 300, 900, 5000, 100_000])
def test_deep_nesting_is_answered_without_a_traceback(depth: int) -> None:
    text = '{"prompt": "x", "zzz": ' + '{"a":' * depth + "1" + "}" * depth + "}"
    for fix in ((), ("--fix",)):
        answer = lint("-", *fix, stdin=text.encode())
        assert answer.code == (2 if depth > 970 else 0)


def test_deep_known_field_is_answered_without_a_traceback() -> None:
    deep = '{"a":' * 900 + "1" + "}" * 900
    for field in ("chat_template_kwargs", "structured_outputs", "kv_transfer_params", "tools"):
        body = json.dumps(chat())[:-1] + f', "{field}": {deep}}}'
        assert lint("-", "--json", stdin=body.encode()).code in (0, 2)


@pytest.mark.parametrize("more", [(), ("--lines",)])
def test_a_file_that_opens_and_cannot_be_read_is_told(more: tuple[str, ...]) -> None:
    if not Path("/proc/self/mem").exists():
        pytest.skip("there is no such file here")
    answer = lint("/proc/self/mem", *more)
    assert answer.code == 2
    assert "cannot read /proc/self/mem: Input/output error" in answer.err
