"""Strict types: TOML tells numbers from texts, so a profile has no excuse for mixing them."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.request.server.keys import described

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]

_WORDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}
_PLURALS = {
    "string": "strings",
    "integer": "whole numbers",
    "number": "numbers",
    "array": "lists",
    "object": "tables",
}
_MODEL_PREFIX = "#/models/"


def mismatch(schema: Schema, value: Any, endpoint: Endpoint) -> tuple[Path, str] | None:
    """Return where in ``value`` the type is not the schema's, and what is wrong there.

    ``None`` when all types are right. Limits and choices are not looked at.
    """
    return _mismatch(schema, value, endpoint, ())


def kinds_at(schema: Schema, path: Path, endpoint: Endpoint) -> set[str]:
    """Return the JSON types that ``schema`` allows at ``path``; ``any`` where it does not say."""
    return {_kind(branch) for branch in _descend([schema], path, endpoint)} or {"any"}


def not_json(value: Any, path: Path = ()) -> tuple[Path, str] | None:
    """Return where in ``value`` is something that JSON does not know, and what."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return next((f for k, v in items if (f := not_json(v, (*path, k)))), None)
    if isinstance(value, float) and value - value != 0:
        return path, f"{value} is no number that JSON knows"
    if not isinstance(value, str | int | float | bool | None):
        return path, f"JSON has no dates and times; put {value} in quotes"
    return None


def _mismatch(
    schema: Schema, value: Any, endpoint: Endpoint, path: Path
) -> tuple[Path, str] | None:
    branches = list(_branches(schema))
    fitting = [branch for branch in branches if _fits(_kind(branch), value)]
    if branches and not fitting:
        return path, f"expected {_expected(branches)}, got {described(value)}"
    faults = [_inside(branch, value, endpoint, path) for branch in fitting]
    return max(faults, key=lambda fault: len(fault[0]) if fault else 0) if all(faults) else None


def _inside(schema: Schema, value: Any, endpoint: Endpoint, path: Path) -> tuple[Path, str] | None:
    if not isinstance(value, dict | list):
        return None
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        child = _child(schema, key, endpoint)
        fault = _mismatch(child, inner, endpoint, (*path, key)) if child else None
        if fault:
            return fault
    return None


def _descend(schemas: list[Schema], path: Path, endpoint: Endpoint) -> list[Schema]:
    """Return the schemas for what is at ``path`` within values of ``schemas``."""
    branches = [branch for schema in schemas for branch in _branches(schema)]
    for key in path:
        inner = [_child(branch, key, endpoint) for branch in branches]
        branches = [branch for schema in inner if schema for branch in _branches(schema)]
    return branches


def _child(schema: Schema, key: str | int, endpoint: Endpoint) -> Schema | None:
    if isinstance(key, int):
        items: Schema | None = schema.get("items")
        return items
    if "$ref" in schema:
        model = endpoint.models.get(schema["$ref"].removeprefix(_MODEL_PREFIX))
        field = model.fields.get(key) if model else None
        return field.schema if field else None
    values = schema.get("additionalProperties")
    return values if isinstance(values, Mapping) else None


def _branches(schema: Schema) -> Iterator[Schema]:
    if "anyOf" not in schema:
        yield schema
    for option in schema.get("anyOf", ()):
        yield from _branches(option)


def _kind(schema: Schema) -> str:
    if "$ref" in schema:
        return "object"
    return str(schema.get("type", "any"))


def _fits(kind: str, value: Any) -> bool:
    if value is None:  # from a JSON file; whether null will do is no question of types here
        return True
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return True


def _expected(branches: list[Schema]) -> str:
    words = dict.fromkeys(_phrase(branch) for branch in branches if _kind(branch) in _WORDS)
    return " or ".join(words)


def _phrase(schema: Schema) -> str:
    word = _WORDS[_kind(schema)]
    items = {_kind(branch) for branch in _branches(schema.get("items", {}))}
    plural = _PLURALS.get(items.pop(), "") if len(items) == 1 else ""
    return f"{word} of {plural}" if plural and word == "a list" else word
