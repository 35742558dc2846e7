"""``--run-tools``: what is run, what the model is told, what is printed, and when it ends."""

import json
import os
import pty
import signal
import sys

import pytest

from tests.turns.conftest import answer

AUTO = ("--run-tools", "auto")
WEATHER = ("--tool", "turn_tools:get_weather")
CALL = ("get_weather", '{"city": "Rome"}')
JSON_TOOL = json.dumps(
    {
        "type": "function",
        "function": {
            "name": "echo",
            "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
        },
    }
)
ECHO = ("--tool", JSON_TOOL)
FINAL = answer(text="It is sunny.")


def results(body):
    return [one["content"] for one in body["messages"] if one["role"] == "tool"]


def test_a_function_is_run_and_its_result_sent_back(chat):
    done, bodies = chat(*WEATHER, *AUTO, answers=[answer(CALL, text="Let me see."), FINAL])
    assert (done.code, done.out) == (0, "It is sunny.")
    first, second = bodies
    question, called, told = second["messages"]
    assert question == first["messages"][0]
    assert called["role"] == "assistant"
    assert called["content"] == "Let me see."
    assert called["tool_calls"][0]["function"] == {"name": CALL[0], "arguments": CALL[1]}
    assert (told["role"], told["tool_call_id"]) == ("tool", called["tool_calls"][0]["id"])
    assert json.loads(told["content"]) == {"city": "Rome", "unit": "celsius", "sky": "clear"}
    assert {**second, "messages": 0} == {**first, "messages": 0}


def test_calls_and_results_are_told_on_stderr_unless_quiet(chat):
    done, _ = chat(*WEATHER, *AUTO, answers=[answer(CALL, text="Let me see."), FINAL])
    place = done.err.index("Let me see.\n")
    assert 'tool get_weather({"city": "Rome"})\n' in done.err[place:]
    assert 'get_weather: {"city":"Rome"' in done.err[place:]
    quiet, _ = chat(*WEATHER, *AUTO, "-q", answers=[answer(CALL), FINAL])
    assert (quiet.out, quiet.err) == ("It is sunny.", "looking\n")


def test_several_calls_are_answered_in_order(chat):
    calls = answer(CALL, ("get_time", '{"zone": "CET"}'))
    _, bodies = chat(*WEATHER, "--tool", "turn_tools:get_time", *AUTO, answers=[calls, FINAL])
    assert [json.loads(results(bodies[1])[0])["city"], results(bodies[1])[1]] == [
        "Rome",
        "noon in CET",
    ]


@pytest.mark.parametrize("name,kind", [("fails", "ValueError"), ("leaves", "SystemExit")])
def test_what_a_function_raises_is_its_result(chat, name, kind):
    calls = answer((name, '{"reason": "no way"}'))
    done, bodies = chat("--tool", f"turn_tools:{name}", *AUTO, answers=[calls, FINAL])
    assert (done.code, results(bodies[1])) == (0, [f"error: {kind}: no way"])


@pytest.mark.parametrize(
    "call,words",
    [
        (("get_weather", '{"city": 3}'), "error: city: Input should be a valid string"),
        (("get_weather", "{"), "error: the arguments are not JSON"),
        (("get_weather", "[]"), "error: the arguments are no JSON object"),
        (("get_wether", "{}"), "error: there is no tool get_wether; there are get_weather"),
    ],
)
def test_without_verification_the_model_hears_of_its_own_mistakes(chat, call, words):
    done, bodies = chat(*WEATHER, *AUTO, "--no-verify", answers=[answer(call), FINAL])
    assert done.code == 0
    assert results(bodies[1])[0].startswith(words)


def test_wrong_arguments_are_a_fault_of_the_answer(chat):
    done, bodies = chat(*WEATHER, *AUTO, answers=[answer(("get_weather", "{}")), FINAL])
    assert (done.code, len(bodies)) == (7, 1)
    assert "'city' is a required property" in done.err


def test_a_command_reads_the_arguments_and_prints_the_result(chat):
    command = f"echo={sys.executable} -c 'import sys; print(sys.stdin.read()[::-1])'"
    calls = answer(("echo", '{"text": "ab"}'))
    _, bodies = chat(*ECHO, *AUTO, "--tool-command", command, answers=[calls, FINAL])
    assert results(bodies[1]) == ['{"text": "ab"}'[::-1]]


def test_a_command_that_fails_says_so_to_the_model(chat):
    command = "echo=sh -c 'echo bad >&2; exit 3'"
    calls = answer(("echo", "{}"))
    _, bodies = chat(*ECHO, *AUTO, "--tool-command", command, answers=[calls, FINAL])
    assert results(bodies[1]) == ["error: exit status 3: bad"]


def test_it_ends_after_the_last_turn(chat):
    done, bodies = chat(*WEATHER, *AUTO, "--max-turns", "3", answers=[answer(CALL)])
    assert (done.code, len(bodies)) == (7, 3)
    assert "error: the model still calls tools after 3 turns" in done.err
    assert "--max-turns 6" in done.err
    assert done.out == 'get_weather({"city": "Rome"})\n'


def test_a_forced_call_is_forced_once(chat):
    forced = ("--tool-choice", "get_weather")
    done, bodies = chat(*WEATHER, *AUTO, *forced, answers=[answer(CALL), FINAL])
    assert bodies[0]["tool_choice"]["function"] == {"name": "get_weather"}
    assert bodies[1]["tool_choice"] == "auto"
    assert "tool_choice is auto from now on" in done.err


def test_only_the_last_answer_is_printed_as_json(chat):
    done, _ = chat(*WEATHER, *AUTO, "--json", answers=[answer(CALL), FINAL])
    assert done.json["choices"][0]["message"]["content"] == "It is sunny."


def test_a_call_of_a_tool_that_cannot_be_run_ends_it(chat):
    calls = answer(("echo", "{}"))
    done, bodies = chat(*WEATHER, *ECHO, *AUTO, answers=[calls, FINAL])
    assert (done.code, done.out, len(bodies)) == (0, "echo({})\n", 1)
    assert "echo cannot be run: --tool-command echo=" in done.err


def test_without_the_flag_nothing_is_run(chat):
    done, bodies = chat(*WEATHER, answers=[answer(CALL), FINAL])
    assert (done.code, done.out, len(bodies)) == (0, 'get_weather({"city": "Rome"})\n', 1)


@pytest.mark.parametrize(
    "arguments,words",
    [
        ((*ECHO, *AUTO), "there is no tool that could be run"),
        ((*ECHO, *AUTO, "--tool-command", "ech=cat"), "no tool is called ech; there are echo"),
        ((*ECHO, *AUTO, "--tool-command", "echo"), "expected NAME=COMMAND"),
        ((*ECHO, *AUTO, "--tool-command", "echo=no-such-command"), "there is no command"),
        ((*ECHO, *AUTO, "--tool-command", "echo='"), "cannot read the command"),
        ((*ECHO, "--tool-command", "echo=cat"), "--tool-command runs nothing by itself"),
        ((*WEATHER, *AUTO, "--max-turns", "0"), "--max-turns: expected a whole number from 1"),
        ((*WEATHER, *AUTO, "--n", "2"), "does not take --n"),
        ((*WEATHER, *AUTO, "--prefill", "x"), "--prefill"),
        ((*WEATHER, "--run-tools", "yes"), "'yes' is not one of ask, auto, never"),
        ((*WEATHER, "--run-tools", "ask"), "--run-tools ask needs a terminal"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_sent(chat, arguments, words):
    done, bodies = chat(*arguments, answers=[FINAL])
    assert (done.code, bodies) == (2, [])
    assert words in done.err


@pytest.fixture
def on_terminal(tools, project, monkeypatch, tmp_path):
    """Run ``chat`` on a terminal of its own, answer its question; return its code and output."""
    monkeypatch.setenv("PYTHONPATH", str(project))
    program = [sys.executable, "-m", "vllmctl", "chat", "What is the weather?"]

    def call(typed, *arguments):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(tmp_path / "work")
            os.execv(sys.executable, [*program, *arguments])
        shown = b"".join(_read(terminal, typed))
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()

    return call


def _read(terminal, typed):
    shown, asked = b"", False
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            return
        if not piece:
            return
        yield piece
        shown += piece
        if b"[y/N]" in shown and not asked:
            asked = True
            os.write(terminal, typed)


@pytest.mark.parametrize(
    "typed,code,words",
    [
        (b"y\n", 0, "looking"),
        (b"n\n", 0, "error: the user does not allow this call"),
        (b"\x04", 0, "error: the user does not allow this call"),
        (b"\x03", 128 + signal.SIGINT, "interrupted"),
    ],
)
def test_a_person_is_asked_on_the_terminal(on_terminal, typed, code, words):
    ended, shown = on_terminal(typed, *WEATHER, "--run-tools", "ask", "--base-url", "mock:")
    assert ended == code
    assert "run get_weather({" in shown
    assert words in shown.partition("[y/N]")[2]
    assert ("looking" in shown) is (typed == b"y\n")
    assert ("You wrote" in shown) is (code == 0)
