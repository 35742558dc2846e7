"""What llguidance refuses in a JSON Schema."""

from typing import Any

from vllmctl.rules.syntax.json_schema import (
    TYPES,
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
        "unknown",
    )
)
_UNKNOWN_KEYS = {
    "": ("not", "if", "then", "else", "$dynamicRef", "$recursiveRef"),
    "array": ("uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"),
    "object": (
        "propertyNames",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedProperties",
    ),
}
"""What is not known, by the type that it is a rule for."""

_SIZES = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def guidance_refusal(schema: Schema) -> str:
    """Return why llguidance does not take a schema, or an empty text."""
    try:
        _Walk(schema).visit(schema)
    except RefusalError as refusal:
        return str(refusal)
    return ""


class _Walk:
    """Visits a schema as llguidance's compiler does."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._visited: set[str] = set()

    def visit(self, schema: Any) -> None:
        """Raise ``RefusalError`` at the first part that cannot be compiled."""
        require_schema(schema)
        if isinstance(schema, bool):
            return
        types = types_of(schema) or TYPES
        _require_known(schema, types)
        if "$ref" in schema:
            self._follow(schema["$ref"])
        self._unions(schema)
        if "const" in schema or "enum" in schema:
            if not list_at(schema, "enum") and "enum" in schema:
                raise RefusalError("enum must not be empty")
            return
        if "string" in types:
            self._string(schema)
        if "integer" in types or "number" in types:
            self._number(schema, whole="number" not in types)
        if "array" in types:
            self._array(schema)
        if "object" in types:
            self._object(schema)

    def _follow(self, reference: Any) -> None:
        target = resolve(self._root, reference)
        if "://" in str(reference):
            raise RefusalError(f"$ref {reference} leads out of the schema")
        if reference not in self._visited:
            self._visited.add(reference)
            self.visit(target)

    def _unions(self, schema: Schema) -> None:
        for key in ("anyOf", "oneOf", "allOf"):
            for option in list_at(schema, key):
                self.visit(option)
        _require_distinct(list_at(schema, "oneOf"))
        _require_agreement(list_at(schema, "allOf"))

    def _string(self, schema: Schema) -> None:
        pattern = schema.get("pattern", "")
        if not isinstance(pattern, str):
            raise RefusalError("pattern must be a string")
        reason = judge_regex(pattern).guidance
        if reason:
            raise RefusalError(f"in pattern {pattern}: {reason}")
        if "format" in schema and schema["format"] not in _FORMATS:
            raise RefusalError(f"there is no format {schema['format']!r}")
        require_order(schema, "minLength", "maxLength")

    def _number(self, schema: Schema, *, whole: bool) -> None:
        require_range(schema, whole=whole, booleans=True)
        step = schema.get("multipleOf", 1)
        if isinstance(step, bool) or not isinstance(step, int | float) or step == 0:
            raise RefusalError("multipleOf must be a number other than 0")

    def _array(self, schema: Schema) -> None:
        for item in list_at(schema, "prefixItems"):
            self.visit(item)
        items = schema.get("items", True)
        for item in items if isinstance(items, list) else [items]:
            self.visit(item)
        if "additionalItems" in schema:
            self.visit(schema["additionalItems"])
        require_order(schema, "minItems", "maxItems")

    def _object(self, schema: Schema) -> None:
        for inner in object_at(schema, "properties").values():
            self.visit(inner)
        required = require_names(schema)
        if "additionalProperties" in schema:
            self.visit(schema["additionalProperties"])
        require_order(schema, "minProperties", "maxProperties")
        if schema.get("additionalProperties") is False and schema.get(
            "maxProperties", len(required)
        ) < len(required):
            raise RefusalError("more properties are required than there may be")


def _require_known(schema: Schema, types: tuple[str, ...]) -> None:
    for name in ("", *types):
        unknown = next((key for key in _UNKNOWN_KEYS.get(name, ()) if key in schema), "")
        if unknown:
            raise RefusalError(f"{unknown} is not supported")
        for key in _SIZES.get(name, ()):
            if key in schema and (type(schema[key]) is not int or schema[key] < 0):
                raise RefusalError(f"{key} must be a whole number of at least 0")


def _require_distinct(options: list[Any]) -> None:
    """``oneOf`` is taken only when a value can fit one option alone."""
    seen: set[str] = set()
    for option in options:
        if not isinstance(option, dict) or "const" in option or "enum" in option:
            continue
        types = {"number" if name == "integer" else name for name in types_of(option)}
        plain = types - {"object", "array"}
        if plain & seen:
            raise RefusalError("oneOf with options that overlap is not supported; use anyOf")
        seen |= plain


def _require_agreement(options: list[Any]) -> None:
    """``allOf`` whose schemas leave nothing is refused."""
    left = set(TYPES)
    values: list[Any] | None = None
    for option in options:
        if option is False:
            raise RefusalError("allOf holds false, which nothing fits")
        if not isinstance(option, dict):
            continue
        types = types_of(option)
        if types:
            left &= {*types, *(("integer",) if "number" in types else ())}
        given = [option["const"]] if "const" in option else option.get("enum")
        if given is not None:
            values = given if values is None else [value for value in values if value in given]
    if not left or values == []:
        raise RefusalError("nothing fits all schemas of allOf")
