"""Choices one after the other, reasoning apart, and what a terminal and a pipe see of them."""

import io

import pytest

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Finish, Reasoning, Text, Thought, ToolCallDelta, Usage
from vllmctl.env import Environment
from vllmctl.render.writer import TextWriter


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Writing:
    """A writer, and what it has written."""

    def __init__(self, out: io.StringIO | None = None, **how: bool | int):
        self.out = Terminal() if out is None else out
        self.err = io.StringIO()
        env = Environment(stderr=self.err, variables={})
        self._writer = TextWriter(env, self.out, **how)

    def take(self, *events: Event) -> str:
        """Take events that arrive together; return all that was written to stdout."""
        self._writer.take(list(events))
        return self.out.getvalue()

    def finish(self, answer: Answer | None = None) -> tuple[str, str]:
        self._writer.finish(answer or Answer())
        return self.out.getvalue(), self.err.getvalue()


INTERLEAVED = (Text(0, "A1"), Text(1, "B1"), Text(0, "A2"), Text(1, "B2"))


def test_choices_are_kept_apart_and_named_on_a_terminal():
    writing = Writing(choices=2)
    writing.take(*INTERLEAVED)
    assert writing.finish() == ("A1A2\nB1B2\n", "— answer 1 —\n— answer 2 —\n")


def test_choices_are_kept_apart_in_a_pipe_by_a_newline_alone():
    writing = Writing(io.StringIO(), choices=2)
    writing.take(*INTERLEAVED, Finish(0, "length", None), Finish(1, "stop", None))
    assert writing.finish() == ("A1A2\nB1B2", "")


def test_the_next_choice_is_live_as_soon_as_the_one_before_it_ended():
    writing = Writing(choices=3)
    assert writing.take(Text(2, "C"), Text(0, "A"), Text(1, "B")) == "A"
    assert writing.take(Finish(0, "stop", None)) == "A\nB"
    assert writing.take(Text(1, "b")) == "A\nBb"
    assert writing.take(Finish(1, "stop", None), Text(2, "c")) == "A\nBb\nCc"


def test_a_choice_is_followed_by_an_unusual_reason_to_finish():
    writing = Writing(choices=2)
    writing.take(Text(0, "A"), Finish(0, "length", None), Text(1, "B"), Finish(1, "stop", None))
    assert writing.finish()[1] == ("— answer 1 —\n— length (the token limit) —\n— answer 2 —\n")


@pytest.mark.parametrize(
    ("out", "reason", "expected"),
    [
        (Terminal, "length", "— length (the token limit) —\n"),
        (Terminal, "stop", ""),
        (Terminal, "tool_calls", ""),
        (io.StringIO, "length", ""),
    ],
)
def test_a_single_answer_that_was_cut_says_so_on_a_terminal(out, reason, expected):
    writing, answer = Writing(out()), Answer()
    events = []
    answer.take({"choices": [{"index": 0, "text": "A", "finish_reason": reason}]}, events)
    writing.take(*events)
    assert writing.finish(answer)[1] == expected


def test_a_reason_to_finish_cannot_control_the_terminal():
    writing = Writing(choices=2)
    writing.take(Text(0, "A"), Finish(0, "\x1b[2J\u202e", None), Text(1, "B"))
    assert "— ␛[2J\\u202e —" in writing.finish()[1]


def test_text_after_the_end_of_its_choice_is_not_lost():
    writing = Writing(choices=2)
    writing.take(Text(0, "A"), Finish(0, "stop", None), Text(1, "B"))
    writing.take(Text(0, "late"))
    assert writing.finish() == ("A\nB\nlate\n", "— answer 1 —\n— answer 2 —\n— answer 1 —\n")


def test_a_single_choice_is_written_to_its_very_end():
    writing = Writing(io.StringIO())
    writing.take(Text(0, "A"), Finish(0, "stop", None), Text(0, "late"))
    assert writing.finish() == ("Alate", "")


def test_reasoning_is_apart_with_its_time_and_amount():
    writing = Writing()
    writing.take(Reasoning(0, "\nHm"), Reasoning(0, ".\n"))
    writing.take(Thought(0, 2.345, 18), Text(0, "Yes."))
    assert writing.finish() == ("Yes.\n", "Hm.\nthought for 2.35 s, 18 chunks\n\n")


def test_reasoning_counts_in_tokens_where_the_server_told_them():
    writing = Writing()
    usage = {"completion_tokens_details": {"reasoning_tokens": 20}}
    writing.take(Reasoning(0, "Hm."), Usage(usage), Thought(0, 2.0, 18), Text(0, "Yes."))
    assert "thought for 2.00 s, 20 tokens\n" in writing.finish()[1]


def test_tokens_of_all_choices_are_not_taken_for_those_of_one():
    writing = Writing(choices=2)
    usage = {"completion_tokens_details": {"reasoning_tokens": 20}}
    writing.take(Usage(usage), Reasoning(0, "Hm."), Thought(0, 2.0, 9), Text(0, "Yes."))
    assert "thought for 2.00 s, 9 chunks\n" in writing.finish()[1]


def test_reasoning_that_came_at_once_has_no_time():
    writing = Writing()
    writing.take(Reasoning(0, "Hm."), Thought(0, 0.0, 1), Text(0, "Yes."))
    assert writing.finish()[1] == "Hm.\nthought: 1 chunk\n\n"


@pytest.mark.parametrize(("out", "expected"), [(Terminal, "Yes.\n"), (io.StringIO, "\n\nYes.")])
def test_blank_lines_after_reasoning_are_for_pipes_only(out, expected):
    for how in ({}, {"reasoning": False}):
        writing = Writing(out(), **how)
        writing.take(Reasoning(0, "Hm."), Thought(0, 0.0, 1), Text(0, "\n"), Text(0, "\nYes."))
        assert writing.finish()[0] == expected


def test_blank_lines_at_the_beginning_of_an_answer_without_reasoning_stay():
    writing = Writing()
    assert writing.take(Text(0, "\n    return 1")) == "\n    return 1"


def test_hidden_reasoning_leaves_nothing():
    writing = Writing(reasoning=False)
    writing.take(Reasoning(0, "Hm."), Thought(0, 1.0, 1), Text(0, "Yes."))
    assert writing.finish() == ("Yes.\n", "")


def test_each_choice_has_its_reasoning():
    writing = Writing(io.StringIO(), choices=2)
    writing.take(Reasoning(0, "One."), Reasoning(1, "Two."), Thought(1, 0.0, 1), Text(1, "b"))
    writing.take(Thought(0, 0.0, 1), Text(0, "a"))
    said = "— answer 1 —\nOne.\nthought: 1 chunk\n— answer 2 —\nTwo.\nthought: 1 chunk\n"
    assert writing.finish() == ("a\nb", said)


def test_reasoning_in_the_middle_of_a_line_begins_a_new_one_on_a_terminal():
    writing = Writing()
    assert writing.take(Text(0, "One"), Reasoning(0, "Hm.")) == "One\n"


def test_interrupted_reasoning_ends_its_line():
    writing = Writing()
    writing.take(Reasoning(0, "Hm"))
    assert writing.finish()[1] == "Hm\n\n"


def test_reasoning_cannot_control_the_terminal():
    writing = Writing()
    writing.take(Reasoning(0, "a\x1b[2J\u202eb"))
    assert writing.finish()[1] == "a␛[2J\\u202eb\n\n"


def test_a_call_after_reasoning_is_apart_from_it():
    writing = Writing()
    call = ToolCallDelta(0, 0, "i", "f", "{}")
    writing.take(Reasoning(0, "Hm."), Thought(0, 0.5, 3), call, Finish(0, "tool_calls", None))
    assert writing.finish() == ("f({})\n", "Hm.\nthought for 0.500 s, 3 chunks\n\n")
