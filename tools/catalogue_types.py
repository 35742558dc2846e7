"""Reads the catalogue's short type texts (``integer | array<string> | null``) back into schemas.

The source catalogue keeps the newest schema of a field in full and older ones as such
texts, with their limits apart.
"""

import json
from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

LIMIT_TYPES = {
    "minimum": ("integer", "number"),
    "maximum": ("integer", "number"),
    "exclusiveMinimum": ("integer", "number"),
    "exclusiveMaximum": ("integer", "number"),
    "multipleOf": ("integer", "number"),
    "minLength": ("string",),
    "maxLength": ("string",),
    "pattern": ("string",),
    "minItems": ("array",),
    "maxItems": ("array",),
    "strict": ("integer", "number", "boolean", "string"),
}
"""Which types a limit speaks of, when it is given for a union."""

_SCALARS = ("string", "integer", "number", "boolean", "object", "null")


class Names:
    """Turns the last part of a class name into a reference: a nested model or an outside type."""

    def __init__(self, models: Mapping[str, Any], externals: Mapping[str, str]) -> None:
        self._models = models
        self._externals = externals

    def reference(self, name: str) -> Schema:
        """Return ``{"$ref"}`` for a known model, else ``{"x-external"}``."""
        if name in self._models:
            return {"$ref": f"#/models/{name}"}
        return {"x-external": self._externals.get(name, name)}


def parse_type(text: str, names: Names) -> Schema:
    """Return the schema that ``text`` stands for, without limits."""
    options = [part for variant in split_top(text, " / ") for part in split_top(variant, " | ")]
    kinds = [option for option in dict.fromkeys(options) if option != "null"]
    schemas = [_parse_option(option, names) for option in kinds]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {**schema, "nullable": True} if "null" in options else schema


def split_top(text: str, separator: str) -> list[str]:
    """Split ``text`` at ``separator`` where no bracket is open."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        depth += (text[i] in "<([") - (text[i] in ">)]")
        if depth == 0 and text.startswith(separator, i):
            parts.append(text[start:i])
            start = i = i + len(separator)
        else:
            i += 1
    return [*parts, text[start:]]


def _parse_option(text: str, names: Names) -> Schema:
    if text == "any":
        return {}
    if text in _SCALARS:
        return {"type": text}
    if text == "array":
        return {"type": "array"}
    if text.startswith("array<"):
        items = parse_type(text[6:-1], names)
        return {"type": "array", "items": items} if items else {"type": "array"}
    if text.startswith("object<"):
        return {"type": "object", "additionalProperties": parse_type(text[7:-1], names)}
    if text.startswith("enum("):
        return {"enum": text[5:-1].split(", "), "type": "string"}
    base, _, form = text.partition("(")
    if base in _SCALARS and form:
        return {"type": base, "format": form[:-1]}
    return names.reference(text)


def with_limits(schema: Schema, limits: Mapping[str, Any]) -> Schema:
    """Return ``schema`` with exactly these limits (``{"items.minimum": 0}``), no others."""
    bare: Schema = _without_limits(schema)
    for key, value in limits.items():
        *path, name = key.split(".")
        _set_limit(bare, path, name, _limit_value(value))
    return bare


def _limit_value(value: Any) -> Any:
    """An environment variable's limit reads ``env NAME (default 4)`` in the source."""
    if isinstance(value, str) and value.startswith("env "):
        name, _, default = value.removeprefix("env ").partition(" (default ")
        return {"env": name, "default": json.loads(default.removesuffix(")"))}
    return value


def _without_limits(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {k: _without_limits(v) for k, v in schema.items() if k not in LIMIT_TYPES}
    if isinstance(schema, list):
        return [_without_limits(item) for item in schema]
    return schema


def _set_limit(schema: Schema, path: list[str], name: str, value: Any) -> None:
    for option in schema.get("anyOf", ()):
        _set_limit(option, path, name, value)
    if path and path[0] == "items" and isinstance(schema.get("items"), dict):
        _set_limit(schema["items"], path[1:], name, value)
    elif not path and schema.get("type") in LIMIT_TYPES[name]:
        schema[name] = value
