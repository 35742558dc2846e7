"""What lint prints, and how it ends."""

import json
from pathlib import Path

import pytest

from tests.lint.helpers import chat, lint, lint_json

BAD = '{\n  "model": "m",\n  "prompt": "hi",\n  "temperature": 5,\n  "temprature": 1\n}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bad.json").write_text(BAD)
    (tmp_path / "good.json").write_text('{"prompt": "hi"}')
    return tmp_path


def test_json_is_what_programs_were_promised() -> None:
    answer = lint_json(chat(temperature=5))
    assert answer.code == 2
    result = answer.json
    assert list(result) == ["ok", "endpoint", "target", "findings"]
    assert result["ok"] is False
    assert result["endpoint"] == "chat.completions"
    assert result["target"].startswith("vllm==")
    (finding,) = result["findings"]
    assert list(finding) == ["level", "code", "path", "message", "fix"]
    assert finding["fix"] == [{"op": "set", "path": "temperature", "value": 2}]


def test_body_without_faults_is_silent_and_done() -> None:
    answer = lint(json.dumps(chat(temperature=0.5)))
    assert (answer.code, answer.out) == (0, "")
    assert answer.err.endswith(": nothing to say\n")


def test_quiet_says_nothing_of_what_is_right() -> None:
    assert lint(json.dumps(chat()), "--quiet").err == ""
    assert lint(json.dumps(chat()), "--quiet", "--target", "0.99.0").err == ""


def test_ignored_field_counts_under_strict_only() -> None:
    assert lint_json(chat(temprature=1)).code == 0
    strict = lint_json(chat(temprature=1), "--strict")
    assert (strict.code, strict.json["ok"]) == (2, False)


def test_text_names_file_line_column_and_mend(folder: Path) -> None:
    answer = lint("bad.json", cwd=folder)
    assert "bad.json:4:3: error: " in answer.out
    assert "bad.json:5:3: ignored: " in answer.out
    assert "    fix: set temperature to 2\n" in answer.out


def test_github_annotates_the_line(folder: Path) -> None:
    first, second = lint("bad.json", "--format", "github", cwd=folder).out.splitlines()
    assert first.startswith("::warning file=bad.json,line=5,col=3,title=field.misspelt::")
    assert second.startswith("::error file=bad.json,line=4,col=3,title=sp.temperature_max::")


def test_github_escapes_what_would_end_the_annotation() -> None:
    answer = lint(json.dumps(chat(**{"a,b::\n%": 1})), "--format", "github")
    assert len(answer.out.splitlines()) == 1
    assert "%25" in answer.out


def test_several_files_are_a_list_with_their_names(folder: Path) -> None:
    answer = lint("good.json", "bad.json", "--json", cwd=folder)
    assert answer.code == 2
    assert [(r["file"], r["ok"]) for r in answer.json] == [("good.json", True), ("bad.json", False)]


def test_json_of_lines_is_a_list() -> None:
    answer = lint("--lines", "-", "--json", stdin=b'{"prompt": "a"}\n{"prompt": "b"}\n')
    assert [result["line"] for result in answer.json] == [1, 2]
    assert lint("--lines", "-", "--json", stdin=b"\n").json == []


def test_lone_half_of_a_pair_can_be_printed() -> None:
    body = '{"prompt": "\\ud83d", "\\ud83d": 1}'
    for form in ("text", "json", "jsonl", "github"):
        answer = lint(body, "--format", form)
        assert (answer.code, "half of a pair" in answer.out) == (2, True)


def test_control_characters_do_not_reach_the_terminal() -> None:
    body = json.dumps(chat(**{"\x1b[31mred": 1}))
    for form, color in (("text", "never"), ("text", "always"), ("github", "never")):
        assert "\x1b[31mred" not in lint(body, "--format", form, "--color", color).out


def test_summary_counts(folder: Path) -> None:
    assert lint("bad.json", cwd=folder).err.endswith(": 1 error, 1 ignored\n")
