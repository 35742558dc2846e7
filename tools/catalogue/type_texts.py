"""Reads short type texts (``integer | array<string> | null``) back into schemas.

The gathered catalogue keeps the newest schema of a field in full and older ones as such
texts, with their limits apart.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any

from tools.catalogue.facts import MODEL_PREFIX, Schema
from tools.catalogue.schemas import LIMIT_TYPES, NULL, enum, put_limit, union

_SCALARS = ("string", "integer", "number", "boolean", "object", "null")


class Names:
    """Turns the last part of a class name into a reference: a class of vLLM or an outside type."""

    def __init__(self, own: Collection[str], externals: Mapping[str, str]) -> None:
        self._own = own
        self._externals = externals

    def reference(self, name: str) -> Schema:
        """Return ``{"$ref"}`` for one of vLLM's own classes, else ``{"x-external"}``."""
        if name in self._own:
            return {"$ref": MODEL_PREFIX + name}
        return {"x-external": self._externals.get(name, name)}


def parse_type(text: str, names: Names) -> Schema:
    """Return the schema that ``text`` stands for, without limits.

    The bodies of one endpoint stand side by side with `` / `` between them.
    """
    options = [part for variant in split_top(text, " / ") for part in split_top(variant, " | ")]
    return union(_parse_option(option, names) for option in options)


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
    if text == "null":
        return dict(NULL)
    if text in (*_SCALARS, "array"):
        return {"type": text}
    if text.startswith("array<"):
        items = parse_type(text[6:-1], names)
        return {"type": "array", "items": items} if items else {"type": "array"}
    if text.startswith("object<"):
        return {"type": "object", "additionalProperties": parse_type(text[7:-1], names)}
    if text.startswith("enum("):
        return enum([_literal(value) for value in text[5:-1].split(", ")])
    base, _, form = text.partition("(")
    if base in _SCALARS and form:
        return {"type": base, "format": form[:-1]}
    if "[" in text:
        return {"x-python": text}
    return names.reference(text)


def _literal(text: str) -> Any:
    """An allowed value: ``true`` and ``1`` are no strings, words stand without quotes."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def with_limits(schema: Schema, limits: Mapping[str, Any]) -> Schema:
    """Return ``schema`` with exactly these limits (``{"items.minimum": 0}``), no others."""
    bare: Schema = _without_limits(schema)
    for place, value in limits.items():
        put_limit(bare, place, _limit_value(value))
    return bare


def _limit_value(value: Any) -> Any:
    """An environment variable's limit reads ``env NAME (default 4)`` in the texts."""
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
