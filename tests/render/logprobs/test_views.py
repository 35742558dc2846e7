"""Log-probabilities as people and programs see them."""

import math
import re
from xml.etree import ElementTree

import pytest

from vllmctl.client.answer import Answer
from vllmctl.render.cells import cells
from vllmctl.render.logprobs.figures import percent, summary
from vllmctl.render.logprobs.heat import band_of, heat
from vllmctl.render.logprobs.picture import as_html, as_svg
from vllmctl.render.logprobs.table import table
from vllmctl.render.logprobs.tokens import Token
from vllmctl.render.logprobs.tsv import tsv, tsv_header
from vllmctl.render.logprobs.units import label, units

HALF = math.log(0.5)


def part(data: bytes, logprob: float | None = HALF, text: str = "�") -> Token:
    return Token(text, logprob, data)


def word(text: str, probability: float = 1.0) -> Token:
    return Token(text, math.log(probability) if probability else -math.inf, text.encode())


def test_parts_of_a_character_are_one_with_their_joint_probability() -> None:
    tokens = [word("a"), part(b"\xf0\x9f"), part(b"\x98\x80"), word("b")]
    assert [(unit.text, unit.probability) for unit in units(tokens)] == [
        ("a", 1.0),
        ("😀", pytest.approx(0.25)),
        ("b", 1.0),
    ]


def test_empty_tokens_belong_to_the_character_that_follows() -> None:
    tokens = [part(b"", text=""), part(b"", text=""), word("☃"), part(b"", text=""), word("end")]
    assert [unit.text for unit in units(tokens)] == ["☃", "∅", "end"]


def test_parts_that_make_no_character_are_shown_as_bytes() -> None:
    tokens = [part(b"\xf0\x9f"), word("x"), part(b"\x98")]
    assert [unit.text for unit in units(tokens)] == ["<f0 9f>", "x", "<98>"]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (word(' a\n\t"'), '" a\\n\\t\\""'),
        (part(b"\xf0\x9f"), "<f0 9f>"),
        (part(b"", text=""), "∅"),
        (Token(None, -1.0, None, 7), "#7"),
        (Token(None, None), "…"),
        (word("\x1b[2J"), '"␛[2J"'),
    ],
)
def test_label_shows_what_cannot_be_seen(token: Token, expected: str) -> None:
    assert label(token) == expected


def test_heat_marks_tokens_where_there_is_no_colour() -> None:
    tokens = [word("sure"), word(" half", 0.5), word(" low", 0.2), word(" rare", 0.05)]
    tokens += [word(" never", 0), Token("none", None)]
    assert heat(tokens, colored=False) == "sure (half) [low] {rare} <never>?none?\n"


def test_heat_shows_newlines_and_keeps_them() -> None:
    assert heat([word("a"), word(".\n\n", 0.5), word("b")], colored=False) == "a(.↵)\n(↵)\nb\n"
    coloured = heat([word("a\n"), word("b")], colored=True)
    assert coloured == "\x1b[38;5;255;48;5;22ma↵\x1b[0m\n\x1b[38;5;255;48;5;22mb\x1b[0m\n"


@pytest.mark.parametrize("colored", [False, True])
def test_heat_keeps_blanks_where_a_line_begins(colored: bool) -> None:
    tokens = [word("f:"), word("\n  "), word("if:\n    ", 0.5), word("x")]
    shown = re.sub(r"\x1b\[[\d;]*m|[()]", "", heat(tokens, colored=colored))
    assert shown == "f:↵\n  if:↵\n    x\n"


def test_heat_breaks_rows_at_the_width() -> None:
    rows = heat([word("日本語"), word(" and more", 0.5)], colored=False, width=5).split("\n")
    assert rows == ["日本", "語 (a", "nd mo", "re)", ""]


def test_heat_cannot_control_the_terminal() -> None:
    shown = heat([word("\x1b]0;x\x07\r\u202e")], colored=False)
    assert set(shown) & set("\x1b\x07\r\u202e") == set()


@pytest.mark.parametrize(
    ("probability", "name"),
    [(1.0, "≥90%"), (0.9, "≥90%"), (0.89, "≥50%"), (0.05, "≥5%"), (0.0, "less"), (None, "unknown")],
)
def test_bands(probability: float | None, name: str) -> None:
    assert band_of(probability).name == name


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([word("a", 0.5), word("b", 0.5)], "2 tokens, mean logprob -0.6931, perplexity 2"),
        (
            [Token("a", None), word("b", 0.25)],
            "2 tokens, mean logprob -1.3863, perplexity 4 (1 without a log-probability)",
        ),
        (
            [word("a", 0), word("b", 0.5)],
            "2 tokens, 1 of them with probability 0: perplexity infinite, without those mean "
            "logprob -0.6931, perplexity 2",
        ),
        ([word("a", 0)], "1 token, 1 of them with probability 0: perplexity infinite"),
        ([Token("a", None)], "1 token, no log-probabilities"),
        ([Token("a", -9000.0)], "1 token, mean logprob -9000.0000, perplexity infinite"),
        ([], "0 tokens, no log-probabilities"),
    ],
)
def test_summary(tokens: list[Token], expected: str) -> None:
    assert summary(tokens) == expected


@pytest.mark.parametrize(
    ("probability", "expected"),
    [(None, "-"), (0.0, "0.0%"), (1e-9, "<0.1%"), (0.1234, "12.3%"), (1.0, "100.0%")],
)
def test_percent(probability: float | None, expected: str) -> None:
    assert percent(probability) == expected


@pytest.mark.parametrize("width", [30, 40, 80, 160])
def test_table_is_no_wider_than_the_terminal(width: int) -> None:
    tokens = [word("a token that is rather long for a table", 0.5), word("日本語", 0.1)]
    tokens[0].alternatives = [word(" other", 0.2), word(" third", 0.1), word("日本", 0.01)]
    rows = table(tokens, colored=False, width=width, alternatives=3).splitlines()
    assert max(map(cells, rows)) <= width


def test_table_shows_as_many_alternatives_as_asked_for() -> None:
    token = word("a", 0.5)
    token.alternatives = [word("b", 0.3), word("c", 0.1)]
    assert '"b" 30.0%' in table([token], colored=False, alternatives=1)
    assert '"c"' not in table([token], colored=False, alternatives=1)
    assert "others" not in table([token], colored=False)


def test_tsv_has_a_line_a_token_whatever_is_in_it() -> None:
    token = Token("a\tb\nc\\", -1.5, b"a\tb\nc\\", 3, 2, [Token(None, -math.inf, None, 9)])
    line = tsv([token], 1, "answer", alternatives=2)
    assert line.split("\t") == [
        *("1", "answer", "0", "a\\tb\\nc\\\\", "-1.5", "0.22313016014842982", "2", "3"),
        *("6109620a635c", "token_id:9", "-inf", "", "\n"),
    ]
    assert len(tsv_header(2).split("\t")) == len(line.split("\t"))


def test_tsv_leaves_empty_what_is_not_known() -> None:
    assert tsv([Token(None, None)], 0, "prompt") == "0\tprompt\t0\t\t\t\t\t\t\n"


def test_pictures_hold_the_text_and_are_well_formed() -> None:
    content = [{"token": "<b>&", "logprob": -0.1, "bytes": None, "top_logprobs": []}]
    answer = Answer()
    answer.take_whole(
        {"choices": [{"index": 0, "message": {}, "logprobs": {"content": content}}]}, []
    )
    assert "&lt;b&gt;&amp;" in as_html(answer)
    assert "perplexity 1.105" in as_html(answer)
    drawing = ElementTree.fromstring(as_svg(answer))
    assert "<b>&" in "".join(drawing.itertext()).replace("\xa0", " ")
