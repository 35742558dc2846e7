import tomllib
from textwrap import dedent

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from vllmctl.request.profiles.toml_tables import (
    CannotEditError,
    table_text,
    with_table,
    without_table,
)

TEXT = dedent(
    """\
    # my settings
    [server]
    timeout = "2m"  # long

    # the first
    [profiles.a]
    description = "A"

    # about its fields
    [profiles.a.request]
    temperature = 0.1 # cold
    stop = [
      "x", # one
    ]
    # the end of a

    # the second
    [profiles.ab.request]
    n = 2

    [[profiles.a.chat.messages]]
    role = "system"
    """
)


def test_finds_the_text_of_a_table():
    assert table_text(TEXT, ("profiles", "ab")) == "[profiles.ab.request]\nn = 2\n"
    assert table_text(TEXT, ("profiles", "a")).startswith('[profiles.a]\ndescription = "A"\n')
    assert table_text(TEXT, ("profiles", "a")).endswith('messages]]\nrole = "system"\n')
    assert table_text(TEXT, ("profiles", "c")) == ""


def test_replaces_one_table_and_nothing_else():
    new = '[profiles.a]\ndescription = "B"\n'
    assert with_table(TEXT, ("profiles", "a"), new) == dedent(
        """\
        # my settings
        [server]
        timeout = "2m"  # long

        # the first
        [profiles.a]
        description = "B"
        # the end of a

        # the second
        [profiles.ab.request]
        n = 2

        """
    )


def test_removes_one_table_with_the_comment_above_it():
    assert without_table(TEXT, ("profiles", "ab")) == TEXT.replace(
        "# the second\n[profiles.ab.request]\nn = 2\n\n", ""
    )


def test_adds_a_table_at_the_end():
    new = "[profiles.c.request]\nn = 3\n"
    assert with_table(TEXT, ("profiles", "c"), new) == TEXT + "\n" + new
    assert with_table("", ("profiles", "c"), new) == new
    assert with_table("a = 1", ("profiles", "c"), new) == "a = 1\n\n" + new


def test_replaces_the_last_table_without_a_final_line_end():
    text = "[profiles.c.request]\nn = 3"
    assert with_table(text, ("profiles", "c"), "[profiles.c.request]\nn = 4\n").endswith("n = 4\n")
    assert without_table(text, ("profiles", "c")) == ""


@pytest.mark.parametrize(
    "text",
    [
        "profiles.a.request.n = 1\n",
        "[profiles]\na = { request = { n = 1 } }\n",
        "[profiles]\na.request.n = 1\n",
    ],
)
def test_refuses_a_table_that_is_written_another_way(text):
    with pytest.raises(CannotEditError):
        with_table(text, ("profiles", "a"), "[profiles.a.request]\nn = 2\n")
    with pytest.raises(CannotEditError):
        without_table(text, ("profiles", "a"))


NAMES = st.sampled_from(["a", "b", "c d", "é", "", "request"])
VALUES = st.recursive(
    st.integers() | st.text('"#[]=\n\\a', max_size=5) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
TABLES = st.dictionaries(NAMES, VALUES, max_size=3)


@given(st.dictionaries(NAMES, TABLES, max_size=3), TABLES, NAMES, TABLES, st.booleans())
def test_changes_only_what_it_was_told_to(others, old, name, new, multiline):
    before = {"x": 1, "profiles": {**others, name: old}, "server": {"y": "z"}}
    text = tomli_w.dumps(before, multiline_strings=multiline)
    text = "# top\n" + text + "# bottom\n"
    added = tomli_w.dumps({"profiles": {name: new}})
    changed = with_table(text, ("profiles", name), added)
    assert tomllib.loads(changed) == {**before, "profiles": {**others, name: new}}
    assert changed.startswith("# top\n")
    assert changed.rstrip().endswith("# bottom")
    gone = tomllib.loads(without_table(changed, ("profiles", name)))
    assert gone.get("profiles", {}) == {k: v for k, v in others.items() if k != name}
