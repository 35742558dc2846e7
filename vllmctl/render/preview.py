"""What a request would be: method, URL, headers with secrets masked, and every origin."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vllmctl.env import Environment
from vllmctl.render.words import Words
from vllmctl.request.build import Request
from vllmctl.request.layers import told_origins
from vllmctl.request.server.connection import Connection
from vllmctl.request.server.secret import masked, shown_setting, without_user

if TYPE_CHECKING:
    from vllmctl.client.transport import Response

_HOW = (
    "connect_timeout",
    "idle_timeout",
    "timeout",
    "retries",
    "proxy",
    "insecure",
    "ca_file",
    "cert_file",
    "key_file",
)


def write_preview(
    request: Request, link: Connection, url: str, env: Environment, *, release: str
) -> None:
    """Write the preview of a request to ``url`` to stderr.

    ``release`` says whose release is taken where none is named.
    """
    lines = [
        f"POST {url}  ({link.origins.get('base_url', 'default')})",
        *_headers(link),
        *_settings(link),
        f"target {request.endpoint.target}{_from(link, 'target') or f'  ({release})'}",
        "",
        *(f"{path}: {_chosen(path, request)}{origin}" for path, origin in _ordered(request)),
    ]
    _write(lines, env)


def write_head(response: "Response", env: Environment) -> None:
    """Write status, request id and headers of a response to stderr."""
    lines = [f"HTTP {response.status} {response.reason}".rstrip()]
    lines.append(f"request id {response.request_id}")
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    _write(lines, env)


def _write(lines: list[str], env: Environment) -> None:
    words = Words(env.stderr, env)
    for line in lines:
        words.write((line, "dim"))
    words.flush()


def _headers(link: Connection) -> list[str]:
    shown = ["Content-Type: application/json"]
    if any(name.lower() == "authorization" for name in link.headers):
        pass  # it takes the place of the key's
    elif link.api_key is not None:
        shown.append(f"Authorization: Bearer {link.api_key.masked}  ({link.api_key.source})")
    elif link.base_url and without_user(link.base_url) != link.base_url:
        origin = link.origins.get("base_url")
        shown.append(f"Authorization: Basic {masked(link.base_url)}  (user of {origin})")
    for name, value in link.headers.items():
        key = f"headers.{name}"
        shown.append(f"{name}: {shown_setting(key, value)}{_from(link, key)}")
    return shown


def _settings(link: Connection) -> Iterator[str]:
    """How it is sent, where that was set."""
    for name in _HOW:
        if name in link.origins:
            value = json.dumps(shown_setting(name, getattr(link, name)), ensure_ascii=False)
            yield f"{name} = {value}{_from(link, name)}"


def _from(link: Connection, name: str) -> str:
    origin = link.origins.get(name)
    return f"  ({origin})" if origin else ""


def _chosen(path: str, request: Request) -> str:
    """Return the value that the server's words decided, for nobody has typed it."""
    value = request.body.get(path)
    is_chosen = request.origins[path].kind == "server" and isinstance(value, str)
    return f"{value}, " if is_chosen else ""


def _ordered(request: Request) -> list[tuple[str, object]]:
    order = {key: place for place, key in enumerate(request.body)}

    def place(item: tuple[str, object]) -> tuple[int, str]:
        head = item[0].split(".")[0].split("[")[0]
        return order.get(head, len(order)), item[0]

    return sorted(told_origins(request.body, request.origins).items(), key=place)
