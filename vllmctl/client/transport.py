"""Requests and responses: the one place that knows how they travel.

Without a proxy a request goes over ``client.wire``; through a proxy it is httpx that does
the work, and every httpx name is in this module.
"""

from collections.abc import Callable, Iterator, Mapping
from time import sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin, urlsplit

from vllmctl import __version__
from vllmctl.client.connect import NotReachedError, tls_context
from vllmctl.client.decoding import decoded
from vllmctl.client.patience import ConnectTimedOutError, Patience
from vllmctl.client.retrying import pause_before_retry
from vllmctl.client.server import Server, new_request_id
from vllmctl.client.url import ServerUrl
from vllmctl.client.wire import CutError, Reply, Request, Wire
from vllmctl.errors import CannotConnectError, TimedOutError, UsageError
from vllmctl.record import replace
from vllmctl.request.server.secret import masked_url

if TYPE_CHECKING:
    import httpx

    from vllmctl.client.mock_wire import MockWire

_REDIRECTS = 5


class Response:
    """What the server answers; its body arrives while it is read.

    ``request_id`` is the server's own if it tells one, else the one that was sent;
    ``sent`` is when the request began (monotonic seconds); ``via`` the proxy's URL, if any.
    A context manager: leaving it closes the connection, which stops the server's work.
    """

    def __init__(self, reply: Reply, url: str, request: Request, sent: float, via: str) -> None:
        self.status = reply.status
        self.reason = reply.reason
        self.headers = reply.headers
        self.method = request.method
        self.url = url
        self.via = via
        self.sent = sent
        asked = {name.lower(): value for name, value in request.headers.items()}
        self.request_id = reply.headers.get("x-request-id") or asked["x-request-id"]
        self._reads = reply.reads
        self._close: list[Any] = []

    def chunks(self) -> Iterator[bytes]:
        """Return the body's network reads, each as soon as it is there.

        Raises:
            CutError: the connection ended too early.
            TimedOutError: a limit ran out.
        """
        return decoded(self._reads, self.headers.get("content-encoding", ""))

    def read(self) -> bytes:
        """Return the whole body. Raises as ``chunks`` does."""
        return b"".join(self.chunks())

    def on_close(self, close: Any) -> Self:
        """Have ``close()`` called when the response is closed."""
        self._close.append(close)
        return self

    def close(self) -> None:
        """Close the connection, whatever is still to come."""
        while self._close:
            self._close.pop()()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_exchange(
    server: Server,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    meanwhile: Callable[[], None] = lambda: None,
) -> Response:
    """Send a request and return the response once its head has arrived.

    ``path`` begins with a slash (``/v1/models``). A status of 400 and more is a response
    like any other. Tries again as often as the server's ``retries`` say, and only where the
    request was certainly not accepted: no connection, or a 429 or 503. ``meanwhile`` is called
    when the request is on its way.

    Raises:
        CannotConnectError: nothing (that speaks HTTP) is there.
        TimedOutError: a limit ran out.
        UsageError: a certificate or proxy that cannot be used.
    """
    data = body or b""
    complete = _headers(server, method, data, headers or {})
    request = Request(method, server.url.target(path), complete, data, meanwhile)
    patience = Patience(server.limits, server.url.full(path))
    tries = 0
    while True:
        try:
            response = _follow(server, request, patience)
        except (NotReachedError, ConnectTimedOutError) as error:
            pause = pause_before_retry(tries, {})
            if tries >= server.retries or not patience.has(pause):
                raise
            reason = error.message
        else:
            if response.status not in (429, 503) or tries >= server.retries:
                return response
            pause = pause_before_retry(tries, response.headers)
            if not patience.has(pause) or pause < 0:
                return response
            reason = f"the server says {response.status} {response.reason}".rstrip()
            response.close()
        tries += 1
        server.notify(f"{reason}; trying again in {pause:g} s ({tries} of {server.retries})")
        sleep(pause)


def _follow(server: Server, request: Request, patience: Patience) -> Response:
    """Send, and follow redirects that stay with this server and keep the request as it is."""
    followed = 0
    while True:
        url = _shown(server.url, request.target)
        response = _send(server, request, url, patience)
        place = _same_server(server.url, url, response)
        if place is None or followed == _REDIRECTS:
            return response
        response.close()
        followed += 1
        server.notify(f"{url} redirects to {_shown(*place)}")
        server = replace(server, url=place[0])
        headers = {**request.headers, "Host": place[0].authority}
        request = replace(request, target=place[1], headers=headers)


def _send(server: Server, request: Request, url: str, patience: Patience) -> Response:
    if server.proxy is not None:
        return _through_proxy(server, request, url, patience)
    wire = _wire(server, patience)
    try:
        reply = wire.ask(request)
    except BaseException:
        wire.close()
        raise
    return Response(reply, url, request, patience.began, "").on_close(wire.close)


def _wire(server: Server, patience: Patience) -> "Wire | MockWire":
    if not server.url.is_mock:
        return Wire(server, patience)
    from vllmctl.client.mock_wire import MockWire

    return MockWire(server, patience)


def _headers(server: Server, method: str, body: bytes, more: Mapping[str, str]) -> dict[str, str]:
    """Return all headers; those of the user replace ours, whatever their case."""
    headers = {
        "Host": server.url.authority,
        "User-Agent": f"vllmctl/{__version__}",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "X-Request-Id": new_request_id(),
    }
    if body:
        headers["Content-Type"] = "application/json"
    for name, value in (*server.headers.items(), *more.items()):
        for known in [known for known in headers if known.lower() == name.lower()]:
            del headers[known]
        headers[name] = value
    if body or method not in ("GET", "HEAD"):
        headers["Content-Length"] = str(len(body))
    return headers


def _same_server(url: ServerUrl, asked: str, response: Response) -> tuple[ServerUrl, str] | None:
    """Return where a redirect leads if it may be followed, key and body included.

    It must keep method and body (307, 308, or any for GET) and lead to the same host, by
    the same scheme and port or from http to https.
    """
    location = response.headers.get("location")
    keeps = response.status in (307, 308) or response.method == "GET"
    if response.status not in (301, 302, 303, 307, 308) or not location or not keeps:
        return None
    try:
        parts = urlsplit(urljoin(asked.replace("unix://", "http://", 1), location))
        port = parts.port
    except ValueError:
        return None
    if url.socket_path is not None or parts.scheme not in ("http", "https"):
        return None
    default = 443 if parts.scheme == "https" else 80
    there = replace(url, scheme=parts.scheme, host=parts.hostname or "", port=port or default)
    safer = (url.scheme, parts.scheme) == ("http", "https")
    if there.host != url.host or not (
        safer or (there.scheme, there.port) == (url.scheme, url.port)
    ):
        return None
    return there, parts.path + (f"?{parts.query}" if parts.query else "")


def _shown(url: ServerUrl, target: str) -> str:
    return replace(url, prefix="", query="").full(target)


def _through_proxy(server: Server, request: Request, url: str, patience: Patience) -> Response:
    import httpx

    assert server.proxy is not None
    client, response = None, None
    try:
        client = _proxied_client(server)
        sent = client.build_request(
            request.method,
            url,
            content=request.body or None,
            headers=request.headers,
            timeout=_httpx_timeout(patience),
        )
        response = client.send(sent, stream=True)
    except BaseException as error:
        if client is not None:
            client.close()
        if isinstance(error, httpx.HTTPError):
            raise _proxy_fault(server, error, patience) from None
        raise
    headers = {name.lower(): value for name, value in response.headers.items()}
    reads = _proxied_reads(response, patience)
    reply = Reply(response.status_code, response.reason_phrase, headers, reads)
    via = masked_url(server.proxy.url)
    answer = Response(reply, url, request, patience.began, via)
    return answer.on_close(client.close).on_close(response.close)


def _proxied_client(server: Server) -> "httpx.Client":
    import httpx

    assert server.proxy is not None
    verify = tls_context(server.tls) if server.url.scheme == "https" else False
    try:
        return httpx.Client(
            proxy=server.proxy.url, verify=verify, trust_env=False, follow_redirects=False
        )
    except (ValueError, ImportError) as error:
        raise UsageError(
            f"cannot use the proxy {masked_url(server.proxy.url)}: {error}",
            f"it comes from {server.proxy.source}",
        ) from None


def _httpx_timeout(patience: Patience) -> "httpx.Timeout":
    import httpx

    more = patience.for_more()
    return httpx.Timeout(connect=patience.to_connect(), read=more, write=more, pool=None)


def _proxied_reads(response: "httpx.Response", patience: Patience) -> Iterator[bytes]:
    import httpx

    try:
        for read in response.iter_raw():
            yield read
            if not patience.has(0):
                raise patience.ran_out()
    except httpx.TimeoutException:
        raise patience.ran_out() from None
    except httpx.HTTPError as error:
        raise CutError(
            f"the connection was cut before the answer was complete ({error})",
            "the server, or the proxy in between, gave up; its log says why",
        ) from None


def _proxy_fault(
    server: Server, error: Exception, patience: Patience
) -> CannotConnectError | TimedOutError:
    import httpx

    assert server.proxy is not None
    if isinstance(error, httpx.ConnectTimeout):
        return patience.ran_out_connecting()
    if isinstance(error, httpx.TimeoutException):
        return patience.ran_out()
    proxy = f"the proxy {masked_url(server.proxy.url)} ({server.proxy.source})"
    kind = NotReachedError if isinstance(error, httpx.ConnectError) else CannotConnectError
    return kind(
        f"cannot reach {server.url.full()} through {proxy}: {error}",
        f"is the proxy right? NO_PROXY={server.url.host} goes without it",
    )
