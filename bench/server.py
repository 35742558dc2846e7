"""A server that is no bottleneck: it holds each answer ready and sends it as fast as may be.

``POST /COUNT/v1/chat/completions`` streams COUNT one-token chunks, one HTTP chunk each, in writes
as large as the socket takes. ``/slow`` in the place of COUNT sends the first token at once and
the few others half a second later, so that the first output of a program is its first token.

``python -m bench.server`` prints its URL and serves until it is ended.
"""

import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

WORDS = ("The", " quick", " brown", " fox", ",", " größer", " als", " 42", "\\n", ' \\"so\\"')
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
)
CHUNK = (
    'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,'
    '"model":"tiny","choices":[{"index":0,"delta":{%s},"logprobs":null,"finish_reason":%s,'
    '"token_ids":null}]}\n\n'
)
SLOW = 5
"""Tokens of the slow answer."""
PAUSE = 0.5
"""Seconds after the slow answer's first token."""


def text(count: int) -> bytes:
    """Return the text that ``count`` tokens make."""
    words = (WORDS[place % len(WORDS)] for place in range(count))
    return "".join(words).replace("\\n", "\n").replace('\\"', '"').encode()


@contextmanager
def served() -> Iterator[str]:
    """Run the server in a process of its own; give its URL."""
    command = [sys.executable, "-m", "bench.server"]
    folder = Path(__file__).parent.parent
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def ceiling(url: str, count: int) -> float:
    """Return the chunks a second that a reader gets which does nothing else."""
    host, _, port = url.removeprefix("http://").partition(":")
    buffer = bytearray(1 << 20)
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"POST /%d/v1 HTTP/1.1\r\nContent-Length: 0\r\n\r\n" % count)
        connection.recv_into(buffer)
        start = time.perf_counter()
        while connection.recv_into(buffer):
            pass
    return count / (time.perf_counter() - start)


def main() -> None:
    """Serve, a thread a connection."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection: socket.socket) -> None:
    with connection:
        path = _read_request(connection)
        try:
            if path.startswith("/slow"):
                _send_slowly(connection)
            else:
                count = re.match(r"/(\d+)/", path)
                connection.sendall(_prepared(int(count[1]) if count else SLOW))
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1)
        except OSError:
            pass


def _send_slowly(connection: socket.socket) -> None:
    first, *others = _chunks(SLOW)
    connection.sendall(HEAD + first + others[0])
    time.sleep(PAUSE)
    connection.sendall(b"".join(others[1:]))


@cache
def _prepared(count: int) -> bytes:
    return HEAD + b"".join(_chunks(count))


def _chunks(count: int) -> Iterator[bytes]:
    """Yield the pieces of the body: the role, each token, the end."""
    events = [CHUNK % ('"role":"assistant","content":""', "null")]
    events += [CHUNK % (f'"content":"{WORDS[n % len(WORDS)]}"', "null") for n in range(count)]
    events += [CHUNK % ("", '"stop"'), "data: [DONE]\n\n"]
    for event in events:
        yield b"%x\r\n%b\r\n" % (len(event.encode()), event.encode())
    yield b"0\r\n\r\n"


def _read_request(connection: socket.socket) -> str:
    """Read a request to its end, so that closing afterwards is no reset; return its path."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(1 << 16)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        body += connection.recv(1 << 16)
    return head.split(b" ", 2)[1].decode()


if __name__ == "__main__":
    main()
