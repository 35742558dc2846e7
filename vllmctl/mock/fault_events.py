"""Faults inside an answer: in the events of a stream, or in the object of a whole one."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from vllmctl.mock.wire import DONE, Piece, RefusedError, Response, compact, event

_DATA = b"data: "
_COMMENT = b": keep-alive\n\n"
_BROKEN = RefusedError("The engine stopped in mid-answer.", status=500, kind="InternalServerError")


def cr(response: Response, _value: str) -> Response:
    """Line ends are CR."""
    return _each_event(response, lambda data: data.replace(b"\n", b"\r"))


def crlf(response: Response, _value: str) -> Response:
    """Line ends are CR LF."""
    return _each_event(response, lambda data: data.replace(b"\n", b"\r\n"))


def no_done(response: Response, _value: str) -> Response:
    """The last event is missing."""
    return _each_event(response, lambda data: b"" if data == DONE else data)


def comments(response: Response, _value: str) -> Response:
    """A comment before each event."""
    return _each_event(response, lambda data: _COMMENT + data)


def error_event(response: Response, value: str) -> Response:
    """After some events an error, and the end; a whole answer becomes a 500."""
    return _fail(response, int(float(value)), [_error()])


def error_then_done(response: Response, value: str) -> Response:
    """As ``error_event``, with ``[DONE]`` after it."""
    return _fail(response, int(float(value)), [_error(), DONE])


def malformed(response: Response, value: str) -> Response:
    """An event, or the whole answer, whose JSON breaks off."""
    if response.length is None:
        response.body = _replaced(response.body, int(float(value)), _half_event)
    else:
        data = _joined(response.body)
        response.body, response.length = [data[: len(data) // 2]], len(data) // 2
    return response


def huge_line(response: Response, value: str) -> Response:
    """A text of so many bytes in one event, or in the whole answer."""
    text = "x" * int(float(value))
    if response.length is None:
        put = _on_json(lambda answer: _put_text(answer, text))
        response.body = _replaced(response.body, 3, put)
        return response
    return _changed(response, lambda answer: _put_text(answer, text))


def abort(response: Response, value: str) -> Response:
    """The server ends the answer: ``finish_reason`` is ``abort``."""
    if response.length is None:
        response.body = _aborted(response.body, int(float(value)))
        return response
    return _changed(response, _end_by_abort)


def duplicate_role(response: Response, _value: str) -> Response:
    """The role is in each delta."""
    return _changed(response, _put_role)


def null_content(response: Response, _value: str) -> Response:
    """Content is null wherever there is none, and in a whole answer."""
    if response.length is None:
        return _changed(response, _null_where_absent)
    return _changed(response, lambda answer: _put_text(answer, None))


def missing_index(response: Response, _value: str) -> Response:
    """No choice and no tool call has its index."""
    return _changed(response, _drop_index)


def _error() -> bytes:
    return event(json.dumps(_BROKEN.as_dict()))


def _fail(response: Response, after: int, ending: list[bytes]) -> Response:
    if response.length is None:
        response.body = _ended(response.body, after, ending)
        return response
    data = compact(_BROKEN.as_dict()).encode()
    return Response(500, {"content-type": "application/json"}, [data], len(data))


def _each_event(response: Response, change: Callable[[bytes], bytes]) -> Response:
    if response.length is None:
        response.body = _mapped(response.body, change)
    return response


def _changed(response: Response, change: Callable[[Any], None]) -> Response:
    """Change the JSON of each event, or of the whole answer."""
    if response.length is None:
        return _each_event(response, _on_json(change))
    data = _joined(response.body)
    try:
        answer = json.loads(data)
    except ValueError:
        response.body = [data]
        return response
    change(answer)
    data = compact(answer).encode("utf-8", "replace")
    response.body, response.length = [data], len(data)
    return response


def _on_json(change: Callable[[Any], None]) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        answer = _read(data)
        if answer is None:
            return data
        change(answer)
        return event(compact(answer))

    return changed


def _read(data: bytes) -> Any:
    try:
        return json.loads(data.removeprefix(_DATA))
    except ValueError:
        return None


def _mapped(body: Iterable[Piece], change: Callable[[bytes], bytes]) -> Iterator[Piece]:
    for piece in body:
        changed = change(piece) if isinstance(piece, bytes) else piece
        if changed != b"":
            yield changed


def _replaced(
    body: Iterable[Piece], after: int, change: Callable[[bytes], bytes]
) -> Iterator[Piece]:
    """Change the event that comes after ``after`` others."""
    for piece in body:
        if isinstance(piece, bytes):
            yield change(piece) if after == 0 else piece
            after -= 1
        else:
            yield piece


def _ended(body: Iterable[Piece], after: int, ending: list[bytes]) -> Iterator[Piece]:
    for piece in body:
        if isinstance(piece, bytes):
            if after == 0 or piece == DONE:
                break
            after -= 1
        yield piece
    yield from ending


def _aborted(body: Iterable[Piece], after: int) -> Iterator[Piece]:
    """End at the event after ``after`` others; what follows but the usage is dropped."""
    for piece in body:
        answer = _read(piece) if isinstance(piece, bytes) else None
        if answer is None or not answer.get("choices"):
            yield piece
        elif after > 0:
            after -= 1
            yield piece
        elif after == 0:
            after = -1
            _end_by_abort(answer)
            yield event(compact(answer))


def _half_event(data: bytes) -> bytes:
    return data[: len(data) // 2] + b"\n\n"


def _joined(body: Iterable[Piece]) -> bytes:
    return b"".join(piece for piece in body if isinstance(piece, bytes))


def _choices(answer: Any) -> list[dict[str, Any]]:
    found = answer.get("choices") if isinstance(answer, dict) else None
    return found if isinstance(found, list) else []


def _put_text(answer: Any, text: str | None) -> None:
    for choice in _choices(answer):
        if "text" in choice:
            choice["text"] = text
        for key in ("message", "delta"):
            if key in choice:
                choice[key]["content"] = text


def _end_by_abort(answer: Any) -> None:
    for choice in _choices(answer):
        choice["finish_reason"] = "abort"
        choice["stop_reason"] = None
        if "delta" in choice:
            choice["delta"] = {}


def _put_role(answer: Any) -> None:
    for choice in _choices(answer):
        if "delta" in choice:
            choice["delta"] = {"role": "assistant", **choice["delta"]}


def _null_where_absent(answer: Any) -> None:
    for choice in _choices(answer):
        if "delta" in choice and not choice["delta"].get("content"):
            choice["delta"]["content"] = None


def _drop_index(answer: Any) -> None:
    for choice in _choices(answer):
        choice.pop("index", None)
        spoken = choice.get("delta") or choice.get("message") or {}
        for call in spoken.get("tool_calls") or ():
            call.pop("index", None)
