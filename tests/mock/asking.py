"""Ways to ask the mock in tests: in this process, over a socket, byte by byte."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from vllmctl.mock.app import MockApp
from vllmctl.mock.options import MockOptions, read_options
from vllmctl.mock.server import MockServer
from vllmctl.mock.wire import Request

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
HELLO = [{"role": "user", "content": "Hello"}]
NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    data: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def events(self) -> list[Any]:
        """The streamed objects, without the last sign."""
        return [json.loads(data) for data in event_data(self.data) if data != "[DONE]"]


def event_data(data: bytes) -> list[str]:
    return [line[6:] for line in data.decode().split("\n") if line.startswith("data: ")]


@cache
def app(**settings: Any) -> MockApp:
    return MockApp(options(**settings))


def options(**settings: Any) -> MockOptions:
    many = (list, tuple)
    texts = {
        name: list(text) if isinstance(text, many) else str(text) for name, text in settings.items()
    }
    return read_options(texts)


def ask(path: str, body: Any = None, *, of: MockApp | None = None, **more: Any) -> Reply:
    """Ask a mock without sockets; waits are left out."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    headers = {"content-type": "application/json", **more.pop("headers", {})}
    asked = Request(more.pop("method", method), path, "", headers, b"" if body is None else data)
    response = (of or app()).handle(asked)
    whole = b"".join(piece for piece in response.body if isinstance(piece, bytes))
    return Reply(response.status, response.headers, whole)


def chat(of: MockApp | None = None, **fields: Any) -> Reply:
    return ask(CHAT, {"messages": HELLO, **fields}, of=of)


def complete(of: MockApp | None = None, **fields: Any) -> Reply:
    return ask(COMPLETIONS, {"prompt": "The river", **fields}, of=of)


def content(reply: Reply, index: int = 0) -> str | None:
    return reply.json["choices"][index]["message"]["content"]


def streamed_text(reply: Reply, key: str = "content", index: int = 0) -> str:
    """The text that a streamed choice adds up to."""
    text = ""
    for event in reply.events:
        for choice in event["choices"]:
            if choice["index"] == index:
                text += (choice.get("delta", choice).get(key)) or ""
    return text


@contextmanager
def serving(**settings: Any) -> Iterator[str]:
    with MockServer(options(**settings)) as server:
        yield server.url


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10) as sock:
        yield sock


def post(body: Any, path: str = CHAT, *, more: str = "") -> bytes:
    """A request as bytes."""
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: mock\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data


def read_all(sock: socket.socket) -> bytes:
    """Read until the other side ends the connection."""
    data = b""
    while read := sock.recv(65536):
        data += read
    return data
