"""What a request would be: method, URL, headers with secrets masked, and every origin."""

from typing import TYPE_CHECKING

from vllmctl.env import Environment
from vllmctl.render.words import Words
from vllmctl.request.build import Request
from vllmctl.request.server.connection import Connection
from vllmctl.request.server.secret import is_secret_header, masked, without_user

if TYPE_CHECKING:
    from vllmctl.client.transport import Response


def write_preview(request: Request, link: Connection, url: str, env: Environment) -> None:
    """Write the preview of a request to ``url`` to stderr."""
    lines = [
        f"POST {url}  ({link.origins.get('base_url', 'default')})",
        *_headers(link),
        f"target {request.endpoint.target}",
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
        shown.append(f"{name}: {masked(value) if is_secret_header(name) else value}")
    return shown


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

    return sorted(request.origins.items(), key=place)
