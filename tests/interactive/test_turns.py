"""What is sent turn by turn, and what becomes of answers that fail."""

import base64
import json

import pytest

from tests.client.servers import response, stream_head
from tests.interactive.conftest import contents
from tests.turns.conftest import answer

PIECE = b'data: {"choices": [{"index": 0, "delta": {"content": "Hal"}}]}\n\n'
CUT = [stream_head(), PIECE]
REFUSED = [response(b'{"error": {"message": "No such thing", "code": 400}}', "400 Bad Request")]
DOWN = [response(b"{}", "503 Unavailable")]
A, B, C = answer(text="A"), answer(text="B"), answer(text="C")


def kept(tmp_path, name="t"):
    path = tmp_path / "home" / ".local" / "share" / "vllmctl" / "sessions" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_message_carries_what_was_said(talk):
    done, bodies = talk("One", "", "Two", flags=("-s", "Be brief"), answers=[A, B])
    assert (done.code, done.out) == (0, "A\nB\n")
    assert contents(bodies[0]) == ["Be brief", "One"]
    assert contents(bodies[1]) == ["Be brief", "One", "A", "Two"]


def test_the_flags_are_where_it_starts(talk, tmp_path):
    (tmp_path / "work" / "p.toml").write_text("[request]\ntop_k = 5\nseed = 1\n")
    flags = (
        "First",
        "-p",
        "./p.toml",
        "--temperature",
        "0.2",
        "-o",
        "made_up=1",
        "--allow-unknown",
    )
    _, bodies = talk("Two", "/set seed 2", "Three", flags=flags, answers=[A, B, C])
    assert [contents(body)[-1] for body in bodies] == ["First", "Two", "Three"]
    assert all(
        (body["top_k"], body["temperature"], body["made_up"]) == (5, 0.2, 1) for body in bodies
    )
    assert [body["seed"] for body in bodies] == [1, 1, 2]


def test_the_first_message_may_come_from_a_file(talk, tmp_path):
    (tmp_path / "work" / "first.txt").write_text("From a file")
    _, bodies = talk(flags=("@first.txt",), answers=[A])
    assert contents(bodies[0]) == ["From a file"]


def test_messages_are_text_whatever_they_begin_with(talk):
    _, bodies = talk("@dataclass", "-", "//etc", "\\@x", answers=[A])
    assert contents(bodies[3])[::2] == ["@dataclass", "-", "/etc", "\\@x"]


def test_files_go_with_one_message(talk, tmp_path):
    (tmp_path / "work" / "a.md").write_text("A file")
    _, bodies = talk("/file a.md", "One", "Two", answers=[A])
    assert contents(bodies[0]) == ["One\n\nA file"]
    assert contents(bodies[1])[-1] == "Two"


def test_an_image_goes_with_one_message(talk, tmp_path):
    picture = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    (tmp_path / "work" / "dot.png").write_bytes(picture)
    _, bodies = talk("/image dot.png", "What?", "More", answers=[A])
    assert [part["type"] for part in contents(bodies[0])[0]] == ["image_url", "text"]
    assert contents(bodies[1])[-1] == "More"


def test_a_prefill_is_for_one_answer(talk):
    _, bodies = talk("One", "Two", flags=("--prefill", "Well"), answers=[answer(text=", A"), B])
    assert bodies[0]["continue_final_message"] is True
    assert "continue_final_message" not in bodies[1]
    assert contents(bodies[1]) == ["One", "Well, A", "Two"]


def test_a_body_opens_the_talk_once(talk):
    body = json.dumps({"messages": [{"role": "user", "content": "2+2"}], "seed": 1})
    done, bodies = talk("3+3", "4+4", flags=("-d", body), answers=[A, B])
    assert contents(bodies[1]) == ["2+2", "3+3", "A", "4+4"]
    assert "take the place" not in done.err


def test_examples_open_the_talk_once(talk):
    opening = json.dumps(
        [{"role": "user", "content": "2+2"}, {"role": "assistant", "content": "4"}]
    )
    _, bodies = talk("3+3", "4+4", flags=("--messages", opening), answers=[A, B])
    assert contents(bodies[0]) == ["2+2", "4", "3+3"]
    assert contents(bodies[1]) == ["2+2", "4", "3+3", "A", "4+4"]


def test_retry_replaces_the_answer(talk):
    done, bodies = talk("One", "/set seed 2", "/retry", "Two", answers=[A, B, C])
    assert done.out == "A\nB\nC\n"
    assert contents(bodies[1]) == ["One"]
    assert bodies[1]["seed"] == 2
    assert contents(bodies[2]) == ["One", "B", "Two"]


def test_retry_begins_the_answer_as_before(talk):
    said = ["/set prefill Sure:", "One", "/retry", "/retry", "Two"]
    _, bodies = talk(*said, answers=[A, B, C, A])
    for body in bodies[:3]:
        assert contents(body) == ["One", "Sure:"]
        assert body["continue_final_message"] is True
    assert len(contents(bodies[3])) == 3
    assert "continue_final_message" not in bodies[3]
    _, bodies = talk("Two", *said[:2], "/undo", "/retry", answers=[A, B, C])
    assert contents(bodies[2]) == ["Two"]


def test_undo_is_as_if_it_had_not_been_said(talk):
    _, bodies = talk("One", "Two", "/undo", "Three", answers=[A, B, C])
    assert contents(bodies[2]) == ["One", "A", "Three"]


@pytest.mark.parametrize(("fault", "code"), [(REFUSED, 4), (DOWN, 5), ([b""], 3)])
def test_a_message_that_failed_is_sent_again_or_forgotten(talk, fault, code):
    done, bodies = talk("One", "Two", "/retry", "Three", answers=[A, fault, B, C])
    assert (done.code, done.out) == (code, "A\nB\nC\n")
    assert "hint: /retry sends it again" in done.err
    assert contents(bodies[-1]) == ["One", "A", "Two", "B", "Three"]
    done, bodies = talk("One", "Two", "Three", answers=[A, fault, C])
    assert contents(bodies[-1]) == ["One", "A", "Three"]


def test_a_failed_retry_leaves_the_answer(talk):
    done, bodies = talk("One", "/retry", "Two", answers=[A, DOWN, B])
    assert done.code == 5
    assert contents(bodies[-1]) == ["One", "A", "Two"]


def test_no_server_at_all(vllmctl):
    base = ("--base-url", "http://127.0.0.1:1", "-m", "m", "--target", "vllm")
    done = vllmctl("chat", "-i", *base, stdin=b"One\n/history\n/retry\n")
    assert (done.code, done.out) == (3, "user (not answered)\nOne\n\n")
    assert done.err.count("cannot connect to") == 2


def test_what_came_of_a_cut_answer_is_kept_with_a_mark(talk, tmp_path):
    done, bodies = talk("One", "/history", "Two", flags=("--session", "t"), answers=[CUT, B])
    assert done.code == 7
    assert "the stream ended before the answer was complete" in done.err
    assert "hint: what came is kept; /retry asks again" in done.err
    assert "assistant (cut)\nHal\n" in done.out
    assert contents(bodies[1]) == ["One", "Hal", "Two"]
    assert not any("cut" in message for message in bodies[1]["messages"])
    assert [message.get("cut") for message in kept(tmp_path)] == [None, True, None, None]


def test_a_cut_answer_is_replaced(talk, tmp_path):
    done, _ = talk("One", "/retry", flags=("--session", "t"), answers=[CUT, B])
    assert done.out == "Hal\nB\n"
    assert [message["content"] for message in kept(tmp_path)] == ["One", "B"]
    assert not any("cut" in message for message in kept(tmp_path))


def test_a_mark_outlives_a_single_request_and_is_not_sent(talk, vllmctl, tmp_path):
    talk("One", flags=("--session", "t"), answers=[CUT])
    base = ("--session", "t", "-m", "tiny", "--target", "vllm==0.32.0")
    dry = vllmctl("chat", "Two", *base, "-n")
    assert contents(dry.json) == ["One", "Hal", "Two"]
    assert vllmctl("chat", "Two", *base, "--base-url", "mock:?model=tiny").code == 0
    assert [message.get("cut") for message in kept(tmp_path)] == [None, True, None, None]


def test_an_answer_that_is_not_as_asked_is_part_of_the_talk(talk):
    done, bodies = talk("One", "/unset choice", "Two", flags=("--choice", "red"), answers=[A, B])
    assert done.code == 7
    assert contents(bodies[1]) == ["One", "A", "Two"]
    assert "(cut)" not in done.out


def test_tools_run_within_a_turn(talk):
    calls = answer(("get_time", '{"zone": "CET"}'))
    flags = ("--tool", "turn_tools:get_time", "--run-tools", "auto")
    done, bodies = talk("When?", "More", flags=flags, answers=[calls, answer(text="Now"), B])
    assert done.out == "Now\nB\n"
    roles = [message["role"] for message in bodies[2]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]


def test_what_tools_said_is_kept_when_the_next_request_fails(talk):
    calls = answer(("get_time", '{"zone": "CET"}'))
    flags = ("--tool", "turn_tools:get_time", "--run-tools", "auto", "--session", "t")
    done, bodies = talk("When?", "/retry", "More", flags=flags, answers=[calls, DOWN, A, B])
    assert (done.code, done.out) == (5, "A\nB\n")
    assert done.err.count("tool get_time(") == 1
    assert done.err.count("kept in") == 1
    assert bodies[2]["messages"] == bodies[1]["messages"]
    roles = [message["role"] for message in bodies[3]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]


def test_the_code_is_that_of_the_first_turn_that_failed(talk):
    done, _ = talk("One", "Two", "Three", answers=[DOWN, REFUSED, A])
    assert (done.code, done.out) == (5, "A\n")


def test_a_session_goes_on(talk, tmp_path):
    talk("One", flags=("--session", "t"), answers=[A])
    _, bodies = talk("Two", flags=("-c",), answers=[B])
    assert contents(bodies[0]) == ["One", "A", "Two"]
    assert [message["content"] for message in kept(tmp_path)] == ["One", "A", "Two", "B"]


def test_the_server_is_found_out_once(vllmctl):
    done = vllmctl(
        "chat", "-i", "--base-url", "mock:?reply=Hi.&reasoning=", stdin=b"One\nTwo\n/set\n"
    )
    assert done.err.count("the answer comes from the built-in mock") == 1
    assert 'model: "mock"  (the server\'s only model)' in done.out


def test_a_command_may_be_indented_and_a_message_too(talk):
    done, bodies = talk("  /set seed 1 ", "  One", "  //two", answers=[A, B])
    assert "seed: 1" in done.err
    assert contents(bodies[0]) == ["  One"]
    assert contents(bodies[1])[-1] == "/two"


def test_a_warning_is_said_once(talk):
    done, _ = talk("One", "Two", flags=("--user", "me"), answers=[A])
    assert done.err.count("ignored: user has no effect") == 1
    assert done.code == 0


@pytest.mark.parametrize("flag", ["-n", "-x", "--json"])
def test_what_makes_no_sense_is_refused_before_anything_is_sent(talk, flag):
    done, bodies = talk("One", flags=(flag,), answers=[A])
    assert (done.code, bodies, done.out) == (2, [], "")


@pytest.mark.parametrize(
    "flags", [("--temperature", "5"), ("--temperature", "x"), ("-f", "-"), ("a", "b")]
)
def test_what_cannot_be_sent_is_refused_before_anything_is_said(talk, flags):
    done, bodies = talk("One", flags=flags, answers=[A])
    assert (done.code, bodies, done.out) == (2, [], "")


def test_flags_can_be_saved_as_a_profile(talk, tmp_path):
    done, _ = talk("One", flags=("--save-profile", "mine", "--seed", "1"), answers=[A])
    assert done.err.count("saved to") == 1


def test_lines_of_other_systems_and_encodings(vllmctl):
    flags = ("--base-url", "mock:?reasoning=", "-q")
    done = vllmctl("chat", "-i", *flags, stdin="\ufeffGrüße\r\n/history\r\n".encode())
    assert "\nuser\nGrüße\n\n" in done.out
    broken = vllmctl("chat", "-i", *flags, stdin=b"a\nb\xff\n")
    assert "not UTF-8" in broken.err


def test_the_letter_i_is_another_flag_where_there_is_no_talk(vllmctl):
    mock = ("--base-url", "mock:?reply=Hi.&reasoning=", "-q")
    assert "HTTP 200" in vllmctl("complete", "x", "-i", *mock).err
    assert "HTTP 200" in vllmctl("chat", "x", "--include", *mock).err
    assert "HTTP 200" not in vllmctl("chat", "x", "-i", *mock).err
    assert "HTTP 200" in vllmctl("chat", "x", "-i", "--include", *mock).err
    refused = vllmctl("complete", "x", "--interactive", *mock)
    assert "--interactive belongs to `vllmctl chat`" in refused.err


def test_what_cannot_be_kept_was_said_all_the_same(talk, tmp_path):
    folder = tmp_path / "home" / ".local" / "share" / "vllmctl" / "sessions"
    (folder / ".lock").mkdir(parents=True)
    done, bodies = talk("One", "Two", flags=("--session", "t"), answers=[A, B])
    assert done.code == 2
    assert "cannot keep anything" in done.err
    assert contents(bodies[1]) == ["One", "A", "Two"]


def test_the_key_is_asked_for_anew_after_a_refusal(talk, tmp_path):
    command = tmp_path / "key"
    command.write_text(f"#!/bin/sh\necho x >> {tmp_path}/asked; echo sekret\n")
    command.chmod(0o755)
    config = tmp_path / "home" / ".config" / "vllmctl" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"[server]\napi_key_cmd = '{command}'\n")
    refused = [response(b"{}", "401 Unauthorized")]
    talk("One", "/retry", "Two", answers=[refused, A, B])
    assert (tmp_path / "asked").read_text().count("x") == 2
