"""What keys do while a message is typed, and what a person sees on a real terminal."""

import io
import json
import re
import signal
import socket
import stat
import time

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from tests.client.servers import serving, stream_head, until_hung_up
from tests.hostile.processes import PATIENCE, finished
from tests.hostile.screens import Screen as Terminal
from vllmctl.cli.chat import command
from vllmctl.cli.given import Given
from vllmctl.cli.interactive.asking import Line
from vllmctl.cli.interactive.chat import Chat
from vllmctl.cli.interactive.screen import Screen
from vllmctl.cli.interactive.talk import Talk
from vllmctl.env import Environment
from vllmctl.request.sessions import Session

ALT_ENTER, CTRL_C, CTRL_D = "\x1b\r", "\x03", "\x04"


@pytest.fixture
def read(tmp_path):
    """Return what is read, one message after the other, when ``keys`` are pressed."""

    def call(keys):
        env = Environment(variables={"HOME": str(tmp_path)}, cwd=tmp_path)
        chat = Chat(Talk.begin(Given({}, command().specs), Session()), Line(env), env)
        with create_pipe_input() as typed, create_app_session(typed, DummyOutput()):
            typed.send_text(keys + CTRL_C + CTRL_C + CTRL_D)
            screen = Screen(chat, DummyOutput())
            return list(iter(screen.read, None))

    return call


@pytest.mark.parametrize(
    ("variables", "is_bold"), [({"FORCE_COLOR": "1"}, True), ({"NO_COLOR": "1"}, False)]
)
def test_the_prompt_is_bold_where_colour_is_wanted(variables, is_bold, tmp_path):
    env = Environment(variables={"HOME": str(tmp_path), **variables}, cwd=tmp_path)
    chat = Chat(Talk.begin(Given({}, command().specs), Session()), Line(env), env)
    shown = io.StringIO()
    output = Vt100_Output(shown, lambda: Size(24, 80))
    with create_pipe_input() as typed, create_app_session(typed, output):
        typed.send_text("Hello\r")
        assert Screen(chat, output).read() == "Hello"
    assert (";1m" in shown.getvalue()) is is_bold


@pytest.mark.parametrize(
    "keys,said",
    [
        ("Hello\r", ["Hello"]),
        ("one\rtwo\r", ["one", "two"]),
        (f"one{ALT_ENTER}two\r", ["one\ntwo"]),
        ("one\\\rtwo\r", ["one\ntwo"]),
        ("one\\\\\r", ["one\\\\"]),
        ('"""a\rb"""\r', ['"""a\nb"""']),
        ('/system """\rBe kind\r"""\r', ['/system """\nBe kind\n"""']),
        ("\x1b[200~def f():\n\treturn 1\n\x1b[201~\r", ["def f():\n    return 1\n"]),
        (f"wrong{CTRL_C}right\r", ["right"]),
        (f"wrong{CTRL_C}half{CTRL_C}right\r", ["right"]),
        (f"{CTRL_C}{CTRL_C}never\r", []),
        (f"{CTRL_D}never\r", []),
    ],
)
def test_keys(read, keys, said):
    assert [text.replace("\t", "    ") for text in read(keys)] == said


def test_what_is_typed_is_remembered_but_for_secrets(read, tmp_path):
    read("one\r/set api-key sk-secret\rtwo\r")
    file = tmp_path / ".local" / "state" / "vllmctl" / "history"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [json.loads(line) for line in file.read_text().splitlines()] == ["one", "two"]


class Person:
    """Somebody who waits for the prompt before typing."""

    READY = b"\x1b[?2004h"
    """What the terminal is told when a prompt begins: pasted text is to be marked."""

    def __init__(self, *arguments, **variables):
        self.terminal = Terminal("chat", "-i", *arguments, **variables)
        self.wait_for(self.READY)

    def wait_for(self, wanted):
        self.terminal.read_until(wanted)

    def type(self, keys, wanted=b""):
        """Press ``keys``, and wait for what is ``wanted`` and then for the next prompt."""
        self.terminal.type(keys)
        self.wait_for(wanted)
        if keys.endswith(b"\r"):
            self.terminal.seen = self.terminal.seen[self.terminal.seen.index(wanted) :]
            self.wait_for(self.READY)

    def leave(self):
        self.terminal.type(b"\x04")
        self.terminal.read_until(None)
        return self.terminal.process.wait(PATIENCE)


@pytest.fixture
def person(tmp_path):
    """Start a chat with the mock on a terminal."""
    started = []

    def call(mock, *flags):
        url = f"mock:?reasoning=&model=tiny&{mock}"
        home = {"HOME": str(tmp_path), "PROMPT_TOOLKIT_NO_CPR": "1"}
        started.append(Person("--base-url", url, "--target", "vllm", *flags, **home))
        return started[-1]

    yield call
    for one in started:
        one.terminal.close()


LONG = "tps=20&reply=" + "word+" * 200


def test_ctrl_c_stops_the_answer_and_not_the_program(person, tmp_path):
    one = person(LONG, "--session", "t")
    one.terminal.type(b"One\r")
    one.wait_for(b"word word")
    one.terminal.type_ahead(b"\x03\x03\x03")
    one.wait_for(b"stopped; what came is kept; /retry asks again")
    kept = tmp_path / ".local" / "share" / "vllmctl" / "sessions" / "t.jsonl"
    question, answer = (json.loads(line) for line in kept.read_text().splitlines())
    assert (question["content"], answer["cut"]) == ("One", True)
    assert answer["content"].startswith("word word")
    one.wait_for(Person.READY)
    assert one.leave() == 0


def test_ctrl_c_before_anything_came(person):
    one = person("ttft=30")
    one.terminal.type(b"One\r")
    one.wait_for(b"built-in mock")
    one.terminal.type_ahead(b"\x03")
    one.wait_for(b"stopped; /retry sends it again")
    one.wait_for(Person.READY)
    one.type(b"/history\r", b"user (not answered)")
    assert one.leave() == 0


def test_the_server_is_told_that_nobody_listens_any_more(tmp_path):
    piece = b'data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}\n\n'
    with serving([stream_head(), piece, until_hung_up]) as served:
        base = ("--base-url", served.url, "-m", "m", "--target", "vllm")
        one = Person(*base, HOME=str(tmp_path), PROMPT_TOOLKIT_NO_CPR="1")
        one.terminal.type(b"One\r")
        one.wait_for(b"Hel")
        time.sleep(0.05)  # a signal on the very way into a read is seen when that returns
        one.terminal.type_ahead(b"\x03")
        assert served.hung_up.wait(PATIENCE)
        one.wait_for(Person.READY)
        assert one.leave() == 0
        one.terminal.close()


def test_what_is_typed_ahead_waits_for_the_next_prompt(person):
    one = person("ttft=0.3&reply=Good+answer")
    one.terminal.type(b"One\r")
    one.wait_for(b"built-in mock")
    one.terminal.type_ahead(b"/usage\r")
    one.wait_for(b"tokens: ")
    seen = one.terminal.seen
    assert seen.index(b"Good answer") < seen.index(b"/usage")
    one.type(b"/history\r", b"assistant")
    assert one.leave() == 0


def test_what_a_model_or_a_server_says_cannot_control_the_terminal(person):
    one = person("reply=a%1b]0;evil%07b&model=%1b]0;evil%07")
    one.type(b"One\r", "␛]0;evil".encode())
    one.type(b"/history\r", "a␛]0;evil␇b".encode())
    one.type(b"/model\r", "served: tiny, ␛]0;evil".encode())
    one.type(b"/set\r", b"base_url: ")
    assert b"\x1b]0;" not in one.terminal.seen
    assert one.leave() == 0


def test_tab_and_the_arrow_keys(person):
    one = person("reply=Hi")
    one.type(b"/set temper\t", b"ature")
    one.type(b" 0.25\r", b"temperature: 0.25")
    one.type(b"\x1b[A", b"temperature 0.25")
    one.type(b"\r", b"nothing changes")
    assert one.leave() == 0
    again = person("reply=Hi")
    again.type(b"\x1b[A", b"temperature 0.25")
    again.terminal.type(b"\x03")
    assert again.leave() == 0


def test_a_tool_is_asked_for_on_the_same_terminal(person):
    tool = json.dumps({"type": "function", "function": {"name": "look", "parameters": {}}})
    flags = ("--tool", tool, "--tool-command", "look=echo bright", "--tool-choice", "required")
    one = person("reply=Fine", *flags, "--run-tools", "ask")
    one.terminal.type(b"One\r")
    one.wait_for(b"[y/N]")
    one.type(b"y\r", b"Fine")
    assert one.leave() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("answering", [False, True])
def test_other_signals_end_it_and_leave_the_terminal_as_it_was(person, number, answering):
    one = person(LONG)
    if answering:
        one.terminal.type(b"One\r")
        one.wait_for(b"word word")
    one.terminal.process.send_signal(number)
    one.terminal.read_until(None)
    assert one.terminal.process.wait(PATIENCE) == 128 + number
    assert not re.search(b"Traceback|Warning|Exception", one.terminal.seen), one.terminal.seen


def test_a_dumb_terminal_gets_plain_lines_and_a_prompt(tmp_path):
    base = ("chat", "-i", "--base-url", "mock:?reply=Hi.&reasoning=")
    one = Terminal(*base, TERM="dumb", HOME=str(tmp_path))
    one.read_until(b"> ")
    one.type(b"  /help\r")
    assert b"/set" in one.read_until(b"> ")
    one.type(b"Hello\r")
    assert b"Hi." in one.read_until(b"\n> ")
    one.type_ahead(b"\x03\x04")
    assert b"\x1b" not in one.read_until(None)
    assert one.process.wait(PATIENCE) == 0
    one.close()


def test_a_server_that_never_answers_keeps_nobody_from_the_prompt(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        home = {"HOME": str(tmp_path), "PROMPT_TOOLKIT_NO_CPR": "1"}
        one = Person("--base-url", url, **home)
        assert one.leave() == 0
        one.terminal.close()


def test_without_the_package_it_says_what_to_install(tmp_path):
    (tmp_path / "prompt_toolkit.py").write_text("raise ImportError('no')")
    path = {"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
    one = Terminal("chat", "-i", "--base-url", "mock:", **path)
    seen = one.read_until(None)
    assert one.process.wait(PATIENCE) == 2
    assert b"pip install 'vllm-request[repl]'" in seen
    one.close()


def test_without_the_package_lines_can_be_piped(tmp_path):
    (tmp_path / "prompt_toolkit.py").write_text("raise ImportError('no')")
    base = ("chat", "-i", "--base-url", "mock:?reply=Hi.&reasoning=", "-q", "Hello")
    done = finished(*base, PYTHONPATH=str(tmp_path), HOME=str(tmp_path))
    assert (done.code, done.out, done.err) == (0, "Hi.\n", "")
