"""Clients with their own ways of writing HTTP are understood."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.mock.asking import CHAT, HELLO, connected, post, read_all, serving


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(reply="Good day.") as url:
        yield url


def test_keeps_the_connection(url: str) -> None:
    client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    for stream in (False, True, False):
        body = json.dumps({"messages": HELLO, "stream": stream})
        client.request("POST", CHAT, body, {"Content-Type": "application/json"})
        answer = client.getresponse()
        assert answer.status == 200
        assert b"day" in answer.read()
        local = client.sock.getsockname()
    client.request("GET", "/health")
    assert client.getresponse().read() == b""
    assert client.sock.getsockname() == local


def test_closes_the_connection_when_asked(url: str) -> None:
    with connected(url) as sock:
        sock.sendall(post({"messages": HELLO}, more="Connection: close\r\n"))
        assert read_all(sock).endswith(b"}")


def test_reads_a_chunked_body(url: str) -> None:
    data = json.dumps({"messages": HELLO}).encode()
    head = (
        f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    ).encode()
    with connected(url) as sock:
        sock.sendall(head)
        for part in (data[:5], data[5:]):
            sock.sendall(b"%x\r\n%b\r\n" % (len(part), part))
        sock.sendall(b"0\r\n\r\n")
        assert b"Good day" in read_all(sock)


def test_answers_requests_that_were_sent_together(url: str) -> None:
    with connected(url) as sock:
        sock.sendall(post({"messages": HELLO}))
        sock.sendall(post({"messages": HELLO, "stream": True}, more="Connection: close\r\n"))
        answer = read_all(sock)
    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert answer.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


def test_says_go_on_to_a_client_that_waits_for_it(url: str) -> None:
    whole = post({"messages": HELLO}, more="Expect: 100-continue\r\nConnection: close\r\n")
    head, _, body = whole.partition(b"\r\n\r\n")
    with connected(url) as sock:
        sock.sendall(head + b"\r\n\r\n")
        assert sock.recv(100).startswith(b"HTTP/1.1 100")
        sock.sendall(body)
        assert b"Good day" in read_all(sock)


def test_an_old_client_gets_its_answer(url: str) -> None:
    with connected(url) as sock:
        sock.sendall(b"GET /version HTTP/1.0\r\n\r\n")
        assert b'"version"' in read_all(sock)


def test_nonsense_does_not_stop_the_server(url: str) -> None:
    for nonsense in (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"GET\r\n\r\n", b"POST / HTTP/1.1\r\n"):
        with connected(url) as sock:
            sock.sendall(nonsense)
            sock.shutdown(socket.SHUT_WR)
            read_all(sock)
    with connected(url) as sock:
        sock.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert read_all(sock).startswith(b"HTTP/1.1 200")


def test_many_clients_are_served_at_once() -> None:
    answers = []

    def client(url: str) -> None:
        with connected(url) as sock:
            sock.sendall(post({"messages": HELLO}, more="Connection: close\r\n"))
            answers.append(read_all(sock))

    with serving(ttft="300ms") as url:
        threads = [threading.Thread(target=client, args=(url,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=20)
    assert len(answers) == 20
    assert all(answer.startswith(b"HTTP/1.1 200") for answer in answers)
