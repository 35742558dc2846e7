"""What a request would be: method, URL, headers with secrets masked, and every origin."""

from vllmctl.env import Environment
from vllmctl.render.style import Style, harmless
from vllmctl.request.build import Request
from vllmctl.request.connection import Connection
from vllmctl.request.secret import is_secret_header, masked, masked_url

DEFAULT_BASE_URL = "http://localhost:8000"


def write_preview(request: Request, link: Connection, env: Environment) -> None:
    """Write the preview to stderr."""
    style = Style(env.stderr, env)
    base = masked_url(link.base_url or DEFAULT_BASE_URL)
    source = link.origins.get("base_url")
    lines = [
        f"POST {base} {request.endpoint.path}" + (f"  ({source})" if source else "  (default)"),
        *_headers(link),
        f"target {request.endpoint.target}",
        "",
        *(f"{path}: {origin}" for path, origin in _ordered(request)),
    ]
    env.stderr.write("".join(style.paint(harmless(line), "dim") + "\n" for line in lines))
    env.stderr.flush()


def _headers(link: Connection) -> list[str]:
    shown = ["Content-Type: application/json"]
    if link.api_key is not None:
        shown.append(f"Authorization: Bearer {link.api_key.masked}  ({link.api_key.origin})")
    for name, value in link.headers.items():
        shown.append(f"{name}: {masked(value) if is_secret_header(name) else value}")
    return shown


def _ordered(request: Request) -> list[tuple[str, object]]:
    order = {key: place for place, key in enumerate(request.body)}

    def place(item: tuple[str, object]) -> tuple[int, str]:
        head = item[0].split(".")[0].split("[")[0]
        return order.get(head, len(order)), item[0]

    return sorted(request.origins.items(), key=place)
