import pytest

from vllmctl.__main__ import run
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.cli.argv import read
from vllmctl.cli.settings import request_settings
from vllmctl.errors import UsageError
from vllmctl.fields.options import field_options
from vllmctl.fields.sugar import CHAT

SPECS = [*request_settings(chat=True), *field_options(endpoint(CHAT, newest()))]


def given(*arguments):
    values, words, _ = read(arguments, SPECS, lambda typed: f"not {typed}")
    return values, words


@pytest.mark.parametrize(
    "arguments",
    [
        ("--temperature", "0.2", "hi"),
        ("--temperature=0.2", "hi"),
        ("hi", "-t", "0.2"),
        ("hi", "-t0.2"),
        ("-t=0.2", "hi"),
    ],
)
def test_every_usual_way_to_give_a_value_works(arguments):
    assert given(*arguments) == ({"field_temperature": ["0.2"]}, ["hi"])


def test_switches_say_yes_and_no_and_bundle():
    assert given("-nv", "--no-stream", "--echo")[0] == {
        "dry_run": True, "verbose": True, "field_stream": False, "field_echo": True,
    }  # fmt: skip
    assert given("--stream=false", "--no-echo=false")[0] == {
        "field_stream": False, "field_echo": True,
    }  # fmt: skip
    assert given("-nm", "tiny")[0] == {"dry_run": True, "field_model": ["tiny"]}


def test_the_last_switch_counts_and_values_add_up():
    assert given("--stream", "--no-stream", "--stop", "a", "--stop", "b")[0] == {
        "field_stream": False, "field_stop": ["a", "b"],
    }  # fmt: skip


@pytest.mark.parametrize("name", ["--top_k", "--top-k"])
def test_underscores_work_as_well_as_hyphens(name):
    assert given(name, "3")[0] == {"field_top_k": ["3"]}


def test_no_with_underscores():
    assert given("--no_ignore_eos")[0] == {"field_ignore_eos": False}


def test_negative_numbers_and_odd_texts_are_values():
    values, words = given("--top-k", "-1", "--stop", "-", "--stop", "--x", "--stop", "")
    assert values == {"field_top_k": ["-1"], "field_stop": ["-", "--x", ""]}
    assert words == []


def test_words_after_two_hyphens_are_words():
    assert given("--", "-n", "--stop") == ({}, ["-n", "--stop"])
    assert given("-") == ({}, ["-"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--temprature", "1"), "no option --temprature"),
        (("-Z",), "no option -Z"),
        (("--temperature",), "--temperature wants a value: --temperature NUM"),
        (("--model", "--temperature", "1"), "--model wants a value, and --temperature is an"),
        (("--show-logprobs", "-o", "a=1"), "--show-logprobs wants a value, and -o is an option"),
        (("--stream=maybe",), "--stream is a switch"),
        (("hi", "--logprobs", "5"), "--logprobs is a switch, and takes no number"),
        (("--logprobs=5",), "--logprobs is a switch, and takes no number"),
    ],
)
def test_what_cannot_be_read_is_said(arguments, message):
    with pytest.raises(UsageError) as fault:
        given(*arguments)
    assert fault.value.message.startswith(message)


def test_no_two_options_share_a_name():
    for chat in (True, False):
        name = "chat.completions" if chat else "completions"
        specs = [*request_settings(chat), *field_options(endpoint(name, newest()))]
        names = [n for s in specs for n in (*s.names, *s.off, *s.hidden, *s.hidden_off)]
        doubles = {n for n in names if names.count(n) > 1}
        assert not doubles


@pytest.mark.parametrize("option", ["-n", "--color"])
def test_an_option_before_the_command_is_told_its_place(option, capsys):
    assert run([option, "chat", "hi"]) == 2
    told = capsys.readouterr().err
    assert f"no option {option} before a command\n" in told
    assert "vllmctl COMMAND [OPTIONS]" in told
