"""Reads a request's JSON as FastAPI does, and words what is wrong with it as vLLM does."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from vllmctl.mock.wire import RefusedError, Request

_SHOWN_ERRORS = 10
_SHOWN_INPUT = 200
_SHOWN_ERROR = 1000


def read_body(request: Request) -> Mapping[str, Any]:
    """Return the object in the body.

    Raises:
        RefusedError: no JSON type, no JSON, or no object.
    """
    if request.media_type != "application/json":
        words = "Unsupported Media Type: Only 'application/json' is allowed"
        raise RefusedError(f"1 validation error:\n  {words}", kind="Bad Request")
    body = _parsed(request.body)
    if body is None:
        raise type_refusal([type_error("missing", (), "Field required", None)])
    if not isinstance(body, Mapping):
        message = "Input should be a valid dictionary or object to extract fields from"
        raise type_refusal([type_error("model_attributes_type", (), message, body)])
    return body


def _parsed(data: bytes) -> Any:
    if not data:
        return None
    try:
        return json.loads(data)
    except json.JSONDecodeError as fault:
        error = type_error("json_invalid", (fault.pos,), "JSON decode error", {})
        raise type_refusal([{**error, "ctx": {"error": fault.msg}}]) from None
    except (ValueError, RecursionError):
        raise UnreadableError from None


class UnreadableError(RefusedError):
    """A body that is no text, nests too deeply, or has a number of too many digits."""

    def __init__(self) -> None:
        super().__init__("There was an error parsing the body")

    def as_dict(self) -> dict[str, Any]:
        """Return the one body that has only a detail."""
        return {"detail": self.message}


def type_error(kind: str, loc: Iterable[int | str], message: str, sent: Any) -> dict[str, Any]:
    """Return one of pydantic's errors as FastAPI lists it."""
    return {"type": kind, "loc": ("body", *loc), "msg": message, "input": sent}


def type_refusal(errors: list[dict[str, Any]]) -> RefusedError:
    """Return the refusal of wrong types; ``param`` is the first error's place."""
    label = "error" if len(errors) == 1 else "errors"
    lines = [f"  {_line(error)}" for error in errors[:_SHOWN_ERRORS]]
    if len(errors) > _SHOWN_ERRORS:
        lines.append(f"  ...and {len(errors) - _SHOWN_ERRORS} more {label}")
    message = "\n".join([f"{len(errors)} validation {label}:", *lines])
    return RefusedError(message, kind="Bad Request", param=_dotted(errors[0]["loc"]))


def _line(error: Mapping[str, Any]) -> str:
    shown = {**error, "loc": _dotted(error["loc"]), "input": _summary(error["input"])}
    return _cut(str(shown), _SHOWN_ERROR)


def _dotted(loc: Iterable[int | str]) -> str:
    return ".".join(map(str, loc))


def _summary(value: Any) -> str:
    if isinstance(value, list | dict):
        return f"<{type(value).__name__} of {len(value)} items>"
    return _cut(value if isinstance(value, str) else str(value), _SHOWN_INPUT)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}...[truncated]"
