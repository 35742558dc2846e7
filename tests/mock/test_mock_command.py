"""``vllmctl mock`` as a process."""

import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from vllmctl.mock.faults import KINDS

COMMAND = [sys.executable, "-m", "vllmctl", "mock"]


def start(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*COMMAND, "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=20, check=False
    )


def ready_after() -> float:
    began = time.perf_counter()
    with start() as process:
        assert process.stdout
        assert process.stdout.readline().startswith("ready: http://127.0.0.1:")
        took = time.perf_counter() - began
        process.terminate()
    return took


def test_is_ready_in_less_than_a_second() -> None:
    times = []
    while len(times) < 5 and min(times, default=9.0) >= 1:
        times.append(ready_after())
    assert min(times) < 1


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_serves_until_it_is_told_to_end(sign: signal.Signals) -> None:
    with start("--model", "tiny", "--target", "vllm==0.32.0") as process:
        assert process.stdout
        assert process.stderr
        url = process.stdout.readline().split()[1]
        with urllib.request.urlopen(f"{url}/v1/models", timeout=10) as page:
            assert b'"id":"tiny"' in page.read()
        process.send_signal(sign)
        assert process.wait(timeout=10) == 0
        assert process.stdout.read() == ""
        notes = process.stderr.read()
    assert notes == "a mock of vllm==0.32.0 serves tiny; Ctrl-C ends it\n"


def test_lists_its_faults() -> None:
    listed = run("--list-faults").stdout.splitlines()
    assert [line.split()[0].partition("=")[0] for line in listed] == list(KINDS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fault", "stal"], "did you mean stall?"),
        (["--ttft", "soon"], "'soon' is not a time"),
        (["--tps", "-1"], "--tps: expected a number, 0 or more"),
        (["--jitter", "2"], "--jitter: expected a number, 0 to 1"),
        (["--target", "vllms"], "--target: unknown engine 'vllms'"),
        (["--port", "x"], "'x' is not a port"),
        (["--reply", "@/no/such/file"], "cannot read /no/such/file"),
        (["--record", "/no/such/folder"], "not a folder"),
        (["hello"], "takes no words"),
        (["--prot", "1"], "--port"),
    ],
)
def test_tells_what_is_wrong(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2, done
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_tells_that_the_port_is_taken() -> None:
    with start() as process:
        assert process.stdout
        port = process.stdout.readline().rpartition(":")[2].strip()
        done = run("--port", port)
        process.terminate()
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
