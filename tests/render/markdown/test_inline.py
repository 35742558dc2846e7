"""Emphasis, code, links and escapes: as CommonMark has them, with markdown-it as the judge."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from vllmctl.render.markdown.inline import REACH, parse
from vllmctl.render.paint import (
    BOLD,
    CODE,
    DIM,
    ITALIC,
    LINK,
    PLAIN,
    STRIKE,
    Row,
    append,
)

JUDGE = MarkdownIt("commonmark").enable("strikethrough")
STYLES = {"strong": BOLD, "em": ITALIC, "s": STRIKE, "link": LINK}
WORDS = ["a", "bc ", " d", " ", "(", ")", ".", "!", "é", "5", '"', "snake_case"]
MARKS = ["*", "**", " *", "* ", " **", "** ", "***", "_", " _", "_ ", "__", "~~", "~"]
CODES = ["`", "``", "`x*y`", "``a`b``", "\\", "\\*", "\\a", "&amp;", "&lt", "&#42;", "&nope;"]
LINKS = [
    "[",
    "]",
    "[t](u)",
    "](v)",
    "![i](p)",
    "[a *b* c](x)",
    '[k](u "title")',
    "<b>",
    "<http://x>",
]
KNOWN_DIFFERENCE = re.compile(r"~{3}|[*_~]\]|(?<=\S)(\*{2,}|_{2,})(?=\S)")
"""Runs that may open after they closed, longer ones of tildes, which strike nothing out, and
runs before a bracket, which the judge takes for a space."""

TEXTS = st.lists(st.sampled_from(WORDS + MARKS + CODES + LINKS), min_size=1, max_size=12)


@settings(max_examples=1500, deadline=None)
@given(TEXTS.map("".join).map(str.strip))
def test_spans_are_those_of_commonmark(text: str) -> None:
    assume(not KNOWN_DIFFERENCE.search(text))
    assert merged(parse(text, "\n", final=True, marks=False).spans) == judged(text)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("plain", [(PLAIN, "plain")]),
        ("a **b** c", [(PLAIN, "a "), (BOLD, "b"), (PLAIN, " c")]),
        ("***b***", [(BOLD | ITALIC, "b")]),
        ("2 * 3 * 4 and x_y_z", [(PLAIN, "2 * 3 * 4 and x_y_z")]),
        ("*args and **kwargs", [(PLAIN, "*args and **kwargs")]),
        ("`a*b*`", [(CODE, "a*b*")]),
        ("~5 ~~gone~~", [(PLAIN, "~5 "), (STRIKE, "gone")]),
        ("[t](http://x)", [(LINK, "t"), (DIM, " (http://x)")]),
        ("[http://x](http://x)", [(LINK, "http://x")]),
        ("![a cat](cat.png)", [(LINK, "image: a cat"), (DIM, " (cat.png)")]),
        ("<https://x.org>", [(LINK, "https://x.org")]),
        ("one<br/>two", [(PLAIN, "one\ntwo")]),
        ("[1] and [ref][1]", [(PLAIN, "[1] and [ref][1]")]),
        ("<kbd>x</kbd>", [(PLAIN, "<kbd>x</kbd>")]),
        ("**重点\uff1a**后面", [(BOLD, "重点\uff1a"), (PLAIN, "后面")]),
        ("&#27;[2J &#x202e;", [(PLAIN, "[2J \\u202e")]),
    ],
)
def test_spans(text: str, row: Row) -> None:
    assert merged(parse(text, "\n", final=True, marks=False).spans) == row


def test_marks_stay_where_nothing_else_tells_styles() -> None:
    spans = parse("a **b** `c` ~~d~~", "\n", final=True, marks=True).spans
    assert "".join(span.text for span in spans) == "a **b** `c` ~~d~~"


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("words alone", "words alone"),
        ("a **bold", "a "),
        ("a **bold** and", "a **bold** and"),
        ("a **bold**", "a "),
        ("see `code", "see "),
        ("see [text](http://x", "see "),
        ("see [1], then", "see [1], then"),
        ("a &am", "a "),
        ("AT&T is", "AT&T is"),
        ("a \\", "a "),
        ("x < y and", "x < y and"),
        ("wow!", "wow"),
    ],
)
def test_settled_is_what_nothing_can_change(text: str, settled: str) -> None:
    parsed = parse(text, "\n", final=False, marks=False)
    assert text[: parsed.settled] == settled


@pytest.mark.parametrize("opening", ["**", "`", "[", "<a ", "[x](", "![i](<"])
def test_construct_without_an_end_settles_in_the_end(opening: str) -> None:
    text = f"{opening}word" + " word" * REACH
    assert parse(text, "\n", final=False, marks=False).settled > 4 * REACH


def judged(text: str) -> Row:
    """What markdown-it makes of ``text``, in our terms."""
    tokens = JUDGE.parseInline(text)[0].children or []
    row: Row = []
    _walk(tokens, 0, row)
    return row


def _walk(tokens: list[Token], outer: int, row: Row) -> None:
    opened: list[tuple[int, str, int]] = []  # the style before, a link's target, where it began
    style = outer
    for token in tokens:
        if token.type == "image":
            append(row, style | LINK, "image: ")
            _walk(token.children or [], style | LINK, row)
            append(
                row, style | DIM, f" ({token.attrs['src']})".lstrip("" if token.children else " ")
            )
        elif token.nesting == 1:
            opened.append((style, str(token.attrs.get("href", "")), len(shown(row))))
            style |= STYLES[token.type.removesuffix("_open")]
        elif token.nesting == -1:
            style, place, start = opened.pop()
            if place and place != shown(row)[start:]:
                append(row, style | DIM, f" ({place})" if shown(row)[start:] else f"({place})")
        elif token.type in ("softbreak", "hardbreak"):
            append(row, style, "\n")
        elif token.content:
            append(row, style | (CODE if token.type == "code_inline" else 0), token.content)


def shown(row: Row) -> str:
    return "".join(text for _, text in row)


def merged(spans) -> Row:
    row: Row = []
    for span in spans:
        append(row, span.style, span.text)
    return row
