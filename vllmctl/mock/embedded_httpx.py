"""The embedded mock as a transport of httpx."""

from collections.abc import Iterator

import httpx

from vllmctl.mock.embedded import BrokenOffError, Embedded, EmbeddedAnswer, NothingCameError
from vllmctl.mock.wire import Request

_CLOSED = "peer closed connection without sending complete message body"
_RESET = "[Errno 104] Connection reset by peer"


class EmbeddedTransport(httpx.BaseTransport):
    """Answers requests at the mock's pace; its faults become the errors that httpx has."""

    def __init__(self, mock: Embedded) -> None:
        self._mock = mock

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request; a read timeout of the request is kept."""
        limit = request.extensions.get("timeout", {}).get("read")
        try:
            answer = self._mock.ask(_asked(request), lambda: limit)
        except NothingCameError:
            raise httpx.ReadTimeout("timed out", request=request) from None
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Stream(answer), request=request
        )


class _Stream(httpx.SyncByteStream):
    def __init__(self, answer: EmbeddedAnswer) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._answer.reads
        except NothingCameError:
            raise httpx.ReadTimeout("timed out") from None
        except BrokenOffError as fault:
            if fault.reset:
                raise httpx.ReadError(_RESET) from None
            raise httpx.RemoteProtocolError(_CLOSED) from None

    def close(self) -> None:
        """Stop generating."""
        self._answer.close()


def _asked(request: httpx.Request) -> Request:
    headers = {name.lower(): value for name, value in request.headers.items()}
    query = request.url.query.decode("ascii", "replace")
    return Request(request.method, request.url.path, query, headers, request.read())
