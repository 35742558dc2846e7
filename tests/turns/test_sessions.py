"""``--session`` and ``--continue``: what is kept, what is sent again, what is refused."""

import errno
import json
import stat
import subprocess
import sys

import pytest

from tests.client.servers import response, serving
from tests.media.conftest import PNG
from tests.turns.conftest import answer
from vllmctl.env import Environment
from vllmctl.request.sessions import session_named

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


def test_of_several_answers_the_first_is_kept_and_that_is_told(vllmctl, sessions):
    done = vllmctl("chat", "Hi", "--session", "a", "--n", "2", "--base-url", "mock:?reply=Yes")
    assert "the conversation goes on with the first of the 2 answers" in done.err
    assert [one["role"] for one in kept(sessions / "a.jsonl")] == ["user", "assistant"]


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


def test_at_the_last_turn_what_was_exchanged_is_kept(say, sessions):
    calls = answer(("get_time", '{"zone": "CET"}'))
    arguments = ("--tool", "turn_tools:get_time", "--run-tools", "auto", "--session", "t")
    done, _ = say("When?", *arguments, "--max-turns", "2", answers=[calls, calls])
    assert done.code == 7
    assert "kept in" in done.err
    assert "-c goes on from here" in done.err
    assert [one["role"] for one in kept(sessions / "t.jsonl")] == ["user", "assistant", "tool"]
    _, bodies = say("Go on", "-c", answers=[answer(text="Noon")])
    roles = [one["role"] for one in bodies[0]["messages"]]
    assert roles == ["user", "assistant", "tool", "user"]


def test_what_tools_said_is_kept_when_the_next_request_fails(say, sessions):
    calls = answer(("get_time", '{"zone": "CET"}'))
    arguments = ("--tool", "turn_tools:get_time", "--run-tools", "auto", "--session", "t")
    done, _ = say("When?", *arguments, answers=[calls, [response(b"{}", "500 No")]])
    assert done.code == 5
    assert [one["role"] for one in kept(sessions / "t.jsonl")] == ["user", "assistant", "tool"]


def test_what_media_weigh_is_told_when_they_are_added(say, sessions, tmp_path):
    (tmp_path / "work" / "dot.png").write_bytes(PNG + bytes(3000))
    first, _ = say("What?", "--image", "dot.png", "--session", "t", answers=[answer(text="A")])
    assert "it holds 4.1 kB of media, and each turn sends them again" in first.err
    second, bodies = say("And?", "-c", answers=[answer(text="B")])
    assert "media" not in second.err
    assert bodies[0]["messages"][0] == kept(sessions / "t.jsonl")[0]
    quiet, _ = say("x", "--image", "dot.png", "-c", "-q", answers=[answer(text="C")])
    assert "media" not in quiet.err


@pytest.mark.parametrize(
    ("arguments", "words", "first"),
    [
        (("-d", '{"messages": [{"role": "user", "content": "d"}]}'), "session t take", "One"),
        (("--messages", '[{"role": "user", "content": "m"}]'), "--messages take", "m"),
    ],
)
def test_it_is_told_whose_messages_are_left_out(say, vllmctl, arguments, words, first):
    say("One", "--session", "t", answers=[answer(text="A")])
    done = vllmctl("chat", "x", "-c", *arguments, "-n", *TARGET)
    assert f"note: the messages of {words} the place of those of" in done.err
    assert done.json["messages"][0]["content"] == first
    assert "take the place" not in vllmctl("chat", "x", *arguments, "-n", *TARGET).err


def started(name, url):
    return subprocess.Popen(
        [sys.executable, "-m", "vllmctl", "chat", name, "--session", "par", "--base-url", url, "-q",
         "-R", *TARGET],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_several_at_once_lose_nothing(vllmctl, sessions):
    running = [started(f"hi {n}", "mock:?model=tiny&ttft=0.4") for n in range(4)]
    for one in running:
        one.communicate(timeout=30)
    assert [one.returncode for one in running] == [0] * 4
    told = [message["content"] for path in sessions.glob("*.jsonl") for message in kept(path)]
    assert {f"hi {n}" for n in range(4)} <= set(told)


def test_a_date_is_no_number(say, sessions):
    env = Environment(variables={"HOME": str(sessions.parents[3])})
    mine = session_named("2026-11-30", env)
    say("One", "--session", "2026-11-30", answers=[answer(text="A")])
    mine.messages = [{"role": "user", "content": "Mine"}]
    assert not mine.keep(env)
    assert mine.name == "2026-11-30-2"


def test_without_locks_it_is_kept_all_the_same(say, sessions, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    done, _ = say("One", "--session", "two", answers=[answer(text="A")])
    assert (done.code, len(kept(sessions / "two.jsonl"))) == (0, 2)


def test_what_another_kept_meanwhile_is_not_overwritten(say, sessions):
    env = Environment(variables={"HOME": str(sessions.parents[3])})
    say("One", "--session", "two", answers=[answer(text="A")])
    mine = session_named("two", env)
    say("Two", "--session", "two", answers=[answer(text="B")])
    theirs = (sessions / "two.jsonl").read_bytes()
    mine.messages = [*mine.messages, {"role": "user", "content": "Mine"}]
    assert not mine.keep(env)
    assert (mine.name, (sessions / "two.jsonl").read_bytes()) == ("two-2", theirs)
    mine.messages = [*mine.messages, {"role": "assistant", "content": "C"}]
    assert mine.keep(env)
    assert [one["content"] for one in kept(sessions / "two-2.jsonl")] == ["One", "A", "Mine", "C"]
