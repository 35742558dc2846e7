"""Which numbers and members of an enum the limits in a JSON schema leave."""

import math
from collections.abc import Mapping
from typing import Any

from vllmctl.mock.structure.shapes import ConstraintError

Schema = Mapping[str, Any]

_SPAN = 100


def bounds(schema: Schema, whole: bool) -> tuple[float, float]:
    """Return the least and the greatest number of ``schema``, as far as it has limits.

    Raises:
        ConstraintError: the limits exclude all.
    """
    lows = [schema[key] for key in ("minimum", "exclusiveMinimum") if _is_number(schema, key)]
    highs = [schema[key] for key in ("maximum", "exclusiveMaximum") if _is_number(schema, key)]
    low = max(lows) if lows else None
    high = min(highs) if highs else None
    if low is None:
        low = 0 if high is None or high >= 0 else high - _SPAN
    if high is None:
        high = low + max(_SPAN, 2 * schema.get("multipleOf", 0))
    if whole and low == schema.get("exclusiveMinimum"):
        low = math.floor(low) + 1
    if whole and high == schema.get("exclusiveMaximum"):
        high = math.ceil(high) - 1
    if low > high:
        raise ConstraintError("Grammar error: minimum is greater than maximum")
    return low, high


def _is_number(schema: Schema, key: str) -> bool:
    return isinstance(schema.get(key), (int, float)) and not isinstance(schema[key], bool)


def is_inside(number: float, schema: Schema) -> bool:
    """Whether ``number`` keeps the exclusive limits."""
    return not (
        (_is_number(schema, "exclusiveMinimum") and number <= schema["exclusiveMinimum"])
        or (_is_number(schema, "exclusiveMaximum") and number >= schema["exclusiveMaximum"])
    )


def fitting(values: Any, schema: Schema) -> list[Any]:
    """Return the members of an enum that the type and the limits beside it leave.

    Raises:
        ConstraintError: it is no list, or an empty one.
    """
    if not isinstance(values, list) or not values:
        raise ConstraintError("Grammar error: enum must be a list that is not empty")
    named = schema.get("type")
    kinds = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    of_kind = [value for value in values if not kinds or _kind_of(value) & set(kinds)]
    within = [value for value in of_kind if _is_within(value, schema)]
    return within or of_kind or values


def _is_within(value: Any, schema: Schema) -> bool:
    """Whether a member of an enum keeps the limits beside it."""
    if isinstance(value, str):
        measure, limits = float(len(value)), ("minLength", "maxLength")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        measure, limits = value, ("minimum", "maximum")
        if not is_inside(value, schema):
            return False
    else:
        return True
    least, most = (schema.get(key) if _is_number(schema, key) else None for key in limits)
    return (least is None or measure >= least) and (most is None or measure <= most)


def _kind_of(value: Any) -> set[str]:
    if value is None:
        return {"null"}
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int):
        return {"integer", "number"}
    kinds = {float: "number", str: "string", list: "array", dict: "object"}
    return {kinds.get(type(value), "string")}
