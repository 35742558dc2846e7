"""What llguidance refuses in a JSON Schema: what it cannot read, and what nothing fits."""

from collections.abc import Mapping
from typing import Any

from vllmctl.rules.syntax.guidance_build import NothingFitsError, build
from vllmctl.rules.syntax.json_schema import (
    TYPES,
    RefusalError,
    Schema,
    list_at,
    object_at,
    require_names,
    require_schema,
    resolve,
    types_of,
)
from vllmctl.rules.syntax.regex import judge_regex
from vllmctl.rules.syntax.shapes import (
    ANY,
    Array,
    Boolean,
    Intersection,
    Never,
    Null,
    Number,
    Object,
    Reference,
    Shape,
    Text,
    any_of,
    one_of,
)

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
_UNKNOWN_KEYS = (
    *("not", "if", "then", "else", "$dynamicRef", "$recursiveRef", "uniqueItems", "contains"),
    *("minContains", "maxContains", "unevaluatedItems", "propertyNames", "dependencies"),
    *("dependentRequired", "dependentSchemas", "unevaluatedProperties"),
)
_NOTES = frozenset(
    (
        *("$anchor", "$defs", "definitions", "$schema", "$id", "id", "$comment", "title"),
        *("description", "default", "readOnly", "writeOnly", "examples", "contentMediaType"),
        "contentEncoding",
    )
)
"""What says nothing about the values."""

_LARGEST = 2**64
_ABSENT = object()


def guidance_refusal(schema: Schema) -> str:
    """Return why llguidance does not take a schema, or an empty text."""
    try:
        reader = _Reader(schema)
        build(reader.shape(schema), reader.definition)
    except RefusalError as refusal:
        return str(refusal)
    return ""


def nothing_fits(schema: Any, root: Any) -> bool:
    """Whether no value fits ``schema``, a part of ``root``; false where that cannot be told."""
    try:
        reader = _Reader(root if isinstance(root, dict) else {})
        build(reader.shape(schema), reader.definition)
    except NothingFitsError:
        return True
    except RefusalError:
        return False
    return False


class _Reader:
    """Reads schemas into shapes."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._definitions: dict[str, Shape | None] = {}
        self._both = Intersection(self._resolved)

    def definition(self, name: str) -> Shape:
        """Return what a reference that was met stands for."""
        return self._definitions[name] or ANY

    def shape(self, schema: Any) -> Shape:
        """Return the shape of a schema; raise ``RefusalError`` for what cannot be read."""
        require_schema(schema)
        if isinstance(schema, bool):
            return ANY if schema else Never("false fits nothing")
        return self._parts({key: schema[key] for key in schema if key not in _NOTES})

    def _parts(self, rest: dict[str, Any]) -> Shape:
        """One rule after the other, each together with all that is left."""
        if not rest:
            return ANY
        _require_known(rest)
        for key, read in (
            ("const", self._const),
            ("enum", self._enum),
            ("allOf", self._all_of),
            ("anyOf", self._any_of),
            ("oneOf", self._one_of),
            ("$ref", self._ref),
        ):
            if key in rest:
                value = rest.pop(key)
                siblings = self._parts(rest)
                return siblings if isinstance(siblings, Never) else read(value, siblings)
        names = types_of(rest) if "type" in rest else TYPES
        return any_of([self._typed(name, rest) for name in names])

    def _const(self, value: Any, siblings: Shape) -> Shape:
        return self._both.of(_constant(value), siblings)

    def _enum(self, values: Any, siblings: Shape) -> Shape:
        options = list_at({"enum": values}, "enum")
        return any_of(self._both.of(_constant(value), siblings) for value in options)

    def _all_of(self, schemas: Any, siblings: Shape) -> Shape:
        found = siblings
        for option in [self.shape(schema) for schema in list_at({"allOf": schemas}, "allOf")]:
            found = self._both.of(found, option)
        return found

    def _any_of(self, schemas: Any, siblings: Shape) -> Shape:
        options = list_at({"anyOf": schemas}, "anyOf")
        return any_of([self._both.of(siblings, self.shape(schema)) for schema in options])

    def _one_of(self, schemas: Any, siblings: Shape) -> Shape:
        options = list_at({"oneOf": schemas}, "oneOf")
        return one_of([self._both.of(siblings, self.shape(schema)) for schema in options])

    def _ref(self, reference: Any, siblings: Shape) -> Shape:
        target = resolve(self._root, reference)
        if reference and not reference.startswith("#"):
            raise RefusalError(f"$ref {reference} leads out of the schema")
        if reference not in self._definitions:
            self._definitions[reference] = None
            self._definitions[reference] = self.shape(target)
        if siblings is ANY:
            return Reference(reference)
        return self._both.of(siblings, self._resolved(reference))

    def _resolved(self, name: str) -> Shape:
        found = self._definitions[name]
        if found is None:
            raise RefusalError(f"$ref {name} leads back to itself with other keys beside it")
        return found

    def _typed(self, name: str, schema: Schema) -> Shape:
        match name:
            case "null":
                return Null()
            case "boolean":
                return Boolean()
            case "string":
                return _text(schema)
            case "array":
                return self._array(schema)
            case "object":
                return self._object(schema)
            case _:
                return _number(schema, is_whole=name == "integer")

    def _array(self, schema: Schema) -> Shape:
        prefix: Any = list_at(schema, "prefixItems")
        items = schema.get("items", _ABSENT)
        if isinstance(items, list):
            prefix, items = items, schema.get("additionalItems", _ABSENT)
        elif "additionalItems" in schema:
            prefix = []
        return Array(
            _size(schema, "minItems") or 0,
            _size(schema, "maxItems"),
            tuple(self.shape(item) for item in prefix),
            None if items is _ABSENT else self.shape(items),
        )

    def _object(self, schema: Schema) -> Shape:
        members = {
            name: self.shape(inner) for name, inner in object_at(schema, "properties").items()
        }
        others = schema.get("additionalProperties")
        return Object(
            members,
            self.shape(others) if "additionalProperties" in schema else None,
            frozenset(require_names(schema)),
            _size(schema, "minProperties") or 0,
            _size(schema, "maxProperties"),
        )


def _require_known(schema: Mapping[str, Any]) -> None:
    unknown = next((key for key in _UNKNOWN_KEYS if key in schema), "")
    if unknown:
        raise RefusalError(f"{unknown} is not supported")


def _constant(value: Any) -> Shape:
    if value is None:
        return Null()
    if isinstance(value, bool):
        return Boolean(value)
    if isinstance(value, int | float):
        is_whole = isinstance(value, int) and -(2**63) <= value < 2**63
        return Number(value, value, is_whole=is_whole)
    if isinstance(value, str):
        return Text(constant=value)
    if isinstance(value, list):
        return Array(len(value), len(value), tuple(map(_constant, value)), Never("it is constant"))
    members = {name: _constant(inner) for name, inner in value.items()}
    return Object(members, Never("it is constant"), frozenset(members))


def _text(schema: Schema) -> Shape:
    pattern = schema.get("pattern", "")
    if not isinstance(pattern, str):
        raise RefusalError("pattern must be a string")
    reason = judge_regex(pattern).guidance
    if reason:
        raise RefusalError(f"in pattern {pattern}: {reason}")
    form = schema.get("format", "email")
    if not isinstance(form, str) or form not in _FORMATS:
        raise RefusalError(f"there is no format {form!r}")
    return Text(_size(schema, "minLength") or 0, _size(schema, "maxLength"))


def _number(schema: Schema, *, is_whole: bool) -> Shape:
    low, low_is_open = _end(schema, "minimum", "exclusiveMinimum", max)
    high, high_is_open = _end(schema, "maximum", "exclusiveMaximum", min)
    step = schema.get("multipleOf", 1)
    if isinstance(step, bool) or not isinstance(step, int | float) or step == 0:
        raise RefusalError("multipleOf must be a number other than 0")
    return Number(low, high, low_is_open, high_is_open, is_whole)


def _end(schema: Schema, closed: str, opened: str, nearer: Any) -> tuple[float | None, bool]:
    """An end of a range; beside a closed one, true says that it is open."""
    at, beyond = schema.get(closed), schema.get(opened)
    if isinstance(beyond, bool):
        beyond = at if beyond else None
    for key, value in ((closed, at), (opened, beyond)):
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise RefusalError(f"{key} must be a number")
        if value is None and isinstance(schema.get(key, 0), str | list | dict | None):
            raise RefusalError(f"{key} must be a number")
    ends = [value for value in (at, beyond) if value is not None]
    if not ends:
        return None, False
    end = nearer(ends)
    return end, end == beyond


def _size(schema: Schema, key: str) -> int | None:
    if key not in schema:
        return None
    value = schema[key]
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise RefusalError(f"{key} must be a whole number of at least 0")
    return value
