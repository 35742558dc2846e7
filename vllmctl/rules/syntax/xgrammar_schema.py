"""What xgrammar refuses in a JSON Schema, and what vLLM does not give to it."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.rules.syntax.json_schema import (
    RefusalError,
    Schema,
    list_at,
    object_at,
    require_names,
    require_order,
    require_range,
    require_schema,
    resolve,
    types_of,
)
from vllmctl.rules.syntax.regex import judge_regex

_FORMATS = frozenset(
    (
        "email",
        "date",
        "time",
        "date-time",
        "duration",
        "ipv4",
        "ipv6",
        "hostname",
        "uuid",
        "uri",
        "uri-reference",
        "uri-template",
        "json-pointer",
        "relative-json-pointer",
    )
)
_OBJECT_SIGNS = ("properties", "additionalProperties", "unevaluatedProperties")
_ARRAY_SIGNS = ("items", "prefixItems", "unevaluatedItems")
_SET_KEYS = ("uniqueItems", "contains", "minContains", "maxContains")


def withheld(schema: Schema) -> str:
    """Return why vLLM does not give a schema to xgrammar, or an empty text."""
    for part in _objects(schema):
        reason = _unsupported(part)
        if reason:
            return reason
    return ""


def xgrammar_refusal(schema: Schema) -> str:
    """Return why xgrammar does not take a schema, or an empty text."""
    try:
        _Walk(schema).visit(schema)
    except RefusalError as refusal:
        return str(refusal)
    return ""


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object of a schema, whatever it stands for."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _objects(inner)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict):
                yield from _objects(inner)


def _unsupported(part: Mapping[str, Any]) -> str:
    """What vLLM keeps from xgrammar because it would not be obeyed."""
    given = part.get("type")
    types = {given} if isinstance(given, str) else set()
    if isinstance(given, list):
        types = {name for name in given if isinstance(name, str)}
    if types & {"integer", "number"} and "multipleOf" in part:
        return "multipleOf is not supported"
    if "array" in types:
        found = next((key for key in _SET_KEYS if key in part), "")
        if found:
            return f"{found} is not supported"
    if "string" in types and "format" in part and part["format"] not in _FORMATS:
        return f"there is no format {part['format']!r}"
    if "string" in types and _is_shaped_and_sized(part):
        return "a pattern or format with a length is not supported"
    if "object" in types:
        return _unsupported_names(part)
    return _unsupported_all(part)


def _unsupported_names(part: Mapping[str, Any]) -> str:
    names, patterns = part.get("propertyNames"), part.get("patternProperties")
    if "propertyNames" in part and (
        (isinstance(names, dict) and _is_shaped_and_sized(names))
        or "patternProperties" in part
        or "properties" in part
        or part.get("unevaluatedProperties", True) is not True
    ):
        return "propertyNames does not go with other rules for properties"
    if isinstance(patterns, dict) and ("properties" in part or len(patterns) > 1):
        return "patternProperties does not go with other properties"
    return _unsupported_all(part)


def _unsupported_all(part: Mapping[str, Any]) -> str:
    together = part.get("allOf")
    if isinstance(together, list) and len(together) > 1:
        return "allOf with more than one schema is not supported"
    return ""


def _is_shaped_and_sized(part: Mapping[str, Any]) -> bool:
    shaped = "pattern" in part or "format" in part
    return shaped and ("minLength" in part or "maxLength" in part)


class _Walk:
    """Visits a schema as xgrammar's converter does."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._visited: set[str] = set()

    def visit(self, schema: Any) -> None:
        """Raise ``RefusalError`` at the first part that cannot be converted."""
        require_schema(schema)
        if isinstance(schema, bool):
            return
        if "$ref" in schema:
            self._follow(schema["$ref"])
        elif "const" in schema:
            return
        elif "enum" in schema:
            if not list_at(schema, "enum"):
                raise RefusalError("enum must not be empty")
        elif "anyOf" in schema or "oneOf" in schema:
            for option in list_at(schema, "anyOf" if "anyOf" in schema else "oneOf"):
                self.visit(option)
        elif "allOf" in schema:
            for option in list_at(schema, "allOf"):
                self.visit(option)
        else:
            self._visit_types(schema)

    def _follow(self, reference: Any) -> None:
        target = resolve(self._root, reference)
        if reference not in self._visited:
            self._visited.add(reference)
            self.visit(target)

    def _visit_types(self, schema: Schema) -> None:
        types = types_of(schema)
        if "type" not in schema:
            if any(key in schema for key in _OBJECT_SIGNS):
                types = ("object",)
            elif any(key in schema for key in _ARRAY_SIGNS):
                types = ("array",)
        for name in types:
            self._visit_type(name, schema)

    def _visit_type(self, name: str, schema: Schema) -> None:
        if name == "string":
            self._string(schema)
        elif name in ("integer", "number"):
            self._number(schema, whole=name == "integer")
        elif name == "array":
            self._array(schema)
        elif name == "object":
            self._object(schema)

    def _string(self, schema: Schema) -> None:
        if "pattern" in schema:
            pattern = schema["pattern"]
            if not isinstance(pattern, str):
                raise RefusalError("pattern must be a string")
            reason = judge_regex(pattern).xgrammar
            if reason and "(?" not in pattern:
                raise RefusalError(f"in pattern {pattern}: {reason}")
        elif "format" not in schema:
            require_order(schema, "minLength", "maxLength")

    def _number(self, schema: Schema, *, whole: bool) -> None:
        require_range(schema, whole=whole, booleans=False)
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            value = schema.get(key)
            if whole and isinstance(value, float) and not value.is_integer():
                raise RefusalError(f"{key} of an integer must be a whole number")
            if whole and isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise RefusalError(f"{key} must fit 64 bits")

    def _array(self, schema: Schema) -> None:
        for item in list_at(schema, "prefixItems"):
            self.visit(item)
        if "items" in schema:
            self.visit(schema["items"])
        require_order(schema, "minItems", "maxItems")
        if schema.get("maxItems", 0) < 0:
            raise RefusalError("maxItems must be at least 0")

    def _object(self, schema: Schema) -> None:
        properties = object_at(schema, "properties")
        for inner in properties.values():
            self.visit(inner)
        required = require_names(schema)
        for key in ("additionalProperties", "unevaluatedProperties", "propertyNames"):
            if key in schema:
                self.visit(schema[key])
        for pattern, inner in object_at(schema, "patternProperties").items():
            reason = judge_regex(pattern).xgrammar
            if reason:
                raise RefusalError(f"in patternProperties {pattern}: {reason}")
            self.visit(inner)
        require_order(schema, "minProperties", "maxProperties")
        if schema.get("minProperties", 0) > len(properties) or (
            schema.get("maxProperties", len(required)) < len(required)
        ):
            raise RefusalError("the number of properties does not fit those that are named")
