"""Words to people are broken between words, and only where a person looks."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vllmctl.env import Environment
from vllmctl.render.cells import cells
from vllmctl.render.findings import write_findings
from vllmctl.render.fitting import fitted
from vllmctl.render.notes import write_fault, write_note
from vllmctl.rules.finding import Edit, Finding, Level

TEXT = "a note that is longer than the terminal is wide, so that it has to be broken"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def written(stream, columns=40, **variables):
    env = Environment(stderr=stream, variables={"COLUMNS": str(columns), **variables})
    write_note(TEXT, env)
    return stream.getvalue()


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_notes_fit_the_terminal(columns):
    text = written(Terminal(), columns, NO_COLOR="1")
    assert all(len(line) <= columns for line in text.splitlines())
    assert text.split() == f"note: {TEXT}".split()


def test_what_goes_on_is_indented():
    assert written(Terminal(), NO_COLOR="1") == (
        "note: a note that is longer than the\n  terminal is wide, so that it has to be\n  broken\n"
    )


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_pipes_and_dumb_terminals_get_the_line_as_it_is(stream):
    assert written(stream(), TERM="dumb") == f"note: {TEXT}\n"


def test_colours_take_no_room():
    plain, painted = written(Terminal(), NO_COLOR="1"), written(Terminal())
    assert painted == plain.replace("note:", "\x1b[36mnote:\x1b[0m")


def test_faults_and_findings_are_broken_too(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    write_fault(TEXT, f"{TEXT}\nrequest id r1", stream)
    env = Environment(stderr=stream)
    fix = (Edit("set", "structured_outputs.choice", ["red", "green", "blue"]),)
    write_findings([Finding(Level.ERROR, "x.y", "top_p", TEXT, fix)], {}, env)
    lines = stream.getvalue().replace("\x1b[31;1m", "").replace("\x1b[0m", "").splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert [line for line in lines if not line.startswith("    ")][3:] == [
        "  hint: a note that is longer than the",
        "  request id r1",
        "error: a note that is longer than the",
        "  terminal is wide, so that it has to be",
        "  broken",
        "  fix: set structured_outputs.choice to",
    ]


def test_a_word_longer_than_a_row_is_whole_and_in_a_row_of_its_own():
    url = "http://example.org/" + "x" * 40
    assert fitted(f"see {url} for more", 30) == f"see\n  {url}\n  for more"
    assert fitted(url, 30) == url


def test_lines_keep_their_own_indent():
    assert fitted("a\n    one two three four five", 22) == ("a\n    one two three four\n      five")


@given(st.text("ab 中\t\n", max_size=80), st.integers(4, 30))
def test_no_word_is_lost_and_no_row_too_wide(text, width):
    rows = fitted(text, width).split("\n")
    assert "\n".join(rows).split() == text.split()
    assert all(cells(row) <= width or len(row.split()) == 1 for row in rows)
