"""A JSON schema, however a person gives it: JSON, a short form, or a Python model.

The short form lists members: ``name, age int, tags: list[str], size: small|large, note?``.
A member without a type is a string; ``?`` makes it optional.
"""

import re
from typing import Any

from vllmctl.errors import UsageError
from vllmctl.request.python_names import import_named, python_name
from vllmctl.request.values import parse_json

_MEMBER = re.compile(r"([A-Za-z_]\w*)(\?)?\s*(?::\s*|\s+|$)(.*)")
_TYPES = {
    "str": "string",
    "string": "string",
    "int": "integer",
    "integer": "integer",
    "float": "number",
    "number": "number",
    "bool": "boolean",
    "boolean": "boolean",
    "dict": "object",
    "object": "object",
    "list": "array",
    "null": "null",
}
_HINT = "for example --schema 'name, age int, tags: list[str]', --schema @schema.json"


def parse_schema(text: str, owner: str) -> Any:
    """Return the schema that ``text`` stands for.

    Raises ``UsageError`` for what is none of the three forms.
    """
    stripped = text.strip()
    if stripped[:1] in ("{", "[") or stripped in ("true", "false"):
        return parse_json(text, owner)
    model = python_name(stripped)
    if model and model[1] not in _TYPES:
        return _of_model(*model, owner)
    return _of_members(stripped, owner)


def _of_members(text: str, owner: str) -> dict[str, Any]:
    properties, required = {}, []
    for part in filter(None, (part.strip() for part in _split(text))):
        match = _MEMBER.fullmatch(part)
        if not match:
            raise UsageError(f"{owner}: {part!r} is no member of a schema", _HINT)
        name, optional, kind = match.groups()
        properties[name] = _of_type(kind.strip(), owner)
        if not optional:
            required.append(name)
    if not properties:
        raise UsageError(f"{owner}: the schema is empty", _HINT)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _of_type(kind: str, owner: str) -> dict[str, Any]:
    if not kind:
        return {"type": "string"}
    inner = re.fullmatch(r"list\[(.+)\]", kind)
    if inner:
        return {"type": "array", "items": _of_type(inner[1].strip(), owner)}
    if kind in _TYPES:
        return {"type": _TYPES[kind]}
    if "|" in kind:
        words = [word.strip() for word in kind.split("|")]
        if all(word in _TYPES for word in words):
            return {"anyOf": [_of_type(word, owner) for word in words]}
        return {"type": "string", "enum": words}
    raise UsageError(f"{owner}: {kind!r} is no type; there are {', '.join(_TYPES)}", _HINT)


def _split(text: str) -> list[str]:
    """Split at commas and newlines that are not inside brackets."""
    return re.split(r"[,\n](?![^\[]*\])", text)


def _of_model(module: str, name: str, owner: str) -> Any:
    """Return the schema of a pydantic model, or a dict as it is."""
    found = import_named(module, name, owner, _HINT)
    if isinstance(found, dict):
        return found
    try:
        return found.model_json_schema()
    except AttributeError:
        raise UsageError(f"{owner}: {module}:{name} is no pydantic model and no dict") from None
