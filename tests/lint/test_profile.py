"""Profiles as what they become: requests."""

from pathlib import Path

import pytest

from tests.lint.helpers import lint


def _file(folder: Path, text: str) -> str:
    (folder / "p.toml").write_text(text)
    return "p.toml"


@pytest.mark.parametrize("name", ["greedy", "creative", "json", "logprobs", "benchmark"])
def test_shipped_profile_is_clean(name: str, tmp_path: Path) -> None:
    answer = lint("--profile", name, "--json", "--strict", cwd=tmp_path)
    assert answer.code == 0
    assert {finding["level"] for finding in answer.json["findings"]} <= {"note"}


def test_rule_is_told_with_the_line_of_the_profile(tmp_path: Path) -> None:
    name = _file(tmp_path, "[request]\ntop_p = 0.9\ntemperature = 5\n")
    assert "p.toml:3: error: temperature" in lint(name, cwd=tmp_path).out


def test_unknown_name_is_told_with_the_line_of_the_profile(tmp_path: Path) -> None:
    name = _file(tmp_path, "[request]\ntop_p = 3\ntop_kk = 3\nenable_thinking = false\n")
    answer = lint(name, cwd=tmp_path)
    assert answer.code == 2
    first, _, second, _, third, _ = answer.out.splitlines()
    assert first.startswith("p.toml:2: error: top_p ")
    assert second.startswith("p.toml:3: error: ")
    assert "did you mean top_k" in second
    assert third.startswith("p.toml:4: error: enable_thinking is called chat_template_kwargs.")


def test_value_of_an_extended_profile_is_told_with_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text("[chat]\nn = 2\n")
    name = _file(tmp_path, 'extends = ["./base.toml"]\n[chat]\ntemperature = 0\n')
    assert "base.toml:2: error: n must be 1" in lint(name, cwd=tmp_path).out


def test_what_the_command_adds_is_not_missed(tmp_path: Path) -> None:
    text = "[chat]\ntop_logprobs = 3\nstream_options.include_usage = true\n"
    assert lint(_file(tmp_path, text), "--json", cwd=tmp_path).codes == []


def test_endpoint_is_that_of_the_sections(tmp_path: Path) -> None:
    name = _file(tmp_path, "[complete]\necho = true\n")
    assert lint(name, "--json", cwd=tmp_path).json["endpoint"] == "completions"
    name = _file(tmp_path, "[request]\ntop_p = 0.5\n")
    both = lint(name, "--json", cwd=tmp_path).json["endpoint"]
    assert both == "chat.completions,completions"


def test_own_target_of_a_profile_counts_unless_one_is_asked_for(tmp_path: Path) -> None:
    name = _file(tmp_path, '[server]\ntarget = "vllm==0.11.2"\n[complete]\nguided_regex = "a"\n')
    own = lint(name, "--json", cwd=tmp_path)
    assert own.json["target"] == "vllm==0.11.2"
    assert own.code == 0
    assert lint(name, "--json", "--target", "vllm==0.33.0", cwd=tmp_path).code == 2


def test_range_says_for_which_releases(tmp_path: Path) -> None:
    name = _file(tmp_path, "[request]\ntemperature = 5\n")
    text = lint(name, "--target", "vllm>=0.22,<0.26", cwd=tmp_path).out
    assert "p.toml:2: error: temperature" in text
    assert "(0.24.0 to 0.25.1)" in text


def test_fix_leaves_profiles_to_their_editor(tmp_path: Path) -> None:
    answer = lint(_file(tmp_path, "[request]\ntemperature = 5\n"), "--fix", cwd=tmp_path)
    assert answer.code == 2
    assert "profiles edit" in answer.err


def test_profile_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    assert lint("--profile", "nope", cwd=tmp_path).code == 2
