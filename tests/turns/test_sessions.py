"""``--session`` and ``--continue``: what is kept, what is sent again, what is refused."""

import json
import stat

import pytest

from tests.client.servers import response, serving
from tests.turns.conftest import answer

TARGET = ("-m", "tiny", "--target", "vllm==0.32.0")


@pytest.fixture
def sessions(tmp_path):
    return tmp_path / "home" / ".local" / "share" / "vllmctl" / "sessions"


@pytest.fixture
def say(vllmctl, tools):
    """Send a chat to a server that plays ``answers``; return the outcome and the bodies."""

    def call(*arguments, answers, stdin=None):
        with serving(*answers) as served:
            done = vllmctl("chat", *arguments, *TARGET, "--base-url", served.url, stdin=stdin)
        return done, [json.loads(got.body) for got in served.got]

    return call


def kept(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_conversation_is_kept_and_goes_on(say, sessions):
    first, _ = say("One", "-s", "Be short", "--session", "trip", answers=[answer(text="A")])
    assert "kept in ~/.local/share/vllmctl/sessions/trip.jsonl" in first.err
    second, bodies = say("Two", "--session", "trip", answers=[answer(text="B")])
    assert (second.code, second.out, second.err) == (0, "B", "")
    assert [(one["role"], one["content"]) for one in bodies[0]["messages"]] == [
        ("system", "Be short"),
        ("user", "One"),
        ("assistant", "A"),
        ("user", "Two"),
    ]
    whole = [*bodies[0]["messages"], {"role": "assistant", "content": "B"}]
    assert kept(sessions / "trip.jsonl") == whole


def test_continue_takes_the_last_one_and_piped_words(say, sessions, vllmctl):
    say("One", "--session", "old", answers=[answer(text="A")])
    say("Two", "--session", "new", answers=[answer(text="B")])
    _, bodies = say("-c", stdin=b"Three", answers=[answer(text="C")])
    assert [one["content"] for one in bodies[0]["messages"]] == ["Two", "B", "Three"]
    assert len(kept(sessions / "old.jsonl")) == 2
    dry = vllmctl("chat", "-c", "Four", "-n", *TARGET)
    assert [one["content"] for one in dry.json["messages"]][-2:] == ["C", "Four"]
    assert len(kept(sessions / "new.jsonl")) == 4


def test_what_fails_is_not_kept(say, sessions):
    say("One", "--session", "trip", answers=[answer(text="A")])
    before = (sessions / "trip.jsonl").read_bytes()
    refused, _ = say("Two", "-c", answers=[[response(b"{}", "500 No")]])
    cut, _ = say("Two", "-c", answers=[answer(text="B")[:2]])
    assert (refused.code, cut.code) == (5, 7)
    assert (sessions / "trip.jsonl").read_bytes() == before


def test_tools_and_their_results_are_kept(say, sessions):
    calls = answer(("get_time", '{"zone": "CET"}'))
    arguments = ("--tool", "turn_tools:get_time", "--run-tools", "auto", "--session", "t")
    say("When?", *arguments, answers=[calls, answer(text="Now")])
    roles = [one["role"] for one in kept(sessions / "t.jsonl")]
    assert roles == ["user", "assistant", "tool", "assistant"]


def test_a_prefill_becomes_part_of_the_answer(say, sessions):
    say("One", "--prefill", "Well", "--session", "t", answers=[answer(text=", yes")])
    assert kept(sessions / "t.jsonl")[-1] == {"role": "assistant", "content": "Well, yes"}


def test_any_text_is_kept_as_it_is(say, sessions, vllmctl):
    text = "a\u2028b\x85c\nd"
    say(text, "--session", "t", answers=[answer(text="\ud83d")])
    dry = vllmctl("chat", "-c", "x", "-n", *TARGET)
    assert dry.json["messages"][0]["content"] == text


def test_sessions_are_for_their_owner(say, sessions):
    say("One", "--session", "t", answers=[answer(text="A")])
    assert stat.S_IMODE(sessions.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "arguments,words",
    [
        (("x", "-c"), "there is no session to go on with"),
        (("x", "--session", "../x"), "'../x' is no name for a session"),
        (("x", "--session", "broken"), "broken.jsonl:2: expected a message"),
        (("--session", "fine"), "there is no prompt to go on with"),
    ],
)
def test_what_cannot_go_on_is_refused(vllmctl, sessions, arguments, words):
    if "-c" not in arguments:
        sessions.mkdir(parents=True)
        (sessions / "broken.jsonl").write_text('{"role": "user", "content": "a"}\n[]\n')
        (sessions / "fine.jsonl").write_text('{"role": "user", "content": "a"}\n')
    done = vllmctl("chat", *arguments, "-n", *TARGET)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
