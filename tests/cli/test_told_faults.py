"""Faults of a command line are told with what was typed, and a hint that fits."""

import io
import socket

import pytest

from vllmctl.errors import UsageError
from vllmctl.request import sources

HI = ("chat", "hi", "-n", "-m", "x")


@pytest.mark.parametrize(
    "arguments,words",
    [
        ((*HI, "-f", "nosuch"), "error: -f: cannot read nosuch: No such file or directory\n"),
        ((*HI, "-f", "."), "error: -f: . is a folder, not a file\n"),
        ((*HI, "--image", "."), "error: --image: . is a folder, not a file\n"),
        ((*HI, "--image", ""), "error: --image: the name of the file is empty\n"),
        ((*HI, "-f", ""), "error: -f: the name of the file is empty\n"),
        ((*HI, "--system", "@"), "error: --system: @ wants a file name\n"),
        ((*HI, "--system", "@nosuch"), "a text that starts with @ is written"),
        ((*HI, "--base-url", "http://"), "error: --base-url: expected a host after http://\n"),
        ((*HI, "--tool", "math:pi"), "error: --tool: math:pi is no function"),
        ((*HI, "--json-schema", "@nosuch"), "error: --json-schema: cannot read nosuch"),
        (("mock", "--ttft", "abc"), "error: --ttft: 'abc' is not a time\n"),
        (("mock", "--tps", "x"), "error: --tps: expected a number, 0 or more; got 'x'\n"),
        (("mock", "--max-model-len", "x"), "error: --max-model-len: expected a number"),
        (("mock", "--fault", "429:2"), "error: --fault: 429:2: the rate after the colon"),
        (("mock", "--record", "nosuch"), "error: --record: nosuch is not a folder"),
        (("mock", "--target", "nosuch"), "error: --target: unknown engine 'nosuch'\n"),
        (("mock", "--reply", "@nosuch"), "cannot read nosuch: No such file or directory\n"),
        (("chat", "hi", "--base-url", "mock:?tps=x"), "error: mock:?tps=…: expected a number"),
    ],
)
def test_what_was_typed_is_named(vllmctl, arguments, words):
    done = vllmctl(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    has_at = arguments[0] == "chat" and arguments[-1].startswith("@n")
    assert ("starts with @" in done.err) == has_at


def test_a_port_in_use_is_told_with_the_mend(vllmctl):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = vllmctl("mock", "--port", str(port))
    assert done.code == 2
    assert f"cannot listen on 127.0.0.1:{port}: it is in use" in done.err
    assert "--port 0" in done.err


@pytest.mark.parametrize("text", ["[1, 2]", "[]"])
def test_a_request_is_an_object(vllmctl, text):
    done = vllmctl("lint", text)
    assert done.code == 2
    assert "a request must be a JSON object, got a list" in done.out


def test_what_has_no_end_is_not_read_without_end(vllmctl, monkeypatch):
    monkeypatch.setattr(sources, "MOST_BYTES", 2_000_000)
    for arguments in ((*HI, "-f", "/dev/zero"), (*HI, "-d", "@/dev/zero"), ("lint", "/dev/zero")):
        done = vllmctl(*arguments)
        assert done.code == 2
        assert "/dev/zero does not end after 2 MB" in done.err
    with pytest.raises(UsageError, match="does not end"):
        sources.bounded(io.BytesIO(bytes(2_000_001)), "a pipe")


def test_a_regular_file_may_be_longer(monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "MOST_BYTES", 2)
    (tmp_path / "long").write_bytes(b"long")
    with (tmp_path / "long").open("rb") as stream:
        assert sources.bounded(stream, "long") == b"long"


def test_a_number_as_a_prompt_is_not_guessed_at(vllmctl):
    done = vllmctl("lint", '{"prompt": 1}', "--fix")
    assert done.code == 2
    assert "[1]" not in done.out + done.err
