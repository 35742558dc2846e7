"""One exchange with the mock inside this process: ``--base-url mock:``."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from vllmctl.client.patience import Patience
from vllmctl.client.server import Server
from vllmctl.client.wire import CutError, Reply, Request
from vllmctl.mock.embedded import BrokenOffError, Embedded, EmbeddedAnswer, NothingCameError
from vllmctl.mock.options import options_of_url
from vllmctl.mock.wire import Request as MockRequest


class MockWire:
    """Stands in for ``client.wire.Wire``; the URL's query are options of the mock.

    Raises ``UsageError`` for an option that the mock does not have.
    """

    def __init__(self, server: Server, patience: Patience) -> None:
        self._patience = patience
        self._embedded = Embedded(options_of_url(server.url.full()))
        self._answer: EmbeddedAnswer | None = None

    def ask(self, request: Request) -> Reply:
        """Return what the mock answers. Raises ``TimedOutError`` when a limit ran out."""
        parts = urlsplit(request.target)
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = MockRequest(request.method, parts.path, "", headers, request.body)
        try:
            self._answer = self._embedded.ask(asked, self._patience.for_more)
        except NothingCameError:
            raise self._patience.ran_out() from None
        return Reply(self._answer.status, "", self._answer.headers, self._reads(self._answer))

    def close(self) -> None:
        """Stop generating."""
        if self._answer is not None:
            self._answer.close()

    def _reads(self, answer: EmbeddedAnswer) -> Iterator[bytes]:
        try:
            yield from answer.reads
        except NothingCameError:
            raise self._patience.ran_out() from None
        except BrokenOffError as fault:
            how = "reset" if fault.reset else "cut"
            raise CutError(
                f"the connection was {how} before the answer was complete",
                "the mock was asked to do that",
            ) from None
