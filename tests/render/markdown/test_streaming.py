"""Markdown in pieces: the same rows for all pieces, and nothing that stands is touched."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.render.markdown.terminal import Recorder, Terminal, committed, shown
from vllmctl.render.markdown.document import Document
from vllmctl.render.paint import Painter

BITS = [
    *("a", "word ", "Zwei Wörter ", "5 ", "12.", "\n", "\n\n", "  ", "    ", "\t", "\r\n", "\r"),
    *("*", "**", "***", "_", "__", "~~", "~", "`", "``", "```", "```py\n", "x = 1\n", "/*"),
    *("[", "]", "(", ")", "](u)", "![", "!", "<", ">", "<br>", "<b>", "&", "&amp;", "\\", '"'),
    *("# ", "## ", " #", "> ", "- ", "* ", "1. ", "2) ", "---\n", "===\n", "- [ ] ", "-", "+"),
    *(
        "| a | b |\n",
        "|---|:-:|\n",
        "| 1 | 2 |\n",
        "| heading | another | a third |\n",
        "|---|---|---|\n",
        "|",
        "~~~\n",
        "中文",
        "\uff1a",
        "😀",
        "❤️",
        "👩‍🔬",
    ),
    *("é", "\u0301", "\x1b[2J", "https://example.org/a_b_c", "averyveryverylongwordindeed"),
]
TEXTS = st.lists(st.sampled_from(BITS), max_size=25).map("".join)
SIZES = st.lists(st.integers(1, 7), min_size=1, max_size=5)


@settings(max_examples=400, deadline=None)
@given(TEXTS, SIZES, st.sampled_from([5, 20, 40]), st.booleans())
def test_committed_rows_do_not_depend_on_pieces(
    text: str, sizes: list[int], columns: int, colored: bool
) -> None:
    assert committed(pieces(text, sizes), columns, colored=colored) == committed(
        [text], columns, colored=colored
    )


@settings(max_examples=200, deadline=None)
@given(TEXTS, SIZES, st.sampled_from([12, 40]), st.booleans())
def test_committed_rows_stay_and_are_what_a_person_sees(
    text: str, sizes: list[int], columns: int, colored: bool
) -> None:
    terminal = Terminal(columns, lines=6)
    recorder = Recorder(terminal)
    document = Document(recorder, Painter(colored))
    for piece in pieces(text, sizes):
        document.feed(piece)
        document.show()
        assert visible(terminal).startswith(expected(recorder, columns).rstrip("\n"))
    document.end()
    assert visible(terminal) == expected(recorder, columns)


@settings(max_examples=200, deadline=None)
@given(TEXTS, SIZES, st.lists(st.sampled_from([9, 14, 30, 50]), min_size=2, max_size=4))
def test_resize_leaves_no_trace(text: str, sizes: list[int], widths: list[int]) -> None:
    terminal = Terminal(widths[0], lines=400)
    recorder = Recorder(terminal)
    document = Document(recorder, Painter(False))
    for number, piece in enumerate(pieces(text, sizes)):
        if number % 3 == 2:
            terminal.resize(widths[number % len(widths)])
        document.feed(piece)
        document.show()
    document.end()
    terminal.resize(1000)
    assert visible(terminal) == expected(recorder, 1000)


@pytest.mark.parametrize(
    "text",
    [
        "A paragraph with **bold words that is longer than a row of it, *and* more",
        "| one | two |\n|---|---|\n| three | four |\n",
        "```python\nprint('hello')\nprint('wor",
        "- an item with a [link](http://example.org/) and `code that",
    ],
    ids=["paragraph", "table", "code", "list"],
)
def test_what_is_not_complete_is_shown(text: str) -> None:
    terminal = Terminal(30, lines=10)
    document = Document(Recorder(terminal), Painter(True))
    for char in text:
        document.feed(char)
        document.show()
    assert re.findall(r"\w+", terminal.text) == re.findall(r"\w+", text)


def test_word_is_shown_as_soon_as_it_came() -> None:
    terminal = Terminal(30)
    document = Document(Recorder(terminal), Painter(True))
    shown = []
    for token in ("It", " is", " **very", " imp", "ortant", "**", " to", " say"):
        document.feed(token)
        document.show()
        shown.append(terminal.text)
    assert shown == [
        "It",
        "It is",
        "It is very",
        "It is very imp",
        "It is very important",
        "It is very important",
        "It is very important to",
        "It is very important to say",
    ]


def test_plain_words_are_appended_without_moving_the_cursor() -> None:
    terminal = Terminal(30)
    document = Document(Recorder(terminal), Painter(True))
    for word in re.findall(r"\w+", "words upon words upon words and no end of them in sight"):
        document.feed(f"{word} ")
        document.show()
    assert "\x1b" not in terminal.written
    assert "\r" not in terminal.written


def test_every_row_of_a_table_is_there_on_a_narrow_terminal() -> None:
    table = "| way | tokens | good for |\n|---|---|---|\n| a | 1 | tests |\n| b | 2 | prose |\n"
    terminal = Terminal(12)
    document = Document(Recorder(terminal), Painter(False))
    for char in table:
        document.feed(char)
        document.show()
    document.end()
    assert terminal.text == shown(table, 12) + "\n"
    assert "way: a\n" in terminal.text


def test_a_row_that_goes_leaves_no_blank_one() -> None:
    text = "Two words <br>a"  # which breaks after the tag and then no more
    terminal = Terminal(12)
    recorder = Recorder(terminal)
    document = Document(recorder, Painter(False))
    for char in text:
        document.feed(char)
        document.show()
    document.end()
    assert terminal.text == "Two words\na\n"


def test_tail_higher_than_the_terminal_loses_nothing() -> None:
    text = "| a | b |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(40)) + "\nend"
    terminal = Terminal(20, lines=5)
    recorder = Recorder(terminal)
    document = Document(recorder, Painter(False))
    for char in text:
        document.feed(char)
        document.show()
    document.end()
    assert re.findall(r"^(\d+) ", terminal.text, re.MULTILINE) == [str(n) for n in range(40)]


def pieces(text: str, sizes: list[int]) -> list[str]:
    """Cut ``text`` into pieces of these sizes, over and over."""
    cut, place = [], 0
    while place < len(text):
        size = sizes[len(cut) % len(sizes)]
        cut.append(text[place : place + size])
        place += size
    return cut


def visible(terminal: Terminal) -> str:
    return terminal.text.rstrip("\n ")


def expected(recorder: Recorder, columns: int) -> str:
    """What a terminal shows of the committed rows alone."""
    terminal = Terminal(columns, lines=10_000)
    terminal.write("\n".join(recorder.committed_rows))
    return visible(terminal)
