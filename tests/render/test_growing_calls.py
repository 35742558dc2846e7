"""Tool calls while they arrive: seen to grow on a terminal, whole at the end in a pipe."""

import io

import pytest

from vllmctl.client.answer import Answer
from vllmctl.client.events import Text, ToolCallDelta
from vllmctl.env import Environment
from vllmctl.render.markdown import MarkdownWriter
from vllmctl.render.writer import TextWriter


class Screen(io.StringIO):
    def isatty(self):
        return True


def call(number, name, arguments, choice=0):
    return ToolCallDelta(choice, number, None, name, arguments)


def stages(out, *events):
    """What ``out`` holds after each event and at the end."""
    env = Environment(stdout=out, stderr=io.StringIO(), variables={})
    writer = TextWriter(env, out)
    seen = []
    for event in events:
        writer.take([event])
        seen.append(out.getvalue())
    writer.finish(Answer())
    return [*seen, out.getvalue()]


def test_a_call_grows_on_a_terminal():
    events = (Text(0, "See:"), call(0, "f", ""), call(0, None, '{"a": '), call(0, None, "1}"))
    assert stages(Screen(), *events) == [
        "See:",
        "See:\nf(",
        'See:\nf({"a": ',
        'See:\nf({"a": 1}',
        'See:\nf({"a": 1})\n',
    ]


def test_in_a_pipe_a_call_is_written_whole():
    events = (Text(0, "See:"), call(0, "f", '{"a": '), call(0, None, "1}"))
    assert stages(io.StringIO(), *events) == ["See:"] * 3 + ['See:\nf({"a": 1})\n']


F, G, H = call(0, "f", "{}"), call(1, "g", '{"b":2}'), call(2, "h", "{}")
F1, F2 = call(0, "f", "{"), call(0, None, "}")
G1, G2 = call(1, "g", '{"b":'), call(1, None, "2}")


@pytest.mark.parametrize("out", [io.StringIO, Screen])
@pytest.mark.parametrize("events", [(F, G1, G2, H), (F1, G1, F2, G2, H), (F1, G, H, F2)])
def test_calls_side_by_side_are_kept_apart(out, events):
    assert stages(out(), *events)[-1] == 'f({})\ng({"b":2})\nh({})\n'


def test_a_second_call_grows_once_the_first_is_complete():
    events = (call(0, "f", "{}"), call(1, "g", ""), call(1, None, '{"b"'))
    assert stages(Screen(), *events)[2] == 'f({})\ng({"b"'


def test_text_after_a_call_stands_in_a_line_of_its_own():
    assert stages(Screen(), call(0, "f", "{}"), Text(0, "Done."))[-1] == "f({})\nDone.\n"


def test_calls_of_other_choices_wait_for_their_turn():
    out = Screen()
    seen = stages(out, call(0, "g", "{}", choice=1), call(0, "f", "{}"))
    assert seen == ["", "f({}", "f({})\ng({})\n"]


def test_a_growing_call_cannot_steer_the_terminal():
    assert "\x1b" not in stages(Screen(), call(0, "f", '{"a": "\x1b[2J'))[-1]


def test_a_call_grows_as_code_in_markdown():
    out = Screen()
    env = Environment(stdout=out, stderr=io.StringIO(), variables={"NO_COLOR": "1"})
    writer = MarkdownWriter(env, out, size=lambda: (40, 24))
    writer.take([call(0, "f", '{"a": "*b*')])
    assert 'f({"a": "*b*' in out.getvalue()
