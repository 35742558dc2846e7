"""What xgrammar refuses in a JSON Schema, and what vLLM does not give to it."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.rules.syntax.json_schema import (
    RefusalError,
    Schema,
    list_at,
    object_at,
    require_names,
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
_LARGEST = 2**31 - 1
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
    if "string" in types and not _is_format(part.get("format", "uri")):
        return f"there is no format {part['format']!r}"
    if "string" in types and _is_shaped_and_sized(part):
        return "a pattern or format with a length is not supported"
    if "object" in types:
        return _unsupported_names(part)
    return _unsupported_all(part)


def _is_format(name: Any) -> bool:
    return isinstance(name, str) and name in _FORMATS


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
        if schema is False:
            raise RefusalError("false fits nothing")
        if schema is not True:
            self._visit_rules(schema)

    def _visit_rules(self, schema: Schema) -> None:
        """The first of these keys decides; what stands beside it is not looked at."""
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
        if not types:
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
            if "\0" in pattern:
                raise RefusalError("in pattern: it must not hold a NUL character")
            if reason and "(?" not in pattern:
                raise RefusalError(f"in pattern {pattern}: {reason}")
        elif "format" not in schema:
            least, most = _int64(schema, "minLength", 0), _int64(schema, "maxLength", -1)
            if least > _LARGEST:
                raise RefusalError(f"minLength must be at most {_LARGEST}")
            if _int32(most) != -1 and _int32(least) > _int32(most):
                raise RefusalError(f"minLength ({least}) is above maxLength ({most})")
        if not isinstance(schema.get("format", ""), str):
            raise RefusalError("format must be a string")

    def _number(self, schema: Schema, *, whole: bool) -> None:
        require_range(schema, whole=whole, booleans=False)
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            value = schema.get(key)
            if whole and isinstance(value, float) and not value.is_integer():
                raise RefusalError(f"{key} of an integer must be a whole number")
            if whole and isinstance(value, int | float) and not -(2**63) <= value < 2**63:
                raise RefusalError(f"{key} must fit 64 bits")

    def _array(self, schema: Schema) -> None:
        first = list_at(schema, "prefixItems")
        for item in first:
            self.visit(item)
        more = schema.get("items", schema.get("unevaluatedItems", False))
        if more is not False:
            self.visit(more)
        least, most = _int64(schema, "minItems", 0), _int64(schema, "maxItems", _LARGEST)
        if least > _LARGEST or most < 0:
            raise RefusalError("minItems and maxItems must be whole numbers of at least 0")
        if least > most:
            raise RefusalError(f"minItems ({least}) is above maxItems ({most})")
        if most < len(first):
            raise RefusalError(f"maxItems ({most}) is below the number of prefixItems")
        if more is False and least > len(first):
            raise RefusalError("minItems is above the number of items that there may be")

    def _object(self, schema: Schema) -> None:
        properties = object_at(schema, "properties")
        for inner in properties.values():
            self.visit(inner)
        required = require_names(schema)
        for key in ("additionalProperties", "unevaluatedProperties", "propertyNames"):
            if schema.get(key, False) is not False:
                self.visit(schema[key])
        if not isinstance(schema.get("propertyNames", {}), dict):
            raise RefusalError("propertyNames must be an object")
        for pattern, inner in object_at(schema, "patternProperties").items():
            reason = judge_regex(pattern).xgrammar
            if reason:
                raise RefusalError(f"in patternProperties {pattern}: {reason}")
            self.visit(inner)
        least = _int32(_int64(schema, "minProperties", 0))
        most = _int32(_int64(schema, "maxProperties", _LARGEST))
        if min(least, most) < 0 or least > most:
            raise RefusalError("minProperties and maxProperties leave nothing between them")
        if most < len(required) or (least > len(properties) and not _takes_others(schema)):
            raise RefusalError("the number of properties does not fit those that are named")


def _takes_others(schema: Schema) -> bool:
    """Whether an object may have members that no rule names."""
    keys = ("additionalProperties", "unevaluatedProperties", "propertyNames", "patternProperties")
    return any(schema.get(key, False) is not False for key in keys)


def _int64(schema: Schema, key: str, default: int) -> int:
    """A whole number as xgrammar reads it: of 64 bits, and no others."""
    value = schema.get(key, default)
    if type(value) is not int or not -(2**63) <= value < 2**63:
        raise RefusalError(f"{key} must be a whole number of 64 bits")
    return value


def _int32(value: int) -> int:
    """What is left of a number in the 32 bits that xgrammar keeps of some."""
    return (value + 2**31) % 2**32 - 2**31
