"""Makes one JSON schema of two that both hold."""

import math
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def without(schema: Schema, key: str) -> dict[str, Any]:
    """Return ``schema`` without one of its keys."""
    return {name: value for name, value in schema.items() if name != key}


def merged(one: Schema, other: Schema) -> Schema:
    """Return both schemas in one: the narrower limit of each key, all properties, all required."""
    both = dict(one)
    for key, value in other.items():
        both[key] = _join(key, both[key], value) if key in both else value
    return both


def _join(key: str, one: Any, other: Any) -> Any:
    if key in ("properties", "$defs", "definitions"):
        both = {name: merged(one[name], other[name]) for name in one if name in other}
        return {**one, **other, **both}
    if key == "required":
        return list(dict.fromkeys([*one, *other]))
    if key in ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"):
        return max(one, other)
    if key in ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"):
        return min(one, other)
    if key == "enum":
        return [value for value in one if value in other]
    if key == "multipleOf" and isinstance(one, int) and isinstance(other, int):
        return math.lcm(one, other)
    if key == "type":
        first, second = ([x] if isinstance(x, str) else x for x in (one, other))
        wide = [*second, *(["integer"] if "number" in second else [])]
        kinds = [kind for kind in first if kind in wide]
        return kinds or [k for k in second if k == "integer" and "number" in first]
    return other
