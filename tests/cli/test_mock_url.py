"""``--base-url mock:``: the whole way of a request without a server."""

import json
import subprocess
import sys
import time

import pytest


def test_the_mock_answers_and_says_so(vllmctl):
    done = vllmctl("chat", "Hello there", "--base-url", "mock:", "-u")
    assert done.code == 0
    assert "You wrote: Hello there" in done.out
    assert "mock" in done.err
    assert "tokens:" in done.err


def test_it_may_be_set_in_the_environment_and_takes_options(vllmctl, monkeypatch):
    monkeypatch.setenv("VLLMCTL_BASE_URL", "mock:?reply=Just%20this&reasoning=")
    assert vllmctl("chat", "hi", "-q").out == "Just this"
    assert vllmctl("complete", "hi", "-q").out == "Just this"
    assert vllmctl("chat", "hi", "--json").json["choices"][0]["message"]["content"] == "Just this"


def test_constraints_are_kept(vllmctl):
    schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    base = ("chat", "hi", "--base-url", "mock:?seed=1", "-q", "-R", "--no-thinking")
    answer = json.loads(vllmctl(*base, "--schema", json.dumps(schema)).out)
    assert isinstance(answer["age"], int)
    assert vllmctl(*base, "--choice", "red", "--choice", "blue").out in ("red", "blue")
    assert vllmctl(*base, "--regex", "a{3}b").out == "aaab"


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("cut-fin", 7), ("cut-rst", 7), ("error-event", 7), ("abort", 7), ("401-string", 4),
        ("429", 4), ("503", 5), ("html-502", 5), ("split-bytes", 0), ("keep-alive-comments", 0),
    ],
)  # fmt: skip
def test_faults_end_with_the_right_code(vllmctl, fault, code):
    base = ("--base-url", f"mock:?fault={fault}", "-m", "mock", "--target", "vllm")
    done = vllmctl("chat", "hi", *base, "-q")
    assert done.code == code
    assert "Traceback" not in done.err


def test_options_that_it_does_not_have_are_told(vllmctl):
    done = vllmctl("chat", "hi", "--base-url", "mock:?nope=1")
    assert (done.code, done.out) == (2, "")
    assert "nope" in done.err


def test_it_refuses_what_the_real_server_refuses(vllmctl):
    done = vllmctl("chat", "hi", "--base-url", "mock:", "--top-p", "3", "--no-check")
    assert done.code == 4
    assert "top_p must be in (0, 1]" in done.err
    assert "set by --top-p" in done.err


def test_its_own_release_is_the_one_that_requests_are_checked_for(vllmctl):
    asked = ("chat", "hi", "-o", "temprature=1", "--allow-unknown", "-m", "mock", "--base-url")
    newest = vllmctl(*asked, "mock:?reasoning=")
    assert (newest.code, "ignores it" in newest.err) == (0, True)
    old = vllmctl(*asked, "mock:?target=vllm==0.6.3")
    assert (old.code, "vllm==0.6.3 refuses it" in old.err) == (2, True)


def test_it_streams_for_real():
    url = "mock:?reply=lorem&ttft=0ms&tps=30&reasoning="
    command = [sys.executable, "-m", "vllmctl", "chat", "hi", "--base-url", url, "-m", "mock", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        first = running.stdout.read(1)
        came = time.monotonic()
        rest = running.stdout.read()
    assert first
    assert len(rest) > 20
    assert time.monotonic() - came > 0.3
