"""The mock inside this process answers as the one on a socket does, and streams for real."""

import json
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx
import openai
import pytest

from tests.mock.asking import CHAT, HELLO, NO_THINKING, options
from vllmctl.mock.embedded import BrokenOffError, Embedded, NothingCameError, embedded_transport
from vllmctl.mock.wire import Request

BODY = {"messages": HELLO, **NO_THINKING}


def client(**settings: Any) -> httpx.Client:
    transport = embedded_transport(options(reply="one two three", **settings))
    return httpx.Client(transport=transport, base_url="http://mock", timeout=5)


def request(**fields: Any) -> Request:
    headers = {"content-type": "application/json"}
    return Request("POST", CHAT, "", headers, json.dumps({**BODY, **fields}).encode())


def test_answers() -> None:
    reply = client().post(CHAT, json=BODY)
    assert reply.status_code == 200
    assert reply.json()["choices"][0]["message"]["content"] == "one two three"
    assert int(reply.headers["content-length"]) == len(reply.content)


def test_refuses() -> None:
    assert client().post(CHAT, json={}).status_code == 400
    assert client().get("/nope").status_code == 404


def test_chunks_come_as_they_are_made() -> None:
    times = []
    with client(ttft="200ms", tps=20).stream("POST", CHAT, json={**BODY, "stream": True}) as reply:
        began = time.monotonic()
        for _ in reply.iter_raw():
            times.append(time.monotonic() - began)
    assert 0.2 <= times[0] < 0.4
    assert all(late - early > 0.03 for early, late in pairwise(times[1:5]))


def test_the_openai_sdk_takes_it_as_its_transport() -> None:
    sdk = openai.OpenAI(base_url="http://mock/v1", api_key="x", http_client=client())
    messages: Any = HELLO
    stream = sdk.chat.completions.create(
        model="mock", messages=messages, stream=True, extra_body=NO_THINKING
    )
    assert "".join(c.choices[0].delta.content or "" for c in stream) == "one two three"


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("cut-fin", httpx.RemoteProtocolError),
        ("cut-rst", httpx.ReadError),
        ("wrong-content-length", httpx.RemoteProtocolError),
        ("stall", httpx.ReadTimeout),
        ("slow-first-byte", httpx.ReadTimeout),
    ],
)
def test_faults_become_errors(fault: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        client(fault=fault).post(CHAT, json=BODY, timeout=0.2)


def test_is_used_without_any_library_as_well() -> None:
    answer = Embedded(options(reply="one two three")).ask(request(stream=True))
    assert answer.status == 200
    assert answer.headers["transfer-encoding"] == "chunked"
    assert b"".join(answer.reads).endswith(b"data: [DONE]\n\n")


def test_tells_a_cut_and_a_silence_apart() -> None:
    cut = Embedded(options(fault="cut-rst")).ask(request(stream=True))
    with pytest.raises(BrokenOffError) as broken:
        list(cut.reads)
    assert broken.value.reset
    silent = Embedded(options(fault="stall")).ask(request(stream=True), lambda: 0.05)
    with pytest.raises(NothingCameError):
        list(silent.reads)


def test_closing_stops_the_generation() -> None:
    mock = Embedded(options(tps=50))
    answer = mock.ask(request(stream=True))
    reads: Iterator[bytes] = answer.reads
    next(reads)

    def running() -> bytes:
        page = mock.ask(Request("GET", "/metrics")).reads
        lines = b"".join(page).splitlines()
        return next(line for line in lines if line.startswith(b"vllm:num_requests_running{"))

    assert running().endswith(b" 1.0")
    answer.close()
    assert running().endswith(b" 0.0")
