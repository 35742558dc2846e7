"""What both backends ask of a JSON Schema's parts."""

import json
from collections.abc import Mapping
from typing import Any, TypeGuard

from vllmctl.nearest import nearest

Schema = Mapping[str, Any]

TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
_OTHER_WORDS = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "object",
    "list": "array",
    "none": "null",
}
_ABSENT = object()


class RefusalError(Exception):
    """A part that cannot be compiled; the text says why."""


class NothingFitsError(RefusalError):
    """A part that nothing fits; where the part may be left out, it is."""


def is_text(schema: Any) -> bool:
    """Whether all texts are made of whole characters, as the backends want to read them."""
    try:
        json.dumps(schema, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    except RecursionError:  # deeper than is allowed anyway
        return True
    return True


def types_of(schema: Schema) -> tuple[str, ...]:
    """Return the types that a schema names, none when it names none."""
    given = schema.get("type", _ABSENT)
    if given is _ABSENT:
        return ()
    names = given if isinstance(given, list) else [given]
    for name in names:
        if not isinstance(name, str) or name not in TYPES:
            raise RefusalError(_unknown_type(name))
    return tuple(dict.fromkeys(names))


def _unknown_type(name: Any) -> str:
    key = str(name).lower()
    near = _OTHER_WORDS.get(key) or nearest(key, TYPES)
    return f"there is no type {name!r}" + (f", did you mean {near!r}" if near else "")


def list_at(schema: Schema, key: str) -> list[Any]:
    """Return the list at ``key``, empty when there is none."""
    value = schema.get(key, _ABSENT)
    if value is _ABSENT:
        return []
    if not isinstance(value, list):
        raise RefusalError(f"{key} must be a list")
    return value


def object_at(schema: Schema, key: str) -> Schema:
    """Return the object at ``key``, empty when there is none."""
    value = schema.get(key, _ABSENT)
    if value is _ABSENT:
        return {}
    if not isinstance(value, dict):
        raise RefusalError(f"{key} must be an object")
    return value


def require_schema(value: Any) -> None:
    """A schema is an object or a boolean."""
    if not isinstance(value, dict | bool):
        raise RefusalError(f"a schema is an object or a boolean, got {value!r}")


def require_names(schema: Schema) -> list[str]:
    """Return the names that are required."""
    names = list_at(schema, "required")
    if not all(isinstance(name, str) for name in names):
        raise RefusalError("required must hold names")
    return names


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value is a number in JSON."""
    return isinstance(value, int | float) and not isinstance(value, bool)
