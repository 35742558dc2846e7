"""Servers on this machine that answer as a test wants, faults included."""

import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

Step = bytes | float | Callable[[socket.socket], object]
"""Bytes to send, seconds to wait, or something to do with the connection."""


@dataclass
class Got:
    """A request that a server got."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Served:
    """A running server: its port, what it got, and whether a client hung up on it."""

    port: int = 0
    got: list[Got] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def response(
    body: bytes = b"", status: str = "200 OK", *headers: str, chunked: bool = False
) -> bytes:
    """Return a whole response."""
    lines = [f"HTTP/1.1 {status}", *headers]
    if chunked:
        lines.append("Transfer-Encoding: chunked")
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
    else:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join((*lines, "", "")).encode() + body


def stream_head(*headers: str) -> bytes:
    """Return the head of an event stream that ends with the connection."""
    lines = ("HTTP/1.1 200 OK", "Content-Type: text/event-stream", *headers, "", "")
    return "\r\n".join(lines).encode()


def reset(connection: socket.socket) -> None:
    """End the connection with a reset instead of an end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@contextmanager
def serving(
    *scripts: Sequence[Step],
    address: str | Path = "127.0.0.1",
    tls: ssl.SSLContext | None = None,
    reads: bool = True,
) -> Iterator[Served]:
    """Serve one script a connection, the last one again and again; a path is a unix socket."""
    if isinstance(address, Path):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(address))
        listener.listen()
        served = Served()
    else:
        listener = socket.create_server((address, 0), backlog=16)
        served = Served(listener.getsockname()[1])
    left = list(scripts)

    def loop() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            script = left.pop(0) if len(left) > 1 else left[0]
            threading.Thread(target=_play, args=(connection, script, served, tls, reads)).start()

    threading.Thread(target=loop, daemon=True).start()
    try:
        yield served
    finally:
        listener.shutdown(socket.SHUT_RDWR)  # wakes who waits for a connection
        listener.close()


def _play(
    connection: socket.socket,
    script: Sequence[Step],
    served: Served,
    tls: ssl.SSLContext | None,
    reads: bool,
) -> None:
    connection.settimeout(60)
    try:
        if tls:
            connection = tls.wrap_socket(connection, server_side=True)
        if reads:
            served.got.append(read_request(connection))
        for step in script:
            if callable(step):
                step(connection)
            elif isinstance(step, bytes):
                connection.sendall(step)
            else:
                time.sleep(step)
        connection.shutdown(socket.SHUT_WR)
        if not connection.recv(1):
            served.hung_up.set()
    except OSError:
        served.hung_up.set()
    finally:
        connection.close()


def read_request(connection: socket.socket) -> Got:
    """Read one request to its end."""
    data = b""
    while b"\r\n\r\n" not in data:
        read = connection.recv(1 << 16)
        if not read:
            raise OSError("no request")
        data += read
    head, _, body = data.partition(b"\r\n\r\n")
    line, *rest = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (text.split(": ", 1) for text in rest)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(1 << 16)
    return Got(line, headers, body)


def until_hung_up(connection: socket.socket) -> None:
    """Wait for the client to end the connection."""
    while connection.recv(1 << 16):
        pass
