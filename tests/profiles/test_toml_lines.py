import tomllib
from textwrap import dedent

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from vllmctl.request.profiles.toml_lines import TomlLines

TEXT = dedent(
    '''\
    # a comment with [brackets] and key = 1
    description = """
    temperature = 9 inside a string
    ["not", 'a table'] \\""" still"""
    extends = [  # one a line
      "a",  # ] not the end
      "b",
    ]

    [request]
    temperature = 0.7
    repetition_detection.min_count = 2
    "quoted key" = 'a # b'
    stop = ["\\"]", '}', """x
    y"""]
    when = 1979-05-27 07:32:00

    [request.repetition_detection.deep]
    a = { b = 1, "c.d" = [ { e = 2 }, { f = 3 } ] }

    [[chat.tools]]
    type = "x"
    [chat.tools.function]
    name = "f"
    [[chat.tools]]
      [chat.tools.function]
      name = "g"
    [ chat . "chat_template_kwargs" ]
    enable_thinking = false
    '''
)


def test_finds_the_line_of_every_kind_of_key():
    lines = TomlLines(TEXT)
    tomllib.loads(TEXT)
    expected = {
        ("description",): 2,
        ("extends", 1): 7,
        ("request",): 10,
        ("request", "temperature"): 11,
        ("request", "repetition_detection", "min_count"): 12,
        ("request", "quoted key"): 13,
        ("request", "stop", 2): 14,
        ("request", "when"): 16,
        ("request", "repetition_detection", "deep", "a", "c.d", 1, "f"): 19,
        ("chat", "tools", 0, "type"): 22,
        ("chat", "tools", 0, "function", "name"): 24,
        ("chat", "tools", 1, "function", "name"): 27,
        ("chat", "chat_template_kwargs", "enable_thinking"): 29,
    }
    assert {path: lines.line(*path) for path in expected} == expected


def test_gives_the_line_of_the_nearest_parent_for_an_unknown_path():
    lines = TomlLines(TEXT)
    assert lines.line("request", "nothing", "at all") == 10
    assert lines.line("nothing") == 1
    assert lines.line() == 1


def test_lists_the_table_headers_in_order():
    headers = TomlLines(TEXT).headers
    assert [header.keys for header in headers] == [
        ("request",),
        ("request", "repetition_detection", "deep"),
        ("chat", "tools"),
        ("chat", "tools", "function"),
        ("chat", "tools"),
        ("chat", "tools", "function"),
        ("chat", "chat_template_kwargs"),
    ]
    assert all(TEXT[header.start :].lstrip().startswith("[") for header in headers)


def test_takes_an_empty_text_and_one_without_a_final_line_end():
    assert TomlLines("").line("a") == 1
    assert TomlLines("# only a comment").headers == []
    assert TomlLines("\n\na = '''b'''").line("a") == 3


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6)
LEAVES = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.dates(),
    st.datetimes(),
    KEYS,
    st.text("\"'\\\n#[]{}=,. ab", max_size=20),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.booleans())
def test_locates_every_key_of_whatever_a_writer_writes(data, multiline):
    text = tomli_w.dumps(data, multiline_strings=multiline)
    lines = TomlLines(text)
    rows = text.split("\n")
    for path in key_paths(tomllib.loads(text)):
        row = rows[lines.line(*path) - 1]
        assert tomli_w.dumps({path[-1]: 0}).removesuffix(" = 0\n") in row, path


def key_paths(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from key_paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from key_paths(inner, (*path, index))
