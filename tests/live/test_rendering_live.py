"""What a person sees on a terminal while a real server answers."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.live.samples import PROJECT
from tools.docs.screen import Screen
from tools.docs.terminal import seen

pytestmark = pytest.mark.live

TOOL = """[{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object",
 "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]"""
QUESTION = "What is the weather in Paris?"


@pytest.fixture
def shown(live_url: str, tmp_path: Path):
    """Run ``vllmctl chat`` on a terminal; return what stands on it in the end."""

    def run(*arguments: str, columns: int = 160) -> Screen:
        home = {"HOME": str(tmp_path), "PYTHONPATH": str(PROJECT), "TERM": "xterm-256color"}
        variables = {**os.environ, **home, "VLLMCTL_BASE_URL": live_url}
        command = [sys.executable, "-m", "vllmctl", "chat", *arguments]
        screen = Screen(columns)
        screen.write(seen(command, tmp_path, variables, columns=columns))
        return screen

    return run


def test_reasoning_is_dim_and_apart(shown) -> None:
    screen = shown("Hello", "-u")
    thought = re.search(r"(?m)^thought(: | for \d.* s, )\d+ (tokens|chunks)\n\n\S", screen.text)
    assert thought
    assert screen.painted.startswith("\x1b[2m")
    assert re.search(r"tokens: \d+ in the prompt.*, \d+ in the answer \(\d+ of them", screen.text)


def test_choices_stand_side_by_side(shown) -> None:
    screen = shown(QUESTION, "--n", "3", "-q")
    first, _, *rows = [row for row in screen.rows if row]
    assert [title.strip() for title in first.split("│")] == ["answer 1", "answer 2", "answer 3"]
    assert all(row.count("│") == 2 for row in rows)


def test_choices_follow_each_other_on_a_narrow_terminal(shown) -> None:
    text = shown(QUESTION, "--n", "3", "-q", columns=60).text
    assert re.findall(r"(?m)^— answer (\d) —$", text) == ["1", "2", "3"]


def test_tool_calls_are_code(shown) -> None:
    text = shown(QUESTION, "--tools", TOOL, "-q").text
    assert re.search(r'(?m)^─+\nget_weather\(\{"city": .*\}\)\n─+$', text)


def test_heat_and_table_have_a_row_a_token(shown) -> None:
    asked = ("Hello", "--no-thinking", "--top-logprobs", "3", "-q", "--max-tokens", "8")
    assert "≥90%" in shown(*asked, "--show-logprobs", "heat").text
    table = shown(*asked, "--show-logprobs", "table", "--alternatives", "2").text
    assert len(re.findall(r'(?m)^ *\d+  ["∅<]', table)) == 8
