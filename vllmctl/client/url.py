"""The server's address, however people write it."""

import re
from urllib.parse import quote, unquote, urlsplit

from vllmctl.errors import UsageError
from vllmctl.record import Record, replace
from vllmctl.request.server.secret import masked_url

DEFAULT_BASE_URL = "http://localhost:8000"

MOCK = "mock"
"""The scheme of the mock inside this process: ``mock:`` or ``mock:?reply=lorem``."""

_PORTS = {"http": 80, "https": 443, MOCK: 0}
_HOW = "write for example http://localhost:8000, https://llm.example.com or unix:///run/vllm.sock"


class ServerUrl(Record, frozen=True, hidden=("query", "user")):
    """Where a server is.

    ``prefix`` is the path in front of ``/v1`` (empty mostly), ``query`` what every request
    carries after ``?``, ``socket_path`` a unix socket (host and port are then only names),
    ``user`` is ``name:password`` from the URL and is never shown. ``left_out`` is the endpoint
    that stood behind the address.
    """

    scheme: str
    host: str
    port: int
    prefix: str = ""
    query: str = ""
    socket_path: str | None = None
    user: str = ""
    left_out: str = ""

    @property
    def is_mock(self) -> bool:
        """Whether the mock inside this process answers."""
        return self.scheme == MOCK

    @property
    def notice(self) -> str:
        """What the user should know about the address; empty mostly."""
        return f"the server's address is taken without {self.left_out}" if self.left_out else ""

    @property
    def authority(self) -> str:
        """The ``Host`` header: host, and the port if it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def name(self) -> str:
        """The URL without user and query, which may be secrets: what a file may hold."""
        return replace(self, query="").full()

    def target(self, path: str) -> str:
        """Return what a request line asks for; ``path`` begins with a slash."""
        return self.prefix + path + (f"?{self.query}" if self.query else "")

    def full(self, path: str = "") -> str:
        """Return the URL of ``path`` as it is shown, without user and password."""
        if self.socket_path is not None:
            return f"unix://{self.socket_path}:{self.target(path) or '/'}"
        if self.is_mock:
            return f"{MOCK}:{self.target(path)}"
        return f"{self.scheme}://{self.authority}{self.target(path)}"


def parse_server_url(text: str, path: str = "") -> ServerUrl:
    """Return the address in ``text``.

    ``/v1`` and slashes at the end are forgiven, ``http://`` is added to ``host:port``, and
    the URL of an endpoint (``…/v1/chat/completions``, or the ``path`` that is wanted) is
    understood. ``unix:///run/vllm.sock`` may be followed by ``:/prefix``; ``mock:`` is the mock
    inside this process, with options after ``?``.

    Raises:
        UsageError: the text is no such address.
    """
    text = text.strip()
    if text.lower().startswith("unix:"):
        return _unix(text, path)
    if re.match(f"{MOCK}:", text, re.IGNORECASE):
        if not re.fullmatch(r"[^:]*:/*(v1/?)?(\?.*)?", text, re.DOTALL):
            raise UsageError(
                f"not an address of the mock: {text}", "write mock: or mock:?reply=echo"
            )
        return ServerUrl(MOCK, MOCK, 0, query=text.partition("?")[2])
    if re.match(r"https?:/?[^/\d]", text, re.IGNORECASE):
        raise UsageError(f"not a URL of a server: {masked_url(text)}", _HOW)
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port, host = parts.port, parts.hostname
    except ValueError as error:
        reason = "" if "@" in text else f" ({error})"  # which may quote the password
        raise UsageError(f"not a URL of a server: {masked_url(text)}{reason}", _HOW) from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not host:
        raise UsageError(f"not a URL of a server: {masked_url(text)}", _HOW)
    user = unquote(parts.netloc.rpartition("@")[0])
    prefix, left_out = _prefix(parts.path, path)
    port = port or _PORTS[scheme]
    return ServerUrl(scheme, host, port, prefix, parts.query, user=user, left_out=left_out)


def _unix(text: str, path: str) -> ServerUrl:
    rest = re.sub(r"^unix:(//)?", "", text, flags=re.IGNORECASE)
    socket_path, colon, prefix = rest.partition(":/")
    if not socket_path.startswith("/"):
        raise UsageError(f"not the path of a unix socket: {text}", _HOW)
    inner, left_out = _prefix("/" + prefix if colon else "", path)
    file = socket_path.rstrip(":")
    return ServerUrl("http", "localhost", 80, inner, socket_path=file, left_out=left_out)


def _prefix(path: str, wanted: str) -> tuple[str, str]:
    """Return ``path`` without an endpoint, ``/v1`` and slashes at its end, and the endpoint."""
    path = re.sub("/+", "/", path).rstrip("/")
    left_out = wanted if wanted and path.endswith(wanted) else ""
    path = path.removesuffix(left_out)
    head, version, rest = path.rpartition("/v1")
    if version and (not rest or _is_endpoint("/v1" + rest)):
        path, left_out = head, left_out or (rest and "/v1" + rest)
    return quote(path, safe="/%:@!$&'()*+,;=~", errors="surrogateescape"), left_out


def _is_endpoint(path: str) -> bool:
    from vllmctl.catalog.load import by_path

    return path == "/v1/models" or by_path(path) is not None
