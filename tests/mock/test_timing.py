"""Speed is as asked, streams are real, and a client that goes away stops the work."""

import json
import socket
import time
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests.mock.asking import HELLO, NO_THINKING, connected, options, post, serving
from vllmctl.mock.pace import Pace

CHAT_BODY = {"messages": HELLO, **NO_THINKING}
ENDLESS = {**CHAT_BODY, "stream": True, "ignore_eos": True, "max_tokens": 30000}


def arrivals(sock: socket.socket) -> Iterator[tuple[float, bytes]]:
    began = time.monotonic()
    while read := sock.recv(65536):
        yield time.monotonic() - began, read


def test_chunks_come_one_by_one() -> None:
    with serving(ttft="300ms", tps=20, reply="a b c d e f") as url, connected(url) as sock:
        sock.sendall(post({**CHAT_BODY, "stream": True}, more="Connection: close\r\n"))
        reads = list(arrivals(sock))
    times = [at for at, read in reads if b"data: " in read]
    assert 0.3 <= times[0] < 0.6
    assert len(times) >= 6
    assert all(late - early > 0.02 for early, late in pairwise(times[1:6]))


def test_a_whole_answer_takes_as_long_as_its_tokens() -> None:
    with serving(ttft="200ms", tps=20, reply="a b c d e") as url, connected(url) as sock:
        sock.sendall(post(CHAT_BODY, more="Connection: close\r\n"))
        times = [at for at, _ in arrivals(sock)]
    assert 0.4 <= times[0] < 0.9


def test_without_a_pace_all_comes_at_once() -> None:
    with serving(reply="lorem") as url, connected(url) as sock:
        sock.sendall(post({**CHAT_BODY, "stream": True}, more="Connection: close\r\n"))
        assert list(arrivals(sock))[-1][0] < 2


def test_jitter_stays_in_its_limits() -> None:
    pace = Pace(options(ttft="1s", tps=10, jitter=0.5, seed=1))
    waits = [wait.seconds for _ in range(200) for wait in pace.between()]
    assert min(waits) >= 0.05
    assert max(waits) <= 0.15
    assert max(waits) - min(waits) > 0.05
    assert 0.5 <= pace.first()[0].seconds <= 1.5


@pytest.mark.parametrize("how", ["close", "reset", "half-close"])
def test_a_client_that_leaves_stops_the_generation(how: str) -> None:
    with serving(tps=50, model="left") as url:
        with connected(url) as sock:
            begin(sock)
            assert running(url) == 1
            if how == "reset":
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            if how == "half-close":
                sock.shutdown(socket.SHUT_WR)
                assert stops(url)
        assert stops(url)


def begin(sock: socket.socket) -> None:
    """Ask for a text without end, and wait for its first event."""
    sock.sendall(post(ENDLESS))
    data = b""
    while b"data: " not in data:
        data += sock.recv(1000)


def running(url: str) -> int:
    with urllib.request.urlopen(f"{url}/load", timeout=5) as page:
        load: dict[str, Any] = json.load(page)
    return int(load["server_load"])


def stops(url: str) -> bool:
    end = time.monotonic() + 2
    while running(url):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_closing_the_server_ends_its_connections() -> None:
    began = time.monotonic()
    with serving(tps=5) as url, connected(url) as sock:
        begin(sock)
    assert time.monotonic() - began < 3
