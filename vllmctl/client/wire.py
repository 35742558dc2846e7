"""One HTTP/1.1 exchange over a socket.

The reader gets each network read whole and at once. A general HTTP library hands on one
HTTP chunk (one token) at a time, at several times the cost; see ``bench/streaming.py``.
"""

import re
from collections.abc import Callable, Iterator

from vllmctl.client.chunked import Unchunker
from vllmctl.client.connect import open_socket
from vllmctl.client.patience import Patience
from vllmctl.client.server import Server
from vllmctl.counts import count_in
from vllmctl.errors import CannotConnectError, IncompleteAnswerError
from vllmctl.record import Record

_READ = 1 << 16
_WRITE = 1 << 18
_HEAD_LIMIT = 1 << 18
_LONGEST_REASON = 200
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/1\.\d (\d{3}) ?(.*)")


class CutError(IncompleteAnswerError):
    """The connection ended before the answer did."""


class Request(Record, hidden=("headers",)):
    """What is asked: ``target`` is the path with its query, ``headers`` are complete.

    ``meanwhile`` is called when it is on its way, before the answer is waited for.
    """

    method: str
    target: str
    headers: dict[str, str]
    body: bytes = b""
    meanwhile: Callable[[], None] = lambda: None


class Reply(Record):
    """What came back; ``reads`` gives the body as it arrives, as long as it is open."""

    status: int
    reason: str
    headers: dict[str, str]
    reads: Iterator[bytes]


class Wire:
    """A connection for one exchange."""

    def __init__(self, server: Server, patience: Patience) -> None:
        self._server = server
        self._patience = patience
        self._lost = ""
        self._socket = open_socket(server, patience)
        self._socket.settimeout(None)

    def close(self) -> None:
        """Close the connection, so that the server stops what it does for it."""
        self._socket.close()

    def ask(self, request: Request) -> Reply:
        """Send ``request`` and return the reply as soon as its head is there.

        Raises:
            CannotConnectError: what answers does not speak HTTP, or nothing does.
            TimedOutError: a limit ran out.
        """
        self._send(request)
        request.meanwhile()
        data = b""
        while True:
            head, data = self._head(data)
            status, reason, headers = _parsed(head)
            if status >= 200:
                break
        self._lost = ""
        return Reply(status, reason, headers, self._body(request.method, status, headers, data))

    def _send(self, request: Request) -> None:
        lines = [f"{request.method} {request.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        rest = memoryview("\r\n".join((*lines, "", "")).encode() + request.body)
        try:
            while rest:
                self._arm()
                rest = rest[self._socket.send(rest[:_WRITE]) :]
        except TimeoutError:
            raise self._patience.ran_out() from None
        except OSError as error:  # a refusal may have come before all was sent
            self._lost = (error.strerror or str(error)).lower()

    def _head(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the head of the next reply, and what came after it."""
        while (end := _HEAD_END.search(data)) is None:
            if len(data) > _HEAD_LIMIT or not data.startswith(b"HTTP/"[: len(data)]):
                raise self._not_http(data)
            read = self._receive()
            if not read:
                raise self._no_answer()
            data += read
        if _STATUS_LINE.match(data) is None:
            raise self._not_http(data)
        return data[: end.start()], data[end.end() :]

    def _body(
        self, method: str, status: int, headers: dict[str, str], data: bytes
    ) -> Iterator[bytes]:
        if method == "HEAD" or status in (204, 304):
            return iter(())
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return self._chunked(data)
        length = count_in(headers.get("content-length", "").split(",")[0].strip())
        if length is not None:
            return self._counted(data, length)
        return self._to_the_end(data)

    def _to_the_end(self, data: bytes) -> Iterator[bytes]:
        if data:
            yield data
        while data := self._receive():
            yield data
        if self._lost:
            raise self._cut()

    def _counted(self, data: bytes, length: int) -> Iterator[bytes]:
        left = length
        while left > 0:
            if data:
                yield data[:left]
                left -= len(data)
            if left > 0:
                data = self._receive()
                if not data:
                    raise self._cut(f"after {length - left} of {length} bytes")

    def _chunked(self, data: bytes) -> Iterator[bytes]:
        chunks = Unchunker()
        while True:
            try:
                content = chunks.feed(data)
            except ValueError:
                raise self._cut("the framing of its chunks is broken") from None
            if content:
                yield content
            if chunks.ended:
                return
            data = self._receive()
            if not data:
                raise self._cut()

    def _receive(self) -> bytes:
        """Return what has arrived, or nothing when the connection has ended."""
        try:
            if self._patience.is_limited:
                self._arm()
            return self._socket.recv(_READ)
        except TimeoutError:
            raise self._patience.ran_out() from None
        except OSError as error:
            self._lost = (error.strerror or str(error)).lower()
            return b""

    def _arm(self) -> None:
        self._socket.settimeout(self._patience.for_more())

    def _cut(self, detail: str = "") -> CutError:
        reasons = ", ".join(reason for reason in (detail, self._lost) if reason)
        return CutError(
            "the connection was cut before the answer was complete"
            + (f" ({reasons})" if reasons else ""),
            "the server or a proxy in between gave up; its log says why",
        )

    def _not_http(self, data: bytes) -> CannotConnectError:
        url = self._server.url
        if data[:2] == b"\x15\x03":  # a TLS alert
            hint = f"it speaks TLS: try https://{url.authority}"
        else:
            hint = "another program listens there; is the port right?"
        return CannotConnectError(f"what answers at {url.full()} does not speak HTTP", hint)

    def _no_answer(self) -> CannotConnectError:
        url = self._server.url
        reason = f" ({self._lost})" if self._lost else ""
        hint = "the server stopped, or is not up behind what forwards to it; its log says why"
        if "certificate_required" in self._lost:
            hint = "it wants a certificate from you: --cert FILE and --key FILE"
        if url.scheme == "http" and not url.socket_path:
            hint += f"; a server with TLS is reached with https://{url.authority}"
        return CannotConnectError(
            f"{url.full()} closed the connection without an answer{reason}", hint
        )


def _parsed(head: bytes) -> tuple[int, str, dict[str, str]]:
    """Return status, reason and headers by their names in small letters."""
    first, *lines = head.decode("latin-1").splitlines()
    match = _STATUS_LINE.match(first.encode("latin-1"))
    assert match, "checked when the head was read"
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        key = name.strip().lower()
        value = value.strip()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return int(match[1]), match[2].decode("latin-1").strip()[:_LONGEST_REASON], headers
