"""A server as the client reaches it: address, headers, limits, all settled."""

import os
from collections.abc import Callable, Mapping

from vllmctl.client.proxy import Proxy, proxy_for
from vllmctl.client.url import DEFAULT_BASE_URL, ServerUrl, parse_server_url
from vllmctl.env import Environment
from vllmctl.record import Record, field
from vllmctl.request.server.connection import Connection
from vllmctl.request.server.secret import masked_url

CONNECT_TIMEOUT = 10.0
"""Seconds to wait for a connection when nothing else is said."""


class Limits(Record, frozen=True):
    """Longest waits in seconds; ``None`` is no limit.

    ``idle`` is the longest silence of the server, before and during the answer (none by
    default: a long prompt takes its time); ``total`` bounds the whole exchange. ``sources``
    says where each was set.
    """

    connect: float | None = CONNECT_TIMEOUT
    idle: float | None = None
    total: float | None = None
    sources: Mapping[str, str] = field(factory=dict)


class Tls(Record, frozen=True):
    """How certificates are checked and shown."""

    insecure: bool = False
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None


def _quietly(text: str) -> None:
    """Take a notice that nobody wants."""


class Server(Record, frozen=True, hidden=("headers",)):
    """One server and everything that a request to it needs.

    ``headers`` go with every request and hold the key, so they are never shown.
    ``key_source`` says where the key came from (empty without one); ``notify`` takes what
    the user should know while it happens: a proxy, a retry.
    """

    url: ServerUrl
    headers: Mapping[str, str] = field(factory=dict)
    key_source: str = ""
    limits: Limits = field(factory=Limits)
    tls: Tls = field(factory=Tls)
    retries: int = 0
    proxy: Proxy | None = None
    notify: Callable[[str], None] = _quietly


def server_of(
    link: Connection,
    env: Environment,
    notify: Callable[[str], None] = _quietly,
    *,
    path: str = "",
) -> Server:
    """Return the server that ``link`` leads to.

    ``path`` is the endpoint that is wanted, so that its own URL is understood as well.
    Raises ``UsageError`` for an address that is none.
    """
    url = parse_server_url(link.base_url or DEFAULT_BASE_URL, path)
    server = Server(
        url,
        _headers(link, url),
        link.api_key.source if link.api_key else "",
        _limits(link),
        Tls(link.insecure, link.ca_file, link.cert_file, link.key_file),
        link.retries or 0,
        _proxy(link, url, env),
        notify,
    )
    if url.notice:
        notify(url.notice)
    if url.is_mock:
        notify("the answer comes from the built-in mock; no model thinks about it")
    if server.proxy:
        notify(f"through the proxy {masked_url(server.proxy.url)} ({server.proxy.source})")
    return server


def new_request_id() -> str:
    """Return an id that no other request has."""
    return os.urandom(16).hex()


def _headers(link: Connection, url: ServerUrl) -> dict[str, str]:
    headers: dict[str, str] = {}
    if link.api_key and link.api_key.value:
        headers["Authorization"] = f"Bearer {link.api_key.value}"
    elif url.user:
        from base64 import b64encode

        headers["Authorization"] = "Basic " + b64encode(url.user.encode()).decode()
    for name, value in link.headers.items():
        if name.lower() == "authorization":
            headers.pop("Authorization", None)
        headers[name] = value
    return headers


def _limits(link: Connection) -> Limits:
    connect = CONNECT_TIMEOUT if link.connect_timeout is None else link.connect_timeout
    sources = {name: str(origin) for name, origin in link.origins.items()}
    return Limits(connect or None, link.idle_timeout or None, link.timeout or None, sources)


def _proxy(link: Connection, url: ServerUrl, env: Environment) -> Proxy | None:
    if link.proxy is None:
        return proxy_for(url, env.variables)
    if not link.proxy or url.socket_path is not None or url.is_mock:
        return None
    proxy = link.proxy if "://" in link.proxy else f"http://{link.proxy}"
    return Proxy(proxy, str(link.origins.get("proxy", "")))
