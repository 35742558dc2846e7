"""Serves recorded exchanges: ``NAME.request.json``, ``NAME.response`` and ``NAME.headers``.

The headers are as curl tells them, with ``-D`` or with ``-v``: only the latter says which path
was asked, and without it a request is known by its body alone.
"""

import json
import re
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
        if found is None and request.body.strip():
            found = self._known.get(_key("", request.body))
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
    """Return the request line, if there is one, the status and the response's own headers."""
    asked, status, named = "", 200, dict[str, str]()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(">"):
            asked = asked or line[1:].partition(" HTTP/")[0].strip()
            continue
        answered = line.removeprefix("<").strip()
        name, colon, value = answered.partition(":")
        if found := re.match(r"HTTP/[0-9.]+ ([0-9]{3})", answered):
            status, named = int(found[1]), {}
        elif colon:
            named[name.strip().lower()] = value.strip()
    kept = {name: value for name, value in named.items() if name not in _OF_THE_CONNECTION}
    return asked, status, kept


def _replayed(exchange: _Exchange, pace: Pace) -> Response:
    data = exchange.response.read_bytes()
    headers = {"content-type": _kind_of(data), **exchange.headers}
    if not headers["content-type"].startswith("text/event-stream"):
        return Response(exchange.status, headers, [*pace.first(), data], len(data))
    return Response(exchange.status, headers, _events(data, pace))


def _kind_of(data: bytes) -> str:
    """What an answer without recorded headers is."""
    return "text/event-stream" if data.startswith(b"data:") else "application/json"


def _events(data: bytes, pace: Pace) -> Iterator[Piece]:
    yield from pace.first()
    *events, rest = data.split(b"\n\n")
    for number, one in enumerate(events):
        if number > 1:
            yield from pace.between()
        yield one + b"\n\n"
    if rest:
        yield rest
