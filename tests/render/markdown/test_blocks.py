"""Blocks of Markdown on the page, without colours unless a test says otherwise."""

from textwrap import dedent

import pytest

from tests.render.markdown.terminal import Terminal, committed, shown
from vllmctl.render.cells import cells
from vllmctl.render.markdown.document import Document
from vllmctl.render.paint import Painter
from vllmctl.render.screen import Screen


def page(text: str) -> str:
    return dedent(text).strip("\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("one\ntwo", "one\ntwo"),
        ("one\n\n\n\ntwo", "one\n\ntwo"),
        ("\n\none", "one"),
        ("one  \ntwo\\\nthree", "one\ntwo\nthree"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("# One\ntext", "# One\ntext"),
        ("text\n# One #", "text\n\n# One"),
        ("#tag and #1", "#tag and #1"),
        ("####### seven", "####### seven"),
        ("#", "#"),
        ("Title\n===\ntext", "Title\n" + "═" * 40 + "\ntext"),
        ("a\n\n---\n\nb", "a\n\n" + "─" * 40 + "\n\nb"),
        ("* * *", "─" * 40),
        ("**bold** begins", "**bold** begins"),
        ("5 apples", "5 apples"),
        ("3.14", "3.14"),
        ("-- dashes", "-- dashes"),
        ("", ""),
    ],
)
def test_paragraphs_headings_and_rules(source: str, expected: str) -> None:
    assert shown(source, 40) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("- one\n- two", "• one\n• two"),
        ("+ one\n\n+ two", "• one\n\n• two"),
        ("- a\n  - b\n    - c\n      - d", "• a\n  ◦ b\n    ▪ c\n      ▪ d"),
        ("1. a\n   - b\n2. c", "1. a\n   ◦ b\n2. c"),
        ("9) a\n10) b", "9) a\n10) b"),
        ("1. a\n\n   more\n\nend", "1. a\n\n   more\n\nend"),
        ("- a\nlazy", "• a\n  lazy"),
        ("- a\n\nend", "• a\n\nend"),
        ("text\n- a", "text\n• a"),
        ("in the year\n1986. So", "in the year\n1986. So"),
        ("text\n1. a", "text\n1. a"),
        ("- [ ] open\n- [x] done", "• ☐ open\n• ☑ done"),
        ("-\n- b", "•\n• b"),
        ("-\tone\n\t- two", "• one\n  ◦ two"),
        ("- > quoted\n  > more", "• ▌ quoted\n  ▌ more"),
        ("-", "•"),
    ],
)
def test_lists(source: str, expected: str) -> None:
    assert shown(source, 40) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("> one\n> two", "▌ one\n▌ two"),
        ("> one\nlazy", "▌ one\n▌ lazy"),
        ("> one\n>\n> two", "▌ one\n▌\n▌ two"),
        ("> one\n\ntwo", "▌ one\n\ntwo"),
        (">> deep", "▌ ▌ deep"),
        ("> - a\n>   b\n> - c", "▌ • a\n▌   b\n▌ • c"),
    ],
)
def test_quotations(source: str, expected: str) -> None:
    assert shown(source, 40) == expected


def test_text_wraps_behind_the_margin_of_its_container() -> None:
    source = "1. one two three four\n   > five six seven eight nine ten"
    assert shown(source, 20) == page("""
        1. one two three
           four
           ▌ five six seven
           ▌ eight nine ten
    """)


def test_code_stands_as_it_is_between_rules() -> None:
    source = (
        "Run:\n```sh\nls  -l   # a long line that is longer than the terminal\n\n\tx\n```\nDone."
    )
    assert shown(source, 30) == page("""
        Run:
        ── sh ────────────────────────
        ls  -l   # a long line that is longer than the terminal

            x
        ──────────────────────────────
        Done.
    """)


def test_code_in_a_list_loses_the_indentation_of_the_list_alone() -> None:
    source = "1. a\n   ```\n   def f():\n       pass\n   ```\n2. b"
    assert shown(source, 20) == page("""
        1. a
           ─────────────────
           def f():
               pass
           ─────────────────
        2. b
    """)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("````\n```\n````", "```"),
        ("~~~\n```\n~~~~", "```"),
        ("```\n``` x\n   ```", "``` x"),
        ("  ```\n  a\n b\n```", "a\nb"),
        ("```\n\n```", ""),
    ],
)
def test_fence_ends_at_its_like(source: str, code: str) -> None:
    rule = "─" * 10
    assert shown(source, 10) == f"{rule}\n{code}\n{rule}"


def test_fence_in_a_line_is_code_in_a_line() -> None:
    assert shown("``` x ```", 20) == "```x```"


def test_code_that_does_not_end_is_closed_at_the_end() -> None:
    assert shown("```\nx = 1", 10) == "──────────\nx = 1\n──────────"


def test_indented_code_ends_with_its_last_line() -> None:
    source = "a\n\n    x = 1\n\n    y = 2\n\nb"
    assert shown(source, 10) == page("""
        a

        ──────────
        x = 1

        y = 2
        ──────────

        b
    """)


def test_table_has_columns_as_wide_as_they_need() -> None:
    source = "| Name | Size |\n|:--|--:|\n| a `b|` | 1 |\n| long \\| name | 22 |\n| x |\nend"
    assert shown(source, 40) == page("""
        Name        │ Size
        ────────────┼─────
        a `b        │    `
        long | name │   22
        x           │
        end
    """)


def test_table_too_wide_shares_the_terminal() -> None:
    source = "| a | b |\n|---|:-:|\n| one two three four | x |\n| five | y |"
    assert shown(source, 14) == page("""
        a          │ b
        ───────────┼──
        one two    │ x
        three four │
        ╌╌╌╌╌╌╌╌╌╌╌┼╌╌
        five       │ y
    """)


def test_table_on_a_narrow_terminal_is_a_list() -> None:
    source = "| Name | What it does |\n|---|---|\n| sort | puts in order |\n| map | changes each |"
    assert shown(source, 12) == page("""
        Name: sort
        What it
        does: puts
        in order
        ────────────
        Name: map
        What it
        does:
        changes each
    """)


def test_table_of_wide_characters_is_aligned() -> None:
    source = "| 名前 | x |\n|---|---|\n| ab | ✅ |\n| 日本語 | y |"
    rows = shown(source, 40).split("\n")
    assert {cells(row.split("│")[0]) for row in rows if "│" in row} == {7}


def test_cell_of_doubtful_width_leaves_the_next_column_where_it_belongs() -> None:
    terminal = Terminal(40)
    document = Document(Screen(terminal, terminal.size), Painter(False))
    document.feed("| a | b |\n|---|---|\n| ⚠️ | x |\n| 👩‍🔬 | y |\n")
    document.end()
    assert "\x1b[5G │ x" in terminal.written


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("| not a table |", "| not a table |"),
        ("| a | b |\n| c | d |", "| a | b |\n| c | d |"),
        ("| a | b |\n|---|", "| a | b |\n|---|"),
        ("| a |\ntext", "| a |\ntext"),
        ("| a |\n\ntext", "| a |\n\ntext"),
    ],
)
def test_bars_alone_make_no_table(source: str, expected: str) -> None:
    assert shown(source, 40) == expected


def test_long_table_is_committed_before_it_ends() -> None:
    source = "| n |\n|---|\n" + "".join(f"| {n} |\n" for n in range(150))
    terminal = Terminal(20, lines=2000)
    document = Document(Screen(terminal, terminal.size), Painter(False))
    document.feed(source)
    assert document._tail() == []
    document.end()
    assert terminal.rows[2:-1] == [str(n) for n in range(150)]


@pytest.mark.parametrize("columns", [3, 5, 20])
def test_no_row_but_code_is_wider_than_the_terminal(columns: int) -> None:
    source = (
        "# A heading of words\n\n1. a list with averyveryverylongword\n   - 中文字符 in it\n"
        "> > quoted **words**\n\n| a | b |\n|---|---|\n| some words | 日本語 |\n\n---\n\n- [x] d\n"
    )
    assert max(map(cells, committed([source], columns))) <= columns


def test_wide_characters_wrap_between_characters_but_not_before_a_stop() -> None:
    assert shown("一二三四五六。七八", 12) == "一二三四五\n六。七八"


def test_what_a_model_says_cannot_control_the_terminal() -> None:
    source = (
        "a \x1b[2J b\n\n```\n\x1b]0;title\x07\n```\n\n| \x1b[1m |\n|---|\n| \u202e |\n\n&#27;[31m"
    )
    text = shown(source, 60)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x07" not in text
    assert "␛[2J" in text


def test_styles_end_with_their_row() -> None:
    rows = committed(["**bold words that wrap** and\n> quoted `code`"], 12, colored=True)
    assert rows == [
        "\x1b[1mbold words\x1b[0m",
        "\x1b[1mthat wrap\x1b[0m",
        "and",
        "\x1b[2m▌ \x1b[0mquoted",
        "\x1b[2m▌ \x1b[0m\x1b[36mcode\x1b[0m",
    ]


def test_code_is_coloured_with_the_state_of_the_lines_before() -> None:
    source = '```python\nx = """a\n# no comment\n"""  # one\n```\n```c\n/* a\n b */ int x;\n```'
    rows = committed([source], 12, colored=True)
    assert rows[2] == "\x1b[32m# no comment\x1b[0m"
    assert rows[3] == '\x1b[32m"""\x1b[0m  \x1b[3;2m# one\x1b[0m'
    assert rows[6:8] == ["\x1b[3;2m/* a\x1b[0m", "\x1b[3;2m b */\x1b[0m \x1b[35mint\x1b[0m x;"]


def test_code_in_an_unknown_language_stays_plain() -> None:
    assert committed(["```nonsense\nx = 1\n```"], 12, colored=True)[1] == "x = 1"
