"""Signals end the program at any time: quietly, with the code of a shell, leaving nothing."""

import os
import re
import signal
import time

import pytest

from tests.client.servers import serving, stream_head, until_hung_up
from tests.hostile.processes import PATIENCE, group_lives, running

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
BASE = ("chat", "hi", "-m", "m", "--target", "vllm", "--base-url")
PIECE = b'data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}\n\n'


def ended(process, number: int) -> tuple[int, bytes, bytes]:
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert not group_lives(process.pid)
    return process.returncode, out, err


def wait_for(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("number", CODES)
def test_while_the_server_is_silent(number):
    with serving([until_hung_up]) as served, running(*BASE, served.url) as process:
        wait_for(lambda: served.got)
        assert ended(process, number) == (CODES[number], b"", b"")
        assert served.hung_up.wait(PATIENCE)


@pytest.mark.parametrize("number", CODES)
def test_in_the_middle_of_an_answer(number):
    with (
        serving([stream_head(), PIECE, until_hung_up]) as served,
        running(*BASE, served.url) as process,
    ):
        assert process.stdout is not None
        assert os.read(process.stdout.fileno(), 3) == b"Hel"
        assert ended(process, number) == (CODES[number], b"", b"")


@pytest.mark.parametrize("number", CODES)
def test_while_the_embedded_mock_takes_its_time(number):
    with running(*BASE[:-1], "--base-url", "mock:?ttft=30s") as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"note: the answer comes from")
        assert ended(process, number) == (CODES[number], b"", b"")


def test_while_standard_input_is_read():
    ours, theirs = os.pipe()
    with running("complete", "-", "-n", stdin=ours, VLLMCTL_X="") as process:
        assert process.stderr is not None
        process.stderr.readline()  # it says that it waits
        code, out, _ = ended(process, signal.SIGINT)
    os.close(ours)
    os.close(theirs)
    assert (code, out) == (130, b"")


def test_while_a_command_prints_the_key(tmp_path):
    profile = tmp_path / "p.toml"
    started = tmp_path / "started"
    profile.write_text(f"[server]\napi_key_cmd = ['sh', '-c', 'touch {started}; exec sleep 30']\n")
    flags = ("-p", str(profile), "--base-url", "mock:")
    with running("chat", "hi", *flags, VLLMCTL_TRUST=str(tmp_path)) as process:
        wait_for(started.exists)
        assert ended(process, signal.SIGTERM) == (143, b"", b"")


def test_the_mock_server_ends_in_order():
    for number in (signal.SIGINT, signal.SIGTERM):
        with running("mock", "--port", "0") as process:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(b"ready: ")
            code, _, err = ended(process, number)
        assert (code, b"Traceback" in err) == (0, False)


def test_what_was_written_to_a_file_is_whole_or_not_there(tmp_path):
    target = tmp_path / "answer.txt"
    target.write_text("before")
    base = (*BASE[:-1], "--output", str(target), "--base-url")
    with (
        serving([stream_head(), PIECE, until_hung_up]) as served,
        running(*base, served.url) as process,
    ):
        wait_for(lambda: served.got)
        time.sleep(0.2)
        assert ended(process, signal.SIGTERM)[0] == 143
    files = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert files.pop("answer.txt") == "before"
    assert files in ({}, {"answer.txt.part": "Hel"})


@pytest.mark.parametrize("step", range(0, 300, 30))
def test_at_any_moment_of_the_start(step):
    with running(*BASE, "mock:?ttft=30s&model=m", "-q") as process:
        time.sleep(step / 1000)
        process.send_signal(signal.SIGINT)
        if step % 60:
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    if b" panicked at " in err:  # a compiled module that is interrupted while it is imported
        return
    if b"Traceback" in err:  # while the interpreter itself starts, nobody else can catch it
        assert not re.search(rb"vllmctl/(?!__main__)", err), err
    else:
        assert process.returncode in (130, -2), err


def test_twice_in_a_row_ends_it_at_once():
    with serving([until_hung_up]) as served, running(*BASE, served.url) as process:
        wait_for(lambda: served.got)
        process.send_signal(signal.SIGINT)
        assert ended(process, signal.SIGINT) == (130, b"", b"")


def test_what_the_starter_ignores_stays_ignored():
    """``nohup`` and shells in the background have signals ignored."""

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    done = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    script = [stream_head(), PIECE, 1.0, done, b"data: [DONE]\n\n"]
    with serving(script) as served, running(*BASE, served.url, preexec_fn=ignore) as process:
        assert process.stdout is not None
        assert os.read(process.stdout.fileno(), 3) == b"Hel"
        process.send_signal(signal.SIGHUP)
        assert ended(process, signal.SIGINT) == (0, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGWINCH, signal.SIGCHLD, signal.SIGCONT])
def test_other_signals_change_nothing(number):
    done = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    script = [stream_head(), PIECE, 0.3, PIECE, done, b"data: [DONE]\n\n"]
    with serving(script) as served, running(*BASE, served.url) as process:
        assert process.stdout is not None
        assert os.read(process.stdout.fileno(), 3) == b"Hel"
        assert ended(process, number) == (0, b"Hel", b"")
