"""Requests and responses as the mock sees them, whatever carries them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from vllmctl.record import Record, field

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Wait(NamedTuple):
    """Nothing is sent for so many seconds."""

    seconds: float


class Cut(NamedTuple):
    """The connection ends here: closed in order, or ``hard``, reset."""

    hard: bool = False


Piece = bytes | Wait | Cut
"""What a body is made of, in order; in a stream, each ``bytes`` is one event."""


class Request(Record, frozen=True, hidden=("headers",)):
    """One request; header names are in lower case, ``path`` has no query."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(factory=dict)
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The content type without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class Response(Record):
    """One response; its body is made while it is read.

    ``length`` is the size that the head declares, or ``None`` when the body comes in chunks.
    ``delay`` is the time before the head; ``slow_headers`` the pause between two bytes of it;
    ``one_by_one`` sends every byte on its own; ``closes`` says after how many idle seconds
    the connection ends, or is ``None`` to keep it.
    """

    status: int
    headers: dict[str, str]
    body: Iterable[Piece]
    length: int | None = None
    delay: float = 0.0
    slow_headers: float = 0.0
    one_by_one: bool = False
    closes: float | None = None


def compact(value: Any) -> str:
    """Return JSON as the real server writes it."""
    return _COMPACT.encode(value)


def json_response(value: Any, status: int = 200, **headers: str) -> Response:
    """Return a JSON response."""
    data = compact(value).encode("utf-8", "replace")
    return data_response(data, "application/json", status, **headers)


def data_response(data: bytes, media_type: str, status: int = 200, **headers: str) -> Response:
    """Return a response of one piece; without a ``media_type`` it names none."""
    named = {"content-type": media_type} if media_type else {}
    extra = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, {**extra, **named}, [data] if data else [], len(data))


def stream_response(body: Iterable[Piece]) -> Response:
    """Return a stream of server-sent events."""
    return Response(200, {"content-type": "text/event-stream; charset=utf-8"}, body)


def event(data: str) -> bytes:
    """Return one server-sent event."""
    return f"data: {data}\n\n".encode("utf-8", "replace")


DONE = event("[DONE]")


class RefusedError(Exception):
    """The server refuses the request.

    ``late`` is for what the engine finds: in a stream it comes as an event under 200.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        kind: str = "BadRequestError",
        param: str | None = None,
        late: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.kind = kind
        self.param = param
        self.late = late

    def as_dict(self) -> dict[str, Any]:
        """Return the body that tells of it."""
        error = {
            "message": self.message,
            "type": self.kind,
            "param": self.param,
            "code": self.status,
        }
        return {"error": error}

    def response(self) -> Response:
        """Return the response; what cannot be written down is refused for that reason."""
        text = compact(self.as_dict())
        try:
            text.encode()
        except UnicodeEncodeError as fault:
            return json_response(RefusedError(str(fault)).as_dict(), 400)
        return json_response(self.as_dict(), self.status)
