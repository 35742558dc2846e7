"""A body as JSON: the bytes on the wire, and the same for people."""

import json
import re
from collections.abc import Mapping
from typing import Any

from vllmctl.errors import UsageError

_LONGEST_READ = 10_000_000
"""Characters; to indent millions of numbers takes minutes, and gigabytes."""
_LONGEST_DATA = 200
_SHOWN_DATA = 40
_EMBEDS = "_embeds"
"""Ends the names of fields that hold base64 without the head of a data URL, as ``data`` does."""

_BASE64 = r"[A-Za-z0-9+/=_-]+"


def as_bytes(body: Mapping[str, Any]) -> bytes:
    """Return the bytes that are sent."""
    return _dump(body, None).encode()


def as_text(body: Mapping[str, Any]) -> str:
    """Return the same JSON with a newline at the end, indented unless nobody will read it."""
    text = _dump(body, None)
    return (text if len(text) > _LONGEST_READ else _dump(body, 2)) + "\n"


def shortened(body: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Return ``body`` with long base64 data cut, and how many were cut."""
    cut: list[int] = []
    return {key: _short(value, key, cut) for key, value in body.items()}, len(cut)


def _short(value: Any, key: str, cut: list[int]) -> Any:
    if isinstance(value, dict):
        inside = key.endswith(_EMBEDS)
        return {name: _short(part, key if inside else name, cut) for name, part in value.items()}
    if isinstance(value, list):
        return [_short(item, key, cut) for item in value]
    if not isinstance(value, str) or len(value) <= _LONGEST_DATA:
        return value
    head = value[: value.find(",") + 1] if value[:5].lower() == "data:" else ""
    bare = key == "data" or key.endswith(_EMBEDS)
    if not head.endswith("base64,") and not (bare and re.fullmatch(_BASE64, value)):
        return value
    cut.append(1)
    rest = value[len(head) :]
    return f"{head}{rest[:_SHOWN_DATA]}… ({len(rest) - _SHOWN_DATA} more characters)"


def _dump(body: Mapping[str, Any], indent: int | None) -> str:
    try:
        text = json.dumps(body, indent=indent, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        # half of a surrogate pair cannot be written as UTF-8, but as an escape it can
        return json.dumps(body, indent=indent, allow_nan=False)
    except ValueError:
        raise UsageError("the body holds NaN or an infinity, which is not JSON") from None
    except RecursionError:
        raise UsageError("the body nests too deeply") from None
    return text
