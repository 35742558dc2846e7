"""The mock inside this process: no sockets, no threads, streaming for real.

The library-neutral form is ``Embedded``; ``embedded_transport`` makes an httpx transport.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from vllmctl.mock.app import MockApp
from vllmctl.mock.options import MockOptions
from vllmctl.mock.wire import Cut, Piece, Request, Response, Wait

if TYPE_CHECKING:
    import httpx

Limit = Callable[[], float | None]
"""Tells how many seconds the next bytes may take; ``None`` is no limit."""


class BrokenOffError(Exception):
    """The answer ended before it was complete; ``reset`` when the connection was reset."""

    def __init__(self, *, reset: bool) -> None:
        super().__init__("reset" if reset else "closed")
        self.reset = reset


class NothingCameError(Exception):
    """The next bytes took longer than they may."""


class EmbeddedAnswer:
    """What the mock answers; ``reads`` gives the body as it is made.

    ``headers`` have names in lower case. ``close`` stops the making.
    """

    def __init__(self, response: Response, limit: Limit) -> None:
        self.status = response.status
        self.headers = dict(response.headers)
        if response.length is None:
            self.headers["transfer-encoding"] = "chunked"
        else:
            self.headers["content-length"] = str(response.length)
        self._response = response
        self._body: Iterable[Piece] = response.body
        self._limit = limit

    @property
    def reads(self) -> Iterator[bytes]:
        """Yield the body piece by piece, and take the time that it takes.

        Raises:
            BrokenOffError: the connection would end here.
            NothingCameError: a piece took too long.
        """
        sent = 0
        for piece in self._body:
            if isinstance(piece, Wait):
                pause(piece.seconds, self._limit)
            elif isinstance(piece, Cut):
                raise BrokenOffError(reset=piece.hard)
            else:
                sent += len(piece)
                yield from _split(piece) if self._response.one_by_one else [piece]
        if self._response.length not in (None, sent):
            raise BrokenOffError(reset=False)

    def close(self) -> None:
        """Stop generating."""
        if isinstance(self._body, Iterator) and hasattr(self._body, "close"):
            self._body.close()


class Embedded:
    """A mock server in this process."""

    def __init__(self, options: MockOptions) -> None:
        self._app = MockApp(options)

    def ask(self, request: Request, limit: Limit = lambda: None) -> EmbeddedAnswer:
        """Answer ``request``; returns once a server would have sent the head.

        Raises:
            NothingCameError: the head took too long.
        """
        response = self._app.handle(request)
        pause(response.delay, limit)
        return EmbeddedAnswer(response, limit)


def embedded_transport(options: MockOptions) -> "httpx.BaseTransport":
    """Return a transport for httpx that the mock answers, whatever the URL's host."""
    from vllmctl.mock.embedded_httpx import EmbeddedTransport

    return EmbeddedTransport(Embedded(options))


def pause(seconds: float, limit: Limit) -> None:
    """Sleep; no longer than ``limit`` allows. Raises ``NothingCameError``."""
    if not seconds:
        return
    most = limit()
    if most is not None and seconds > most:
        time.sleep(most)
        raise NothingCameError
    time.sleep(seconds)


def _split(data: bytes) -> Iterator[bytes]:
    for byte in data:
        yield bytes([byte])
