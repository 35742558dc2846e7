"""Targets: what a server may say on the wire, and the addresses of servers."""

import socket
from unittest.mock import patch

from tools.fuzz.target import Target
from vllmctl.client import wire
from vllmctl.client.answer import Answer
from vllmctl.client.failures import refusal
from vllmctl.client.hints import Asked
from vllmctl.client.proxy import proxy_for
from vllmctl.client.retrying import pause_before_retry
from vllmctl.client.server import Server
from vllmctl.client.stream import read_answer
from vllmctl.client.transport import open_exchange
from vllmctl.client.url import ServerUrl, parse_server_url
from vllmctl.errors import VllmctlError
from vllmctl.request.server.connection import is_loopback
from vllmctl.request.server.secret import masked_url, without_user

_SERVER = Server(ServerUrl("http", "server", 80))
_HEAD = b"HTTP/1.1 200 OK\r\n"
_SEEDS = (
    _HEAD + b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"c\r\ndata: [DONE]\r\n2\r\n\n\n\r\n0\r\n\r\n",
    _HEAD + b'Content-Length: 16\r\n\r\n{"choices": [1]}',
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After: 3\r\n\r\n{}",
    b"HTTP/1.1 307 Moved\r\nLocation: http://server/x\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.0 401 No\nWWW-Authenticate: x\n\n<html><title>x</title>",
    _HEAD + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08",
    _HEAD + b"Content-Encoding: deflate\r\n\r\nx",
)
_WORDS = (
    b"HTTP/1.1 ", b" 204 ", b" 307 ", b" 429 ", b"Content-Length: ", b"Transfer-Encoding: chunked",
    b"Content-Encoding: gzip", b"Retry-After: ", b"Location: ", b"X-Request-Id: ", b"\xb2", b"\xbc",
    b"Mon, 01 Jan 2024 00:00:00 GMT", b"Fri, 31 Dec 9999 23:59:59 +9999", b"-1", b"0x10", b"1_0",
    b": ", b"\x1c", b"\x85", b"//", b"http://[", b"https://server:99999/", b"mock:?", b"unix:///",
)  # fmt: skip
_URLS = (
    b"http://localhost:8000/v1",
    b"https://user:pa%40ss@h.example/p/v1/chat/completions?x=1",
    b"unix:///run/v.sock:/prefix",
    b"mock:?reply=hi&fault=stall:0.5",
    b"[::1]:8000",
    b"host:80",
    b"//h/x",
)


def try_exchange(data: bytes) -> None:
    """Whatever a server says, it is an answer or a fault that is told."""
    connections = [_said(b""), _said(data)]

    def connect(*_: object) -> socket.socket:
        return connections.pop() if connections else _said(b"")

    with patch.object(wire, "open_socket", connect):
        try:
            _ask()
        except VllmctlError as fault:
            assert fault.message
    for connection in connections:
        connection.close()


def try_url(data: bytes) -> None:
    """An address is read or refused in words, and its password is shown nowhere."""
    text = data.decode("utf-8", "surrogateescape")
    assert masked_url(masked_url(text)) == masked_url(text)
    without_user(text)
    is_loopback(text)
    try:
        url = parse_server_url(text)
    except VllmctlError as fault:
        assert fault.message
        return
    url.full("/v1/models").encode("utf-8", "surrogateescape")
    proxy_for(url, {"http_proxy": text, "no_proxy": text})
    pause_before_retry(1, {"retry-after": text})


TARGETS = {
    "exchange": Target(try_exchange, _SEEDS, _WORDS),
    "url": Target(try_url, _URLS, (*_WORDS, b"@", b":", b"#", b"?", b"%00", b"/v1")),
}


def _said(data: bytes) -> socket.socket:
    """Return a connection on which a server has said ``data`` and gone."""
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 18)
    theirs.sendall(data)
    theirs.shutdown(socket.SHUT_WR)
    theirs.close()
    return ours


def _ask() -> None:
    with open_exchange(_SERVER, "POST", "/v1/chat/completions", b"{}") as response:
        if response.status != 200:
            raise refusal(response, Asked(response.url))
        answer = Answer(sent=0.0)
        for _ in read_answer(response, answer):
            pass
        if answer.failure:
            raise answer.failure
