"""The mock on a socket: a small threaded HTTP/1.1 server.

An ASGI server would hide what the faults need: single bytes, resets, heads that trickle in.
With sockets of its own the same few lines serve good answers and broken ones, they start in
a tenth of the time, and nothing has to be installed.
"""

import select
import socket
import struct
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from errno import EADDRINUSE
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from types import TracebackType
from typing import Any

from vllmctl.errors import UsageError
from vllmctl.mock.app import MockApp
from vllmctl.mock.options import MockOptions
from vllmctl.mock.wire import Cut, Piece, Request, Response, Wait

_IDLE_LIMIT = 60.0
_BACKLOG = 256
_LARGEST_BODY = 256 * 1024 * 1024


class ClientGoneError(Exception):
    """The client has closed the connection, or the answer ends it."""


def _cannot_listen(place: str, fault: Exception) -> UsageError:
    reason = getattr(fault, "strerror", None) or fault
    if getattr(fault, "errno", None) == EADDRINUSE:
        hint = "another program has the port: take another with --port, or a free one with --port 0"
        return UsageError(f"cannot listen on {place}: it is in use", hint)
    return UsageError(f"cannot listen on {place}: {reason}")


class MockServer:
    """A mock listening on loopback; a context manager that serves from a thread.

    ``with MockServer(MockOptions()) as server: … server.url``
    """

    def __init__(self, options: MockOptions, host: str = "127.0.0.1", port: int = 0) -> None:
        self.app = MockApp(options)
        try:
            self._tcp = _Tcp(self.app, (host, port))
        except (OSError, OverflowError) as fault:
            raise _cannot_listen(f"{host}:{port}", fault) from None
        self._thread = threading.Thread(target=self.serve, daemon=True)

    @property
    def url(self) -> str:
        """The base URL, with the port that was chosen."""
        host, port = self._tcp.server_address[:2]
        return f"http://{host!s}:{port}"

    def serve(self) -> None:
        """Answer requests until ``close`` is called from another thread."""
        self._tcp.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        """Stop listening, and end what is open."""
        if self._thread.is_alive():
            self._tcp.shutdown()
            self._thread.join()
        self._tcp.server_close()
        self._tcp.end_connections()

    def __enter__(self) -> "MockServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Tcp(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = _BACKLOG

    def __init__(self, app: MockApp, address: tuple[str, int]) -> None:
        self.app = app
        self._open: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a connection that broke off is everyday life here."""

    def end_connections(self) -> None:
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = _IDLE_LIMIT
    server: _Tcp

    def parse_request(self) -> bool:
        """Read the head; then answer, whatever the method."""
        if not super().parse_request():
            return False
        try:
            self._exchange()
        except (ClientGoneError, OSError):
            self.close_connection = True
        return False

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def _exchange(self) -> None:
        body = self._read_body()
        if body is None:
            self.close_connection = True
            return
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        response = self.server.app.handle(Request(self.command, path, query, headers, body))
        _Sender(self.connection, response, is_head=self.command == "HEAD").send()
        if response.closes is not None:
            time.sleep(response.closes)
            self.close_connection = True

    def _read_body(self) -> bytes | None:
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            return b"".join(self._chunks())
        length = int(self.headers.get("content-length") or 0)
        if not 0 <= length <= _LARGEST_BODY:
            return None
        data = self.rfile.read(length)
        return data if len(data) == length else None

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass


class _Sender:
    """Writes one response; looks out for a client that goes away meanwhile."""

    def __init__(self, connection: socket.socket, response: Response, *, is_head: bool) -> None:
        self._socket = connection
        self._response = response
        self._is_head = is_head
        self._head_sent = False

    def send(self) -> None:
        """Send head and body; a whole answer's head waits for its data."""
        response = self._response
        self._wait(response.delay)
        if response.length is None:
            self._send_head()
        body = response.body
        try:
            for piece in body:
                self._piece(piece)
        finally:
            if isinstance(body, Iterator) and hasattr(body, "close"):
                body.close()
        self._send_head()
        if response.length is None and not self._is_head:
            self._write(b"0\r\n\r\n")

    def _piece(self, piece: Piece) -> None:
        if isinstance(piece, Wait):
            self._wait(piece.seconds)
        elif isinstance(piece, Cut):
            self._cut(piece)
        elif piece and not self._is_head:
            self._send_head()
            if self._response.length is None:
                self._write_chunk(piece)
            else:
                self._write(piece)

    def _send_head(self) -> None:
        if self._head_sent:
            return
        self._head_sent = True
        response = self._response
        lines = [f"HTTP/1.1 {response.status} {_phrase(response.status)}"]
        lines.append(f"date: {formatdate(usegmt=True)}")
        lines += [f"{name}: {value}" for name, value in response.headers.items()]
        if response.length is None:
            lines.append("transfer-encoding: chunked")
        else:
            lines.append(f"content-length: {response.length}")
        head = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
        if not response.slow_headers:
            self._write(head)
            return
        for byte in head:
            self._socket.sendall(bytes([byte]))
            self._wait(response.slow_headers)

    def _write_chunk(self, data: bytes) -> None:
        if not self._response.one_by_one:
            self._write(b"%x\r\n%b\r\n" % (len(data), data))
            return
        for byte in data:
            self._socket.sendall(b"1\r\n%c\r\n" % byte)

    def _write(self, data: bytes) -> None:
        if not self._response.one_by_one:
            self._socket.sendall(data)
            return
        for byte in data:
            self._socket.sendall(bytes([byte]))

    def _wait(self, seconds: float) -> None:
        """Wait, but no longer than the client stays."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            readable, _, _ = select.select([self._socket], [], [], left)
            if not readable:
                return
            if not self._socket.recv(1, socket.MSG_PEEK):
                raise ClientGoneError
            time.sleep(min(left, 0.05))

    def _cut(self, cut: Cut) -> None:
        self._send_head()
        if cut.hard:
            linger = struct.pack("ii", 1, 0)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self._socket.close()
        raise ClientGoneError


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
