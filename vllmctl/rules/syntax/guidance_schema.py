"""What llguidance refuses in a JSON Schema: what it cannot read, and what nothing fits."""

import re
from collections.abc import Mapping
from typing import Any

from vllmctl.rules.syntax.guidance_build import build, require_pattern
from vllmctl.rules.syntax.json_schema import (
    TYPES,
    NothingFitsError,
    RefusalError,
    Schema,
    list_at,
    object_at,
    require_names,
    require_schema,
    types_of,
)
from vllmctl.rules.syntax.numbers import Steps, as_double
from vllmctl.rules.syntax.references import References
from vllmctl.rules.syntax.shapes import (
    ANY,
    AnyOf,
    Array,
    Boolean,
    Intersection,
    Never,
    Null,
    Number,
    Object,
    OneOf,
    Reference,
    Shape,
    Text,
    any_of,
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
_NOT_SUPPORTED: Mapping[str, int] = {
    **dict.fromkeys(("not", "uniqueItems", "dependencies"), 4),
    **dict.fromkeys(("contains", "propertyNames"), 6),
    **dict.fromkeys(("if", "then", "else"), 7),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "maxContains", "minContains"), 2019),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), 2019),
    **dict.fromkeys(("$recursiveAnchor", "$recursiveRef"), 2019),
    **dict.fromkeys(("$dynamicAnchor", "$dynamicRef"), 2020),
}
"""Words that llguidance knows, and the draft of JSON Schema that brought them."""

_DRAFT = re.compile(r"https?://json-schema\.org/(?:draft/|draft-0)(\d+)")
_NEWEST_DRAFT = 2020
_TYPES = tuple(name for name in TYPES if name != "integer")
_NOTES = frozenset(
    (
        *("$anchor", "$defs", "definitions", "$schema", "$id", "id", "$comment", "title"),
        *("description", "default", "readOnly", "writeOnly", "examples", "contentMediaType"),
        "contentEncoding",
    )
)
"""What says nothing about the values."""

_APPLICATORS = ("const", "enum", "allOf", "anyOf", "oneOf", "$ref")

_LARGEST = 2**64
_ABSENT = object()


def guidance_refusal(schema: Any) -> str:
    """Return why llguidance does not take a schema, or an empty text."""
    try:
        References(schema).refuse_foreign()
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

    def __init__(self, root: Any) -> None:
        self._references = References(root)
        self._draft = _draft_of(root)
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
        self._both.count()
        self._require_known(schema)
        return self._parts(schema) if schema.keys() - _NOTES else ANY

    def _require_known(self, schema: Schema) -> None:
        for key in schema:
            if _NOT_SUPPORTED.get(key, _NEWEST_DRAFT + 1) <= self._draft:
                raise RefusalError(f"{key} is not supported")

    def _parts(self, schema: Schema) -> Shape:
        """What the keys say, in their order; those of the types go together up to the next other.

        Some keys need to know of others that have not been reached.
        """
        beside = {
            "additionalProperties": ("properties", dict.fromkeys(_members(schema), True)),
            "items": ("prefixItems", [True] * len(list_at(schema, "prefixItems"))),
        }
        found: Shape = ANY
        plain: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _APPLICATORS:
                found = self._both.of(found, self._plain(plain, schema)) if plain else found
                found, plain = self._apply(key, value, found), {}
            elif key not in _NOTES:
                plain[key] = value
                other, stand_in = beside.get(key, ("", None))
                if other in schema:
                    plain.setdefault(other, stand_in)
        return self._both.of(found, self._plain(plain, schema)) if plain else found

    def _plain(self, keys: dict[str, Any], schema: Schema) -> Shape:
        """What keys say of the types that the schema allows."""
        names = types_of(schema) if "type" in schema else _TYPES
        return any_of([self._typed(name, keys) for name in names])

    def _apply(self, key: str, value: Any, found: Shape) -> Shape:
        if key == "const":
            return self._both.of(found, _constant(value))
        if key == "$ref":
            return self._ref(value, found)
        options = list_at({key: value}, key)
        if key == "enum":
            return self._both.of(found, AnyOf(tuple(map(_constant, options))))
        if key == "allOf":
            for option in options:
                found = self._both.of(found, self.shape(option))
            return found
        kind = AnyOf if key == "anyOf" else OneOf
        return self._both.of(found, kind(tuple(map(self.shape, options))))

    def _ref(self, reference: Any, found: Shape) -> Shape:
        if not isinstance(reference, str):
            raise RefusalError(f"$ref must be a string, got {reference!r}")
        if reference not in self._definitions:
            self._definitions[reference] = None
            self._definitions[reference] = self.shape(self._references.target(reference))
        if found is ANY:
            return Reference(reference)
        return self._both.of(found, self._resolved(reference))

    def _resolved(self, name: str) -> Shape:
        found = self._definitions[name]
        if found is None:
            raise RefusalError(f"$ref {name} leads back to itself with other keys beside it")
        return found

    def _typed(self, name: str, schema: Schema) -> Shape:
        self._both.count()
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
        prefix: Any = schema.get("prefixItems", [])
        items = schema.get("items", _ABSENT)
        if isinstance(items, list):
            prefix, items = items, schema.get("additionalItems", _ABSENT)
        elif "additionalItems" in schema or self._draft < _NEWEST_DRAFT:
            prefix = []
        return Array(
            _size(schema, "minItems") or 0,
            _size(schema, "maxItems"),
            tuple(self.shape(item) for item in list_at({"prefixItems": prefix}, "prefixItems")),
            None if items is _ABSENT else self.shape(items),
        )

    def _object(self, schema: Schema) -> Shape:
        members = {name: self.shape(inner) for name, inner in _members(schema).items()}
        for pattern, inner in object_at(schema, "patternProperties").items():
            require_pattern(pattern)
            self.shape(inner)
        others = schema.get("additionalProperties")
        return Object(
            members,
            self.shape(others) if "additionalProperties" in schema else None,
            frozenset(require_names(schema)),
            _size(schema, "minProperties") or 0,
            _size(schema, "maxProperties"),
        )


def _members(schema: Schema) -> Schema:
    return object_at(schema, "properties")


def _draft_of(root: Any) -> int:
    found = _DRAFT.match(str(root.get("$schema", ""))) if isinstance(root, dict) else None
    return int(found[1]) if found else _NEWEST_DRAFT


def _constant(value: Any) -> Shape:
    if value is None:
        return Null()
    if isinstance(value, bool):
        return Boolean(value)
    if isinstance(value, int | float):
        is_whole = isinstance(value, int) and -(2**63) <= value < 2**63
        return Number(as_double(value), as_double(value), is_whole=is_whole)
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
    form = schema.get("format", "email")
    if not isinstance(form, str) or form not in _FORMATS:
        raise RefusalError(f"there is no format {form!r}")
    least, most = _size(schema, "minLength") or 0, _size(schema, "maxLength")
    return Text(least, most, patterns=(pattern,) if pattern else ())


def _number(schema: Schema, *, is_whole: bool) -> Shape:
    low, low_is_open = _end(schema, "minimum", "exclusiveMinimum", max)
    high, high_is_open = _end(schema, "maximum", "exclusiveMaximum", min)
    step = schema.get("multipleOf", _ABSENT)
    steps = None if step is _ABSENT else Steps.of(step)
    return Number(low, high, low_is_open, high_is_open, is_whole, steps)


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
    ends = [as_double(value) for value in (at, beyond) if value is not None]
    if not ends:
        return None, False
    end = nearer(ends)
    return end, beyond is not None and end == as_double(beyond)


def _size(schema: Schema, key: str) -> int | None:
    if key not in schema:
        return None
    value = schema[key]
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise RefusalError(f"{key} must be a whole number of at least 0")
    return value
