"""Builds the catalogue's schemas: JSON-Schema-like dicts with ``nullable`` beside ``type``."""

import json
from collections.abc import Iterable
from typing import Any

from tools.catalogue.facts import Schema

NULL: Schema = {"type": "null"}

_NUMBERS = ("integer", "number")
LIMIT_TYPES = {
    "minimum": _NUMBERS,
    "maximum": _NUMBERS,
    "exclusiveMinimum": _NUMBERS,
    "exclusiveMaximum": _NUMBERS,
    "multipleOf": _NUMBERS,
    "minLength": ("string",),
    "maxLength": ("string",),
    "pattern": ("string",),
    "minItems": ("array",),
    "maxItems": ("array",),
    "strict": (*_NUMBERS, "boolean", "string"),
}
"""Which types a limit speaks of, when it is given for a union."""

LIMIT_NAMES = {
    "ge": ("minimum",),
    "le": ("maximum",),
    "gt": ("exclusiveMinimum",),
    "lt": ("exclusiveMaximum",),
    "min_length": ("minLength", "minItems"),
    "max_length": ("maxLength", "maxItems"),
    "min_items": ("minItems",),
    "max_items": ("maxItems",),
    "pattern": ("pattern",),
    "regex": ("pattern",),
    "multiple_of": ("multipleOf",),
    "strict": ("strict",),
}
"""Pydantic's keyword for a limit, and what it may be called in a schema."""


def union(options: Iterable[Schema]) -> Schema:
    """Return the schema that takes what any of ``options`` takes."""
    options = list(options)
    nullable = any(option == NULL or option.get("nullable") for option in options)
    flat = [inner for option in options for inner in _flat(option)]
    kinds = _with_one_enum([kind for i, kind in enumerate(flat) if kind not in flat[:i]])
    if not kinds:
        return dict(NULL)
    schema = dict(kinds[0]) if len(kinds) == 1 else {"anyOf": kinds}
    return {**schema, "nullable": True} if nullable else schema


def _flat(option: Schema) -> list[Schema]:
    """A union inside a union counts as one, as Python's typing has it."""
    if option == NULL:
        return []
    bare = {key: value for key, value in option.items() if key != "nullable"}
    return list(bare["anyOf"]) if set(bare) == {"anyOf"} else [bare]


def _with_one_enum(kinds: list[Schema]) -> list[Schema]:
    """Lists of allowed values of one type become one list, where the first one stood."""
    enums = [kind for kind in kinds if "enum" in kind and set(kind) <= {"enum", "type"}]
    if len(enums) < 2 or len({enum.get("type") for enum in enums}) > 1:
        return kinds
    merged = {**enums[0], "enum": [value for enum in enums for value in enum["enum"]]}
    return [merged if kind is enums[0] else kind for kind in kinds if kind not in enums[1:]]


def enum(values: list[Any]) -> Schema:
    """Return the schema of a list of allowed values; ``None`` among them means nullable."""
    given = [value for value in values if value is not None]
    kinds = {_type_of(value) for value in given}
    schema: Schema = {"enum": given}
    if len(kinds) == 1:
        schema["type"] = kinds.pop()
    return {**schema, "nullable": True} if len(given) < len(values) else schema


def _type_of(value: Any) -> str:
    if isinstance(value, str):
        return "string"
    return "boolean" if isinstance(value, bool) else "integer"


def add_limit(schema: Schema, name: str, value: Any) -> None:
    """Put a limit into a schema in place, on each of a union's options that it speaks of.

    A limit of a type that the schema does not tell is kept beside it.
    """
    if "anyOf" in schema:
        schema["anyOf"] = [dict(option) for option in schema["anyOf"]]
        for option in schema["anyOf"]:
            _limit_option(option, name, value)
    elif "type" in schema:
        _limit_option(schema, name, value)
    else:
        schema[LIMIT_NAMES[name][0]] = value


def _limit_option(schema: Schema, name: str, value: Any) -> None:
    for key in LIMIT_NAMES[name]:
        if schema.get("type") in LIMIT_TYPES[key]:
            schema[key] = value


def put_limit(schema: Schema, place: str, value: Any) -> None:
    """Put a limit into a schema in place; ``items.minimum`` is for what a list holds.

    Of a union, every option that the limit speaks of gets it.
    """
    for option in schema.get("anyOf", ()):
        put_limit(option, place, value)
    inside, _, rest = place.partition(".")
    if rest:
        if isinstance(schema.get(inside), dict):
            put_limit(schema[inside], rest, value)
    elif schema.get("type") in LIMIT_TYPES[place]:
        schema[place] = value


def settled(schema: Schema) -> Schema:
    """Return a schema in the form that two ways of writing the same thing share.

    Limits beside a union go to the options they speak of, lists of allowed values join.
    """
    schema = {key: _settled_inside(value) for key, value in schema.items()}
    if "anyOf" not in schema:
        return schema
    for name in [key for key in schema if key in LIMIT_TYPES]:
        value = schema.pop(name)
        for option in schema["anyOf"]:
            if option.get("type") in LIMIT_TYPES[name]:
                option[name] = value
    options = schema.pop("anyOf")
    return {**union(options), **schema}


def _settled_inside(value: Any) -> Any:
    if isinstance(value, dict):
        return settled(value)
    return [_settled_inside(item) for item in value] if isinstance(value, list) else value


def exact_text(value: Any) -> str:
    """Return a text that tells 1 from 1.0 and from true, and takes keys in any order."""
    return json.dumps(value, sort_keys=True, default=str)


def type_text(schema: Schema) -> str:
    """Return a schema's type in short, without limits: ``string | array<integer> | null``."""
    text = _bare_type_text(schema)
    return f"{text} | null" if schema.get("nullable") else text


def _bare_type_text(schema: Schema) -> str:
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_text(option) for option in schema["anyOf"]))
    if "enum" in schema:
        return f"one of {', '.join(str(value) for value in schema['enum'])}"
    if "$ref" in schema or "x-external" in schema:
        name: str = schema.get("$ref") or schema["x-external"]
        return name.replace("/", ".").rpartition(".")[2]
    if schema.get("type") == "array":
        items = [schema["items"]] if schema.get("items") else schema.get("prefixItems", ())
        return f"array<{', '.join(map(type_text, items))}>" if items else "array"
    if schema.get("additionalProperties"):
        return f"object<{type_text(schema['additionalProperties'])}>"
    return str(schema.get("type", "any"))


def limits_of(schema: Any, path: str = "") -> dict[str, Any]:
    """Return every limit in a schema by its place (``items.minimum``)."""
    if not isinstance(schema, dict):
        return {}
    found = {path + key: value for key, value in schema.items() if key in LIMIT_TYPES}
    for key in ("items", "additionalProperties", "propertyNames"):
        found |= limits_of(schema.get(key), f"{path}{key}.")
    for option in schema.get("anyOf", ()):
        found |= limits_of(option, path)
    return found
