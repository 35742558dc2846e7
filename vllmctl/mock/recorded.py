"""Serves recorded exchanges: ``NAME.request.json``, ``NAME.response`` and ``NAME.headers``."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vllmctl.mock.options import MockOptions
from vllmctl.mock.pace import Pace
from vllmctl.mock.wire import Piece, Request, Response

_REQUEST, _RESPONSE, _HEADERS = ".request.json", ".response", ".headers"
_OF_THE_CONNECTION = {"date", "server", "content-length", "transfer-encoding", "x-request-id"}


class _Exchange(NamedTuple):
    status: int
    headers: Mapping[str, str]
    response: Path


class Recordings:
    """The exchanges of a folder, by what was asked."""

    def __init__(self, options: MockOptions) -> None:
        self._options = options
        self._known: dict[str, _Exchange] = {}
        folder = options.record
        for response in sorted(folder.glob(f"*{_RESPONSE}")) if folder else ():
            self._read(response)

    def find(self, request: Request) -> Response | None:
        """Return the recorded answer to the same request, if there is one."""
        if not self._known:
            return None
        query = f"?{request.query}" if request.query else ""
        line = f"{request.method} {request.path}{query}"
        found = self._known.get(_key(line, request.body))
        return _replayed(found, Pace(self._options)) if found else None

    def _read(self, response: Path) -> None:
        stem = response.name.removesuffix(_RESPONSE)
        headers = response.with_name(stem + _HEADERS)
        request = response.with_name(stem + _REQUEST)
        line, status, named = _read_headers(headers) if headers.exists() else ("", 200, {})
        body = request.read_bytes() if request.exists() else b""
        self._known.setdefault(_key(line, body), _Exchange(status, named, response))


def _key(line: str, body: bytes) -> str:
    try:
        value: Any = json.loads(body) if body.strip() else None
    except ValueError:
        value = body.decode("utf-8", "replace")
    return f"{line}\n{json.dumps(value, sort_keys=True)}"


def _read_headers(path: Path) -> tuple[str, int, dict[str, str]]:
    """Return the request line, the status and the response's own headers."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    asked = next((line[2:].strip() for line in lines if line.startswith("> ")), "")
    status, named = 200, {}
    for line in lines:
        if line.startswith("< HTTP"):
            status = int(line.split()[2])
        elif not line.startswith((">", "<")) and ":" in line:
            name, _, value = line.partition(":")
            named[name.strip().lower()] = value.strip()
    kept = {name: value for name, value in named.items() if name not in _OF_THE_CONNECTION}
    return asked, status, kept


def _replayed(exchange: _Exchange, pace: Pace) -> Response:
    data = exchange.response.read_bytes()
    headers = dict(exchange.headers)
    if not headers.get("content-type", "").startswith("text/event-stream"):
        return Response(exchange.status, headers, [*pace.first(), data], len(data))
    return Response(exchange.status, headers, _events(data, pace))


def _events(data: bytes, pace: Pace) -> Iterator[Piece]:
    yield from pace.first()
    *events, rest = data.split(b"\n\n")
    for number, one in enumerate(events):
        if number > 1:
            yield from pace.between()
        yield one + b"\n\n"
    if rest:
        yield rest
