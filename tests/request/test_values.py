import pytest

from vllmctl.errors import UsageError
from vllmctl.fields.kinds import Form, Kind
from vllmctl.request.values import guess, parse_assignment, parse_flag, parse_json, unescape


@pytest.mark.parametrize(
    ("texts", "form", "value"),
    [
        (["0.2"], Form.NUMBER, 0.2),
        (["1"], Form.NUMBER, 1),
        (["0.1", "0.3"], Form.NUMBER, 0.3),
        (["-1"], Form.INTEGER, -1),
        ([" 1\n"], Form.INTEGER, 1),
        ([" 1\n"], Form.NUMBER, 1),
        (["plain"], Form.TEXT, "plain"),
        (["1,2", "[3, 4]", "5"], Form.INTEGERS, [1, 2, 3, 4, 5]),
        (["a,b"], Form.TEXTS, ["a,b"]),
        (["[/INST]", '["x", "y"]'], Form.TEXTS, ["[/INST]", "x", "y"]),
        (["a=1", 'b:="1"', '{"c": [2]}'], Form.MAP, {"a": 1, "b": "1", "c": [2]}),
        (["enable_thinking=false"], Form.MAP, {"enable_thinking": False}),
        (['{"a": 1}', '[{"b": 2}]'], Form.JSONS, [{"a": 1}, {"b": 2}]),
        (["true"], Form.BOOLEAN, True),
        (["1e3"], Form.INTEGER, 1000),
        (["5.0"], Form.INTEGER, 5),
        (["[1]"], Form.TEXTS, [1]),
        *[
            (["9" * 400], form, int("9" * 400))
            for form in (Form.INTEGER, Form.NUMBER, Form.BOOLEAN)
        ],
    ],
)
def test_flag_texts_become_values_of_the_fields_form(texts, form, value):
    assert parse_flag(texts, Kind(form), "--x") == value


def test_a_bare_word_stands_for_its_template():
    kind = Kind(Form.JSON, ("auto",))
    template = {"type": "function", "function": {"name": "$"}}
    assert parse_flag(["auto"], kind, "--tool-choice", template) == "auto"
    assert parse_flag(["get_weather"], kind, "--tool-choice", template) == {
        "type": "function",
        "function": {"name": "get_weather"},
    }


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("nan", Form.NUMBER),
        ("inf", Form.NUMBER),
        ("0,5", Form.NUMBER),
        ("1_000.0", Form.NUMBER),
        ("hot", Form.NUMBER),
        ("1e400", Form.INTEGER),
        ("1e400", Form.NUMBER),
        ("", Form.INTEGER),
        ("\x1e1", Form.INTEGER),
        ("\x1e1", Form.NUMBER),
        ("1,x", Form.INTEGERS),
        ("[1,", Form.INTEGERS),
        ('["a", b]', Form.TEXTS),
        ("5", Form.MAP),
        ("{a:1}", Form.MAP),
        ("yes", Form.BOOLEAN),
    ],
)
def test_wrong_texts_are_refused_by_the_flags_name(text, form):
    with pytest.raises(UsageError, match="--x: "):
        parse_flag([text], Kind(form), "--x")


@pytest.mark.parametrize(
    ("text", "form", "value"),
    [
        ("0.5", Form.INTEGER, 0.5),
        ("true", Form.INTEGER, True),
        ("true", Form.NUMBER, True),
        ("3", Form.BOOLEAN, 3),
        ("1,2.5", Form.INTEGERS, [1, 2.5]),
    ],
)
def test_a_number_of_another_kind_is_left_to_the_check_which_knows_what_is_meant(text, form, value):
    assert parse_flag([text], Kind(form), "--x") == value


def test_a_wrong_choice_is_left_to_the_check_which_knows_the_release():
    assert parse_flag(["hihg"], Kind(Form.TEXT, ("low", "high")), "--reasoning-effort") == "hihg"


def test_json_without_quotes_blames_the_shell():
    with pytest.raises(UsageError) as fault:
        parse_json("{enable_thinking:false}", "-o chat_template_kwargs")
    assert "column 2" in fault.value.message
    for way in ("@file", "@-", "-o a.b=value"):
        assert way in fault.value.hint


@pytest.mark.parametrize("text", ['{"a": NaN}', "[Infinity]", "[" * 100_000])
def test_json_that_no_server_takes_is_refused(text):
    with pytest.raises(UsageError):
        parse_json(text, "-d")


def test_assignments_split_at_the_first_equals_sign():
    assert parse_assignment("a.b=c=d", "-o") == ("a.b", "c=d", False)
    assert parse_assignment("a:=[1]", "-o") == ("a", "[1]", True)
    for text in ("a", "=b", ":=b"):
        with pytest.raises(UsageError, match="key=value"):
            parse_assignment(text, "-o")


def test_guess_takes_json_and_leaves_words():
    assert [guess(t) for t in ("1", "true", "null", "word", "NaN", '"q"')] == [
        1, True, None, "word", "NaN", "q",
    ]  # fmt: skip


def test_escapes_are_the_characters_they_mean():
    assert unescape(r"a\n\t\\n\x41\u00e9\q") == "a\n\t\\nA\u00e9\\q"


def test_a_number_that_json_does_not_know_is_told_with_its_place():
    with pytest.raises(UsageError, match=r"no server takes NaN at line 2, column 7$"):
        parse_json('{"a": "NaN",\n "b": NaN}', "-d")
