"""Several choices in columns: apart, live, and every row of them once."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.render.markdown.terminal import Terminal, shown
from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Finish, Reasoning, Text, Thought, ToolCallDelta
from vllmctl.env import Environment
from vllmctl.render.columns import SideBySideWriter
from vllmctl.render.columns.folding import folded
from vllmctl.render.columns.layout import fit

BITS = ["a", "word ", "Zwei Wörter ", "\n", "\n\n", "  ", "\t", "\r\n", "中文", "\x1b[2J"]
MARKS = ["# ", "- ", "**", "`", "```\n", "| a | b |\n", "|---|---|\n", "> ", "<br>", "❤️", "👩‍🔬"]
PIECES = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([*BITS, *MARKS])), max_size=40)


class Viewer:
    """A writer on a terminal, and what a person sees there."""

    def __init__(
        self,
        columns: int = 120,
        choices: int = 3,
        *,
        lines: int = 24,
        markdown: bool = True,
        one_terminal: bool = False,
    ):
        self.terminal = Terminal(columns, lines)
        self.stderr = self.terminal if one_terminal else io.StringIO()
        self.choices = choices
        self.writer = SideBySideWriter(
            Environment(stderr=self.stderr, variables={"NO_COLOR": "1"}),
            self.terminal,
            choices=choices,
            markdown=markdown,
            size=self.terminal.size,
        )

    def take(self, *events: Event) -> None:
        for event in events:
            self.writer.take([event])

    def finish(self) -> None:
        self.writer.finish(Answer())

    def cells(self) -> list[str]:
        """What stands in each column below its title."""
        width = (self.terminal.columns - 3 * (self.choices - 1)) // self.choices
        begins = range(0, self.choices * (width + 3), width + 3)
        parts = [self.terminal.part(begin, begin + width) for begin in begins]
        return ["\n".join(part[2:]).rstrip() for part in parts]


def test_each_choice_has_a_column_with_its_number() -> None:
    viewer = Viewer(choices=2, columns=80)
    viewer.take(Text(1, "two"), Text(0, "one"))
    viewer.finish()
    assert viewer.terminal.text == (
        f"answer 1{' ' * 31}│ answer 2\n{'─' * 39}┼{'─' * 39}\none{' ' * 36}│ two\n"
    )


@settings(max_examples=200, deadline=None)
@given(PIECES, st.booleans())
def test_interleaved_choices_are_what_each_is_alone(
    pieces: list[tuple[int, str]], markdown: bool
) -> None:
    pieces = [(index, text) for index, text in pieces if text not in ("❤️", "👩‍🔬")]
    viewer, alone = Viewer(markdown=markdown), [Viewer(markdown=markdown) for _ in range(3)]
    for index, text in pieces:
        viewer.take(Text(index, text))
        alone[index].take(Text(index, text))
    viewer.finish()
    for index, each in enumerate(alone):
        each.finish()
        assert viewer.cells()[index] == each.cells()[index]


@settings(max_examples=200, deadline=None)
@given(PIECES, st.booleans())
def test_rows_that_are_complete_stay(pieces: list[tuple[int, str]], markdown: bool) -> None:
    """The terminal has few lines: to touch a row that scrolled out of it fails."""
    viewer = Viewer(lines=5, markdown=markdown)
    for index, text in pieces:
        viewer.take(Text(index, text))
    viewer.finish()
    again = Viewer(lines=10_000, markdown=markdown)
    for index, text in pieces:
        again.take(Text(index, text))
    again.finish()
    assert viewer.terminal.text == again.terminal.text


@settings(max_examples=100, deadline=None)
@given(PIECES, st.lists(st.sampled_from([5, 40, 80, 111, 200]), min_size=1, max_size=4))
def test_resize_in_mid_answer_loses_and_repeats_nothing(
    pieces: list[tuple[int, str]], widths: list[int]
) -> None:
    viewer = Viewer(lines=400, markdown=False)
    alphabets = ("0123456789", "abcdefghij", "ABCDEFGHIJ")
    said = ["", "", ""]
    for number, (index, _) in enumerate(pieces):
        if number % 3 == 2:
            viewer.terminal.resize(widths[number % len(widths)])
        word = "".join(alphabets[index][int(digit)] for digit in str(number))
        said[index] += word
        viewer.take(Text(index, f"{word} "))
    viewer.finish()
    below = viewer.terminal.text.rpartition("─")[2]
    for alphabet, wanted in zip(alphabets, said, strict=True):
        assert "".join(char for char in below if char in alphabet) == wanted


def test_a_row_is_shown_before_it_is_complete() -> None:
    viewer = Viewer()
    viewer.take(Text(0, "It is"), Text(2, "So"))
    assert viewer.cells() == ["It is", "", "So"]
    viewer.take(Text(0, " live"))
    assert viewer.cells()[0] == "It is live"


def test_a_choice_that_lags_behind_holds_the_others_only_on_the_screen() -> None:
    viewer = Viewer(lines=6, markdown=False)
    viewer.take(*[Text(0, f"{number}\n") for number in range(30)])
    assert "29" in viewer.terminal.text
    viewer.take(*[Text(index, f"{number}\n") for number in range(30) for index in (1, 2)])
    viewer.finish()
    numbers = "\n".join(map(str, range(30)))
    assert viewer.cells() == [numbers] * 3


def test_a_choice_that_ended_holds_nothing() -> None:
    viewer = Viewer(markdown=False)
    viewer.take(Text(0, "a"), Finish(0, "stop", None), Text(1, "b\n" * 9), Text(2, "c\n" * 9))
    written = viewer.terminal.written
    viewer.finish()
    assert viewer.terminal.written == written


@pytest.mark.parametrize(
    ("reason", "stop", "expected"),
    [
        ("stop", None, "end"),
        ("stop", "END", "end"),
        ("length", None, "end\n— length (the token limit) —"),
        ("abort", None, "end\n— abort (the server gave up) —"),
    ],
)
def test_a_column_ends_with_an_unusual_reason(reason: str, stop: str | None, expected: str) -> None:
    viewer = Viewer()
    viewer.take(Text(1, "end"), Finish(1, reason, stop))
    viewer.finish()
    assert viewer.cells()[1] == expected


def test_reasoning_stands_in_its_column_on_the_same_terminal() -> None:
    viewer = Viewer(one_terminal=True)
    events = [
        Reasoning(0, "\nSo "),
        Reasoning(1, "Hm."),
        Reasoning(0, "then.\n"),
        Thought(0, 1.5, 2),
        Text(0, "\n\nYes."),
        Thought(1, 0.0, 1),
        Text(1, "No."),
    ]
    viewer.take(*events)
    viewer.finish()
    assert viewer.cells() == [
        "So then.\nthought for 1.50 s, 2 chunks\n\nYes.",
        "Hm.\nthought: 1 chunk\n\nNo.",
        "",
    ]


def test_reasoning_goes_elsewhere_whole_and_with_a_title() -> None:
    viewer = Viewer()
    viewer.take(Reasoning(0, "So"), Reasoning(1, "Hm"), Reasoning(0, " then."))
    viewer.take(Thought(1, 0.5, 1), Text(1, "x"), Thought(0, 0.5, 2), Text(0, "y"))
    viewer.finish()
    assert viewer.stderr.getvalue() == (
        "— answer 2 —\nHm\nthought for 0.500 s, 1 chunk\n"
        "— answer 1 —\nSo then.\nthought for 0.500 s, 2 chunks\n"
    )
    assert viewer.cells() == ["y", "x", ""]


def test_tool_calls_stand_in_their_columns() -> None:
    viewer = Viewer(markdown=False)
    viewer.take(Text(0, "See:"), ToolCallDelta(0, 0, "i", "f", '{"a":'), Text(1, "b"))
    viewer.take(ToolCallDelta(0, 0, None, None, " 1}"))
    viewer.finish()
    assert viewer.cells() == ['See:\nf({"a": 1})', "b", ""]


def test_choices_that_nobody_asked_for_follow() -> None:
    viewer = Viewer(choices=2, columns=80)
    viewer.take(Text(0, "a"), Text(5, "six"), Text(1, "b"))
    viewer.finish()
    assert viewer.terminal.text.endswith("a" + " " * 38 + "│ b\nsix\n")
    assert viewer.stderr.getvalue() == "— answer 6 —\n"


def test_what_a_model_says_cannot_leave_its_column() -> None:
    viewer = Viewer(markdown=False)
    viewer.take(Text(0, "a\x1b[1;1Hb\x9b2J\u202ec\rd"), Text(1, "x"))
    viewer.take(ToolCallDelta(2, 0, "i", "\x1b[2J", "{}"))
    viewer.finish()
    assert set(re.findall("\x1b\\[?[0-9]*.", viewer.terminal.written)) <= {"\x1b[K", "\x1b[1A"}
    assert viewer.cells() == ["a␛[1;1Hb\\u009b2J\\u202ec\nd", "x", "␛[2J({})"]


def test_indented_text_keeps_its_indent_and_breaks_between_words() -> None:
    viewer = Viewer(choices=2, columns=79, markdown=False)
    viewer.take(Text(0, "def f():\n    return a_rather_long_name + another_one\n\tx"))
    viewer.finish()
    assert viewer.cells()[0] == ("def f():\n    return a_rather_long_name +\nanother_one\n    x")


def test_wide_and_doubtful_characters_keep_the_columns_straight() -> None:
    viewer = Viewer(choices=2, columns=80)
    viewer.take(Text(0, "没有空格的一段文字" * 5), Text(1, "b " * 30))
    viewer.take(Text(0, "\n\n👩‍🔬 ❤️"), Text(1, "\n\nx"))
    viewer.finish()
    assert viewer.terminal.part(39, 40)[2:6] == ["│"] * 4
    assert viewer.cells()[1].split() == ["b"] * 30 + ["x"]
    assert re.search(r"❤️ +\x1b\[39G │", viewer.terminal.written)


def test_cell_of_a_table_in_the_second_column_jumps_within_it() -> None:
    viewer = Viewer(choices=2, columns=80)
    viewer.take(Text(0, "a"), Text(1, "| a | b |\n|---|---|\n| ❤️ | c |\n\n"))
    viewer.finish()
    assert "\x1b[44G" in viewer.terminal.written  # behind 41 cells and the two of the heart


def test_code_is_broken_at_the_edge_of_its_column() -> None:
    viewer = Viewer(choices=2, columns=80)
    viewer.take(Text(0, f"```\n{'x' * 50}\n```"), Text(1, "b"))
    viewer.finish()
    assert f"{'x' * 38}\n{'x' * 12}" in viewer.cells()[0]


@pytest.mark.parametrize(
    ("count", "width", "expected"),
    [(2, 74, False), (2, 75, True), (3, 113, False), (3, 114, True), (1, 200, False)],
)
def test_columns_fit_from_36_cells_each(count: int, width: int, expected: bool) -> None:
    assert fit(count, width) is expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("abc", ["abc"]),
        ("abcdef", ["abcd", "ef"]),
        ("\x1b[1mabcdef\x1b[0mg", ["\x1b[1mabcd\x1b[0m", "\x1b[1mef\x1b[0mg"]),
        ("abc中d", ["abc", "中d"]),
        ("ab\x1b[2mcd\x1b[0mef", ["ab\x1b[2mcd\x1b[0m", "ef"]),
    ],
)
def test_rows_are_broken_with_their_colours(row: str, expected: list[str]) -> None:
    assert folded([row], 4) == expected


def test_a_column_looks_like_a_narrow_terminal() -> None:
    text = "# Title\n\nSome **words** in a paragraph that is longer than its row.\n\n- one\n- two\n"
    viewer = Viewer(choices=2, columns=79)
    viewer.take(Text(1, text))
    viewer.finish()
    assert viewer.cells()[1].split() == shown(text, 38).split()
