"""Dotted paths into a body: reading, setting and removing."""

from typing import Any

_MISSING = object()


def has(body: dict[str, Any], path: str) -> bool:
    """Whether ``path`` leads to a value (null counts)."""
    return _find(body, path) is not _MISSING


def get(body: dict[str, Any], path: str) -> Any:
    """Return the value at ``path``, or ``None``."""
    value = _find(body, path)
    return None if value is _MISSING else value


def put(body: dict[str, Any], path: str, value: Any) -> None:
    """Set ``path`` to ``value``; objects on the way are made, other values replaced."""
    *parents, leaf = path.split(".")
    for key in parents:
        child = body.get(key)
        if not isinstance(child, dict):
            child = body[key] = {}
        body = child
    body[leaf] = value


def remove(body: dict[str, Any], path: str) -> bool:
    """Remove ``path`` and the objects that are left empty; say whether it was there."""
    head, _, rest = path.partition(".")
    if head not in body:
        return False
    if not rest:
        del body[head]
        return True
    child = body[head]
    if not isinstance(child, dict) or not remove(child, rest):
        return False
    if not child:
        del body[head]
    return True


def _find(body: Any, path: str) -> Any:
    for key in path.split("."):
        if not isinstance(body, dict) or key not in body:
            return _MISSING
        body = body[key]
    return body
