"""Events of an answer, written as Markdown on a terminal."""

import io

import pytest

from tests.render.markdown.terminal import Terminal
from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Reasoning, Text, ToolCallDelta
from vllmctl.env import Environment
from vllmctl.render.markdown import MarkdownWriter
from vllmctl.render.window import can_repaint


def written(terminal: Terminal, events: list[Event], *, same_terminal: bool = False) -> str:
    """Write ``events`` one at a time; return what went to stderr."""
    stderr = terminal if same_terminal else io.StringIO()
    env = Environment(stdout=terminal, stderr=stderr, variables={"NO_COLOR": "1"})
    writer = MarkdownWriter(env, terminal, size=terminal.size)
    for event in events:
        writer.take([event])
    writer.finish(Answer())
    return stderr.getvalue()


def test_text_is_markdown_and_ends_with_a_newline() -> None:
    terminal = Terminal(20)
    written(terminal, [Text(0, "- one "), Text(0, "**two**\n- th"), Text(0, "ree")])
    assert terminal.rows == ["• one **two**", "• three", ""]


def test_reasoning_in_the_middle_stands_before_the_row_that_it_broke() -> None:
    terminal = Terminal(40)
    events = [
        Text(0, "First line\n\nA row that is"),
        Reasoning(0, "Hm."),
        Text(0, " not complete."),
    ]
    written(terminal, events, same_terminal=True)
    assert terminal.text == "First line\n\nHm.\n\nA row that is not complete.\n"


def test_reasoning_goes_to_stderr_as_it_is() -> None:
    terminal = Terminal(40)
    assert written(terminal, [Reasoning(0, "**so**"), Text(0, "x")]) == "**so**\n\n"
    assert terminal.text == "x\n"


def test_further_choices_follow_as_documents_of_their_own() -> None:
    terminal = Terminal(40)
    events = [Text(0, "```\na"), Text(1, "- b"), Text(0, "\n```"), Text(1, "c")]
    assert written(terminal, events) == "— answer 2 —\n"
    assert terminal.rows == ["─" * 40, "a", "─" * 40, "• bc", ""]


@pytest.mark.parametrize("index", [0, 1])
def test_tool_call_is_code(index: int) -> None:
    terminal = Terminal(30)
    call = ToolCallDelta(index, 0, "id", "find", '{"a": "*b* ```"}')
    written(terminal, [Text(0, "Let me *look*."), call])
    code = ["─" * 30, 'find({"a": "*b* ```"})', "─" * 30]
    assert terminal.rows == ["Let me *look*.", *([""] if index == 0 else []), *code, ""]


def test_nothing_is_written_for_nothing() -> None:
    terminal = Terminal(40)
    assert written(terminal, []) == ""
    assert terminal.written == ""


def test_columns_are_read_from_the_environment_where_no_terminal_tells_them() -> None:
    terminal = Terminal(10)
    env = Environment(stdout=terminal, stderr=io.StringIO(), variables={"COLUMNS": "10"})
    writer = MarkdownWriter(env, terminal)
    writer.take([Text(0, "one two three four")])
    writer.finish(Answer())
    assert terminal.rows == ["one two", "three four", ""]


@pytest.mark.parametrize(
    ("variables", "is_terminal", "expected"),
    [({}, True, True), ({"TERM": "dumb"}, True, False), ({}, False, False)],
)
def test_markdown_is_shown_on_terminals_that_can(
    variables: dict[str, str], is_terminal: bool, expected: bool
) -> None:
    out = Terminal() if is_terminal else io.StringIO()
    assert can_repaint(out, Environment(stdout=out, variables=variables)) is expected
