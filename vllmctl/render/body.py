"""A body as JSON: the bytes on the wire, and the same for people."""

import json
from collections.abc import Mapping
from typing import Any

from vllmctl.errors import UsageError


def as_bytes(body: Mapping[str, Any]) -> bytes:
    """Return the bytes that are sent."""
    return _dump(body, None).encode()


def as_text(body: Mapping[str, Any]) -> str:
    """Return the same JSON, indented, with a newline at the end."""
    return _dump(body, 2) + "\n"


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
