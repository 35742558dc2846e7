"""Schemas and values of the facts in plain words."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.exact_fit import limit
from vllmctl.catalog.files import read_external
from vllmctl.texts import listed

Schema = Mapping[str, Any]

_COUNTED = ("string", "integer", "number", "boolean", "object", "list")
_SHORT = {"string": "text", "integer": "int", "boolean": "bool", "array": "list"}
_MOST_SHAPES = 2
"""So many objects of a union are named; more are told by their number."""

_LARGE = {2**63 - 1: "2^63 - 1", -(2**63): "-2^63"}
_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "must match {}",
}


def type_text(schema: Schema) -> str:
    """Return a type in words: ``string, list of strings or null``."""
    return joined([*_words(schema), *(["null"] if is_nullable(schema) else [])])


def short_type(schema: Schema) -> str:
    """Return a type for a narrow column: ``text|list``; null is left out."""
    words = [_short_word(branch) for branch in branches(schema)]
    return "|".join(dict.fromkeys(words)) or "any"


def limits(schema: Schema) -> list[str]:
    """Return the limits that the type itself sets, in words."""
    found = [text for branch in branches(schema) for text in _limits(branch)]
    return list(dict.fromkeys(found))


def value_text(value: Any) -> str:
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def joined(words: list[str], last: str = "or") -> str:
    """Return ``a, b or c``."""
    return listed(words, last)


def branches(schema: Schema) -> Iterator[Schema]:
    """Yield the choices of a union, however deep, or the schema itself; null is none."""
    if "anyOf" in schema:
        for branch in schema["anyOf"]:
            yield from branches(branch)
    elif schema.get("type") != "null":
        yield schema


def is_nullable(schema: Schema) -> bool:
    """Whether null may be sent."""
    if schema.get("nullable") or schema.get("type") == "null":
        return True
    return any(map(is_nullable, schema.get("anyOf", ())))


def _words(schema: Schema) -> list[str]:
    """The alternatives of a schema; null is left out."""
    plain, values, shapes, items = [], [], [], []
    for branch in branches(schema):
        if "enum" in branch:
            values += branch["enum"]
        elif _shape(branch):
            shapes.append(_shape(branch))
        elif any(map(_shape, branches(branch.get("items", {})))):
            items.append(branch["items"])
        else:
            plain.append(_word(branch))
    lists = [_of("list", {"anyOf": items})] if items else []
    return list(dict.fromkeys([*_enumerated(values), *plain, *lists, *_counted(shapes)]))


def _shape(schema: Schema) -> str:
    """The name of an object's shape, in words."""
    name = schema.get("$ref", "").removeprefix("#/models/") or schema.get("x-external", "")
    if "x-external" in schema and name not in read_external()["shapes"]:
        return "object"
    return f"object ({name.rpartition('.')[2]})" if name else ""


def _counted(shapes: list[str]) -> list[str]:
    count = len(set(shapes))
    return [f"object (of {count} shapes)"] if count > _MOST_SHAPES else shapes


def _enumerated(values: list[Any]) -> list[str]:
    words = list(dict.fromkeys(map(_unquoted, values)))
    return [f"one of {', '.join(words)}"] if len(words) > 1 else [*map(value_text, values[:1])]


def _unquoted(value: Any) -> str:
    return value if isinstance(value, str) else value_text(value)


def _word(schema: Schema) -> str:
    if "x-never" in schema:
        return "nothing that JSON can hold"
    kind = str(schema.get("type", "any value"))
    if kind == "array":
        if "prefixItems" in schema:
            return f"list of {len(schema['prefixItems'])}"
        return _of("list", schema.get("items"))
    return _of(kind, schema.get("additionalProperties") or None)


def _of(kind: str, inner: Schema | None) -> str:
    words = [_plural(word) for word in _words(inner)] if inner else []
    return f"{kind} of {joined(words)}" if words else kind


def _plural(word: str) -> str:
    first, _, rest = word.partition(" ")
    return f"{first}{'s' * (first in _COUNTED)} {rest}".rstrip()


def _short_word(schema: Schema) -> str:
    if "enum" in schema:
        return "|".join(map(_unquoted, schema["enum"]))
    if "$ref" in schema or "x-external" in schema:
        return "object"
    kind = str(schema.get("type", "any"))
    return _SHORT.get(kind, kind)


def _limits(schema: Schema) -> Iterator[str]:
    for key, text in _BOUNDS.items():
        if key in schema:
            bound = limit(schema[key])
            where = f" ({schema[key]['env']})" if isinstance(schema[key], dict) else ""
            yield text.format(_LARGE.get(bound, bound)) + where
    if isinstance(schema.get("items"), Mapping):
        yield from (f"each {text}" for text in limits(schema["items"]))
