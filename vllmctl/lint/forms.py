"""The forms in which a request is written down: a body, a body with its path, a batch line."""

from enum import Enum, auto
from typing import Any, NamedTuple

_BATCH = ("custom_id", "url", "method")
_PLAIN = ("messages", "prompt", "input", "model")


class Form(Enum):
    """How a request is written down."""

    BODY = auto()
    """The body alone."""
    REQUEST = auto()
    """``{"path", "body"}``; other keys do not count."""
    BATCH = auto()
    """A line of an OpenAI batch file: ``{"custom_id", "method", "url", "body"}``."""


class Unwrapped(NamedTuple):
    """A body, where it is in what was read, and which path it is meant for, if it is told."""

    form: Form
    body: Any
    keys: tuple[str, ...] = ()
    url: str | None = None
    custom_id: str | None = None


def unwrap(value: Any) -> Unwrapped:
    """Return the body in ``value``; what has no known form is taken for a body."""
    if not isinstance(value, dict):
        return Unwrapped(Form.BODY, value)
    if "custom_id" in value or ("body" in value and any(key in value for key in _BATCH)):
        return _of_batch(value)
    if "body" in value and not any(key in value for key in _PLAIN):
        return Unwrapped(Form.REQUEST, value["body"], ("body",), _text(value, "path"))
    return Unwrapped(Form.BODY, value)


def _of_batch(value: dict[str, Any]) -> Unwrapped:
    url, custom_id = _text(value, "url"), _text(value, "custom_id")
    return Unwrapped(Form.BATCH, value.get("body"), ("body",), url, custom_id)


def _text(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) and text else None
