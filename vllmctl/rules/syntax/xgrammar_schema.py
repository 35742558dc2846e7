"""What xgrammar refuses in a JSON Schema, and what vLLM does not give to it."""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from vllmctl.rules.syntax.json_schema import (
    RefusalError,
    Schema,
    is_number,
    list_at,
    object_at,
    require_names,
    require_schema,
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
_ARRAY_SIGNS = ("items", "prefixItems", "unevaluatedItems")
_LARGEST = 2**31 - 1
_PATTERNS = "patternProperties"
_OTHERS = ("additionalProperties", "unevaluatedProperties")
_OBJECT_SIGNS = ("properties", *_OTHERS)
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_LARGEST_STEP = 1024
_MOST_LOOKED_AT = 10_000
"""How many whole numbers xgrammar tries in turn for one that is a multiple."""

_SET_KEYS = ("uniqueItems", "contains", "minContains", "maxContains")


def withheld(schema: Schema) -> str:
    """Return why vLLM does not give a schema to xgrammar, or an empty text."""
    for part in _objects(schema):
        reason = _unsupported(part)
        if reason:
            return reason
    return ""


def xgrammar_refusal(schema: Any) -> str:
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
    """Visits a schema as xgrammar's converter does.

    Of what is ``used`` a grammar is made; the rest has to be well formed and no more.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._visited: set[str] = set()

    def visit(self, schema: Any, *, used: bool = True, default: str = "") -> None:
        """Raise ``RefusalError`` at the first part that cannot be converted."""
        require_schema(schema)
        if schema is False:
            raise RefusalError("false fits nothing")
        if schema is not True:
            self._visit_rules(schema, used=used, default=default)

    def _visit_rules(self, schema: Schema, *, used: bool, default: str) -> None:
        """The first of these keys decides; what stands beside it is not looked at."""
        if "$ref" in schema:
            self._follow(schema["$ref"], used=used)
        elif "const" in schema:
            return
        elif "enum" in schema:
            if not list_at(schema, "enum"):
                raise RefusalError("enum must not be empty")
        elif "anyOf" in schema or "oneOf" in schema:
            for option in list_at(schema, "anyOf" if "anyOf" in schema else "oneOf"):
                self.visit(option, used=used)
        elif "allOf" in schema:
            options = list_at(schema, "allOf")
            for option in options:
                self.visit(option, used=used and len(options) == 1)
        else:
            self._visit_types(schema, used=used, default=default)

    def _follow(self, reference: Any, *, used: bool) -> None:
        if not isinstance(reference, str):
            raise RefusalError(f"$ref must be a string, got {reference!r}")
        if used and reference not in self._visited:
            self._visited.add(reference)
            self.visit(self._target(reference))

    def _target(self, reference: str) -> Any:
        """What a reference leads to: anything, when it is none within the schema."""
        if reference == "#":
            return self._root
        found: Any = self._root if reference.startswith("#/") else {}
        for part in filter(None, reference.removeprefix("#/").split("/")) if found else ():
            if not isinstance(found, dict) or part not in found:
                raise RefusalError(f"$ref {reference} leads nowhere")
            found = found[part]
        return found

    def _visit_types(self, schema: Schema, *, used: bool, default: str) -> None:
        types = types_of(schema)
        if not types:
            if default and "type" not in schema:
                types = (default,)
            elif any(key in schema for key in _OBJECT_SIGNS):
                types = ("object",)
            elif any(key in schema for key in _ARRAY_SIGNS):
                types = ("array",)
        for name in types:
            self._visit_type(name, schema, used=used)

    def _visit_type(self, name: str, schema: Schema, *, used: bool) -> None:
        if name == "string":
            _string(schema, used=used)
        elif name in ("integer", "number"):
            _number(schema, whole=name == "integer")
        elif name == "array":
            self._array(schema, used=used)
        elif name == "object":
            self._object(schema, used=used)

    def _array(self, schema: Schema, *, used: bool) -> None:
        first = list_at(schema, "prefixItems")
        for item in first:
            if not isinstance(item, dict):
                raise RefusalError("prefixItems must hold objects")
            self.visit(item, used=used)
        more = schema.get("items", schema.get("unevaluatedItems", False))
        if more is not False:
            self.visit(more, used=used)
        least, most = _int64(schema, "minItems", 0), _int64(schema, "maxItems", _LARGEST)
        least = max(least, _int64(schema, "minContains", 0))
        if least > _LARGEST or most < 0:
            raise RefusalError("minItems and maxItems must be whole numbers of at least 0")
        if least > most:
            raise RefusalError(f"minItems ({least}) is above maxItems ({most})")
        if most < len(first):
            raise RefusalError(f"maxItems ({most}) is below the number of prefixItems")
        if more is False and least > len(first):
            raise RefusalError("minItems is above the number of items that there may be")

    def _object(self, schema: Schema, *, used: bool) -> None:
        used = used and schema.get("maxProperties") != 0
        properties, patterns = object_at(schema, "properties"), object_at(schema, _PATTERNS)
        for inner in properties.values():
            self.visit(inner, used=used)
        required = require_names(schema)
        for pattern, inner in patterns.items():
            if used:
                _require_pattern(pattern, _PATTERNS)
            self.visit(inner, used=used)
        others_used = used and (bool(properties) or not patterns)
        self._names(schema, used=others_used and (not properties or _takes_unnamed(schema)))
        others = next((schema[key] for key in _OTHERS if key in schema), False)
        if others is not False:
            self.visit(others, used=others_used)
        least = _int32(_int64(schema, "minProperties", 0))
        most = _int32(_int64(schema, "maxProperties", _LARGEST))
        if min(least, most) < 0 or least > most:
            raise RefusalError("minProperties and maxProperties leave nothing between them")
        named = bool(patterns) or "propertyNames" in schema
        unlimited = named or _takes_unnamed(schema)
        if most < len(set(required)) or (least > len(properties) and not unlimited):
            raise RefusalError("the number of properties does not fit those that are named")

    def _names(self, schema: Schema, *, used: bool) -> None:
        names = object_at(schema, "propertyNames")
        given = names.get("type", "string")
        if isinstance(given, str) and given != "string":
            raise RefusalError("propertyNames must be about strings")
        if "propertyNames" in schema:
            self.visit(names, used=used, default="string")


def _takes_unnamed(schema: Schema) -> bool:
    """Whether an object may have members that neither a name nor a pattern tells of."""
    return next((schema[key] for key in _OTHERS if key in schema), False) is not False


def _require_pattern(pattern: str, key: str) -> None:
    if "\0" in pattern:
        raise RefusalError(f"in {key}: it must not hold a NUL character")
    reason = judge_regex(pattern).xgrammar
    if reason:
        raise RefusalError(f"in {key} {pattern}: {reason}")


def _string(schema: Schema, *, used: bool) -> None:
    form, pattern = schema.get("format", ""), schema.get("pattern", "")
    for key, value in (("format", form), ("pattern", pattern)):
        if not isinstance(value, str):
            raise RefusalError(f"{key} must be a string")
    least, most = _int64(schema, "minLength", 0), _int64(schema, "maxLength", -1)
    if least > _LARGEST:
        raise RefusalError(f"minLength must be at most {_LARGEST}")
    if most != -1 and least > most:
        raise RefusalError(f"minLength ({least}) is above maxLength ({most})")
    if used and form not in _FORMATS and "(?" not in pattern:
        _require_pattern(pattern, "pattern")


def _number(schema: Schema, *, whole: bool) -> None:
    step = schema.get("multipleOf", 1)
    if not is_number(step) or step <= 0:
        raise RefusalError("multipleOf must be a number above 0")
    for key in _LIMITS:
        if not is_number(schema.get(key, 0)):
            raise RefusalError(f"{key} must be a number")
    if whole:
        _whole_number(schema, step)
    else:
        _any_number(schema)


def _any_number(schema: Schema) -> None:
    low, above = schema.get("minimum", -inf), schema.get("exclusiveMinimum", -inf)
    high, below = schema.get("maximum", inf), schema.get("exclusiveMaximum", inf)
    if low > high or above >= high or max(low, above) >= below:
        raise RefusalError("no number lies between its limits")


def _whole_number(schema: Schema, step: float) -> None:
    for key in _LIMITS:
        value = schema.get(key)
        if isinstance(value, float) and not value.is_integer():
            raise RefusalError(f"{key} of an integer must be a whole number")
        if value is not None and not -(2**63) <= value < 2**63:
            raise RefusalError(f"{key} must fit 64 bits")
    low = max(schema.get("minimum", -(2**63)), schema.get("exclusiveMinimum", -(2**64)) + 1)
    high = min(schema.get("maximum", 2**63 - 1), schema.get("exclusiveMaximum", 2**64) - 1)
    if low > high:
        raise RefusalError("no whole number lies between its limits")
    is_looked_for = high - low < _MOST_LOOKED_AT and step <= _LARGEST_STEP and step % 1 == 0
    if is_looked_for and high // step * step < low:
        raise RefusalError(f"no multiple of {step} lies between its limits")


def _int64(schema: Schema, key: str, default: int) -> int:
    """A whole number as xgrammar reads it: of 64 bits, and no others."""
    value = schema.get(key, default)
    if type(value) is not int or not -(2**63) <= value < 2**63:
        raise RefusalError(f"{key} must be a whole number of 64 bits")
    return value


def _int32(value: int) -> int:
    """What is left of a number in the 32 bits that xgrammar keeps of some."""
    return (value + 2**31) % 2**32 - 2**31
