"""Makes a JSON value that satisfies a JSON schema."""

import math
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any
from urllib.parse import unquote

from vllmctl.mock.structure.json_text import make_string
from vllmctl.mock.structure.limits import bounds, fitting, is_inside
from vllmctl.mock.structure.merging import merged, without
from vllmctl.mock.structure.shapes import ConstraintError
from vllmctl.rules.syntax.guidance_schema import nothing_fits
from vllmctl.rules.syntax.schema import mentions

Schema = Mapping[str, Any]

TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")

_DEEP = 3
_ENDLESS = 60
_EXTRA_ITEMS = 2
_UNIONS = ("anyOf", "oneOf")
_ANY: Schema = {"type": "string"}
_IMPLIED = (
    ("object", ("properties", "required", "additionalProperties", "minProperties")),
    ("array", ("items", "prefixItems", "minItems", "maxItems", "uniqueItems")),
    ("string", ("minLength", "maxLength", "pattern", "format")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
)


def make_value(schema: Any, random: Random) -> Any:
    """Return a value of ``schema``.

    Raises:
        ConstraintError: an unknown type, a broken reference, or limits that exclude all.
    """
    return _Maker(schema, random).value(schema, 0)


class _Maker:
    def __init__(self, root: Any, random: Random) -> None:
        self._root = root
        self._random = random

    def value(self, schema: Any, depth: int) -> Any:
        if depth > _ENDLESS:
            raise ConstraintError("Grammar error: the schema never ends")
        schema = self._settled(schema, depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._random.choice(fitting(schema["enum"], schema))
        return self._typed(self._kind(schema, depth), schema, depth)

    def _typed(self, kind: str, schema: Schema, depth: int) -> Any:
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        if kind == "string":
            return make_string(schema, self._random)
        if kind in ("integer", "number"):
            return self._number(schema, whole=kind == "integer")
        return self._random.random() < 0.5 if kind == "boolean" else None

    def _kind(self, schema: Schema, depth: int) -> str:
        named = schema.get("type")
        kinds = [named] if isinstance(named, str) else list(named or ())
        for kind in kinds:
            if kind not in TYPES:
                raise ConstraintError(f"Grammar error: Invalid type: {kind}")
        if not kinds:
            return next((kind for kind, keys in _IMPLIED if any(k in schema for k in keys)), "null")
        simple = [kind for kind in kinds if kind not in ("object", "array", "null")]
        if depth > _DEEP:
            return "null" if "null" in kinds else (simple or kinds)[0]
        return str(self._random.choice([kind for kind in kinds if kind != "null"] or kinds))

    def _settled(self, schema: Any, depth: int) -> Schema:
        """Return one schema without references, unions and the like in its place."""
        if schema is True or schema == {}:
            return _ANY
        if not isinstance(schema, Mapping):
            raise ConstraintError("Grammar error: the schema allows no value")
        for _ in range(_ENDLESS):
            if "$ref" in schema:
                schema = merged(without(schema, "$ref"), self._find(schema["$ref"]))
            elif "allOf" in schema:
                schema = self._together(schema, depth)
            elif union := next((key for key in _UNIONS if key in schema), None):
                schema = merged(without(schema, union), self._option(schema[union], depth))
            else:
                return dict(schema)
        raise ConstraintError("Grammar error: the schema never ends")

    def _together(self, schema: Schema, depth: int) -> Schema:
        """All parts of ``allOf`` in one, with options that go together."""
        whole: Schema = {}
        for _ in range(_ENDLESS):
            whole = without(schema, "allOf")
            for part in schema["allOf"]:
                whole = merged(whole, self._settled_part(part, depth))
            if not nothing_fits(whole, self._root):
                break
        return whole

    def _settled_part(self, part: Any, depth: int) -> Schema:
        """A part of ``allOf``: its references and unions are settled before it is merged."""
        for _ in range(_ENDLESS):
            if not isinstance(part, Mapping):
                return {}
            if "$ref" in part:
                part = merged(without(part, "$ref"), self._find(part["$ref"]))
            elif "allOf" in part:
                part = self._together(part, depth)
            elif union := next((key for key in _UNIONS if key in part), None):
                part = merged(without(part, union), self._random.choice(part[union]))
            else:
                return part
        raise ConstraintError("Grammar error: the schema never ends")

    def _is_empty(self, schema: Any) -> bool:
        """Whether a part that may be left out has to be, because no value fits it."""
        return schema is False or (mentions(schema, "allOf") and nothing_fits(schema, self._root))

    def _option(self, options: Sequence[Any], depth: int) -> Schema:
        usable = [option for option in options if not self._is_empty(option)]
        if not usable:
            raise ConstraintError("Grammar error: the schema allows no value")
        if depth > _DEEP:
            option = min(usable, key=_weight)
        else:
            ends = [option for option in usable if _weight(option) < 3]
            option = self._random.choice(ends or usable)
        return option if isinstance(option, Mapping) else _ANY

    def _find(self, reference: str) -> Schema:
        found: Any = self._root
        if not reference.startswith("#"):
            raise ConstraintError(f"Grammar error: cannot resolve reference {reference}")
        for part in filter(None, reference[1:].split("/")):
            key: Any = unquote(part).replace("~1", "/").replace("~0", "~")
            key = int(key) if isinstance(found, list) and key.isdecimal() else key
            try:
                found = found[key]
            except (KeyError, IndexError, TypeError):
                pointer = reference.removeprefix("#")
                raise ConstraintError(
                    f"Grammar error: Pointer '{pointer}' does not exist"
                ) from None
        return found if isinstance(found, Mapping) else _ANY

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        if not isinstance(required, list):
            raise ConstraintError(f"Grammar error: Expected array for 'required', got {required}")
        optional = [] if depth > _DEEP else [n for n in properties if n not in required]
        made = {
            name: self.value(properties[name], depth + 1)
            for name in properties
            if name in required or (name in optional and not self._is_empty(properties[name]))
        }
        for name in required:
            if name not in made:
                made[name] = self.value(_unnamed(name, schema), depth + 1)
        self._fill(made, schema, depth)
        return made

    def _fill(self, made: dict[str, Any], schema: Schema, depth: int) -> None:
        """Add members until there are enough of them."""
        least = schema.get("minProperties", 0)
        extra = schema.get("additionalProperties", True)
        if isinstance(extra, Mapping) and extra and "properties" not in schema and depth <= _DEEP:
            least = max(least, 1)
        for number in range(1, _ENDLESS * 10):
            if len(made) >= least:
                return
            name = self._name(schema, number) if extra is False else f"key{number}"
            if name not in made:
                made[name] = self.value(_unnamed(name, schema), depth + 1)
        raise ConstraintError("Grammar error: minProperties is too large")

    def _name(self, schema: Schema, number: int) -> str:
        """A name that one of the patterns allows, where nothing else is allowed."""
        patterns = list(schema.get("patternProperties", {}))
        if not patterns:
            raise ConstraintError("Grammar error: the schema allows no value")
        return make_string({"pattern": patterns[number % len(patterns)]}, self._random)

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        first = schema.get("prefixItems", [])
        rest = schema.get("items", True)
        if isinstance(rest, list):
            first, rest = rest, schema.get("additionalItems", True)
        least = max(schema.get("minItems", 0), 0)
        most = schema.get("maxItems", max(least, len(first)) + _EXTRA_ITEMS)
        if rest is False:
            most = min(most, len(first))
        if most < least:
            raise ConstraintError("Grammar error: minItems is greater than maxItems")
        wish = least if depth > _DEEP else min(most, max(least, len(first), 1) + 1)
        items = [self.value(one, depth + 1) for one in first[:wish]]
        while len(items) < wish:
            items.append(self._item(rest, items, schema, depth))
            if items[-1] is _NO_MORE:
                return self._cut(items[:-1], least)
        return items

    def _item(self, one: Any, before: list[Any], schema: Schema, depth: int) -> Any:
        for _ in range(_ENDLESS):
            item = self.value(one, depth + 1)
            if not schema.get("uniqueItems") or item not in before:
                return item
        return _NO_MORE

    @staticmethod
    def _cut(items: list[Any], least: int) -> list[Any]:
        if len(items) < least:
            raise ConstraintError("Grammar error: too few different items for minItems")
        return items

    def _number(self, schema: Schema, *, whole: bool) -> float:
        low, high = bounds(schema, whole)
        step = schema.get("multipleOf", 1 if whole else None)
        if step:
            number = self._multiple(low, high, step, whole)
        else:
            number = round(self._random.uniform(low, high), 2)
            number = (
                number
                if low <= number <= high and is_inside(number, schema)
                else 0.5 * (low + high)
            )
        if not is_inside(number, schema):
            raise ConstraintError("Grammar error: no number is within the limits")
        return number

    def _multiple(self, low: float, high: float, step: float, whole: bool) -> float:
        first, last = math.ceil(low / step), math.floor(high / step)
        if last < first:
            raise ConstraintError("Grammar error: no number is within the limits")
        number = self._random.randint(first, last) * step
        return int(number) if whole and number == int(number) else number


_NO_MORE = object()


def _unnamed(name: str, schema: Schema) -> Any:
    """The schema of a member that ``properties`` does not name."""
    for pattern, member in schema.get("patternProperties", {}).items():
        if _matches(pattern, name):
            return member
    return schema.get("additionalProperties", True)


def _matches(pattern: str, name: str) -> bool:
    """Whether ``pattern`` is found in ``name``; false where Python cannot read it."""
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


def _weight(option: Any) -> int:
    """How much an option of a union may bring with it; the lightest ends a recursion."""
    if not isinstance(option, Mapping):
        return 1
    if "const" in option or "enum" in option or option.get("type") == "null":
        return 0
    if "$ref" in option:
        return 4
    return {"object": 3, "array": 2}.get(str(option.get("type")), 1)
