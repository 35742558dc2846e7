"""Tells without pydantic's engine that a value fits, when that is plain to see.

Loading the engine costs more than all other work of an ordinary request. Most values are
of exactly the type that the facts ask for; only for the others is the engine asked. So
this module may doubt a good value, and must never pass one that the engine refuses or
would change.
"""

from collections.abc import Callable, Mapping
from typing import Any

from vllmctl.catalog.facts import Model
from vllmctl.catalog.files import read_external

Schema = Mapping[str, Any]

_LARGEST_EXACT = 2**53


def fits(schema: Schema, value: Any, models: Mapping[str, Model], unknown: str = "ignored") -> bool:
    """Return whether ``value`` surely fits ``schema`` as it is; ``False`` means unsure.

    ``unknown`` is what the body does with fields that it does not know.
    """
    try:
        return _Fit(models, unknown).fits(schema, value)
    except _UnsureError:
        return False


class _UnsureError(Exception):
    """The engine has to be asked."""


class _Fit:
    def __init__(self, models: Mapping[str, Model], unknown: str) -> None:
        self._models = models
        self._unknown = unknown

    def fits(self, schema: Schema, value: Any) -> bool:
        if value is None:
            return bool(schema.get("nullable")) or not schema
        if "anyOf" in schema:
            return any(self.fits(option, value) for option in schema["anyOf"])
        if "$ref" in schema:
            return self._fits_model(schema["$ref"].removeprefix("#/models/"), value)
        if "x-external" in schema:
            shape = read_external()["shapes"].get(schema["x-external"])
            return shape is None or self.fits(shape, value)
        if "enum" in schema:
            return any(type(value) is type(one) and value == one for one in schema["enum"])
        kind = schema.get("type")
        if kind is None:
            return not schema
        return self._fits_type(kind, schema, value)

    def _fits_type(self, kind: str, schema: Schema, value: Any) -> bool:
        if kind == "array":
            return self._fits_array(schema, value)
        if kind == "object":
            return self._fits_object(schema, value)
        check = _SCALARS.get(kind)
        return check is not None and check(value) and _is_within(schema, value)

    def _fits_model(self, name: str, value: Any) -> bool:
        model = self._models.get(name)
        if model is None or type(value) is not dict:
            return False
        if model.unknown == "refused" and not value.keys() <= model.fields.keys():
            return False
        return all(
            self.fits(field.schema, value[key]) if key in value else not field.required
            for key, field in model.fields.items()
        )

    def _fits_array(self, schema: Schema, value: Any) -> bool:
        if type(value) is not list:
            return False
        if "x-lazy" in schema or "prefixItems" in schema:
            raise _UnsureError
        items = schema.get("items", {})
        return _is_within(schema, value) and all(self.fits(items, item) for item in value)

    def _fits_object(self, schema: Schema, value: Any) -> bool:
        if type(value) is not dict or "propertyNames" in schema:
            return False
        if "properties" in schema:
            return self._fits_properties(schema["properties"], schema, value)
        values = schema.get("additionalProperties") or {}
        return all(_is_text(key) and self.fits(values, inner) for key, inner in value.items())

    def _fits_properties(self, known: Schema, schema: Schema, value: dict[str, Any]) -> bool:
        """A key that is not known may get another name before the server looks at it."""
        unknown = [inner for key, inner in value.items() if key not in known]
        if not all(map(_is_plain, unknown)):
            raise _UnsureError
        if unknown and self._unknown == "refused":
            return False
        required = schema.get("required", ())
        return all(
            self.fits(inner, value[key]) if key in value else key not in required
            for key, inner in known.items()
        )


def _is_plain(value: Any) -> bool:
    return value is None or type(value) is str


def limit(bound: Any) -> Any:
    """Return a limit's number; one that the server reads from a variable has a default."""
    return bound["default"] if isinstance(bound, dict) else bound


def _is_text(value: Any) -> bool:
    return type(value) is str and (value.isascii() or is_unicode(value))


def is_unicode(text: str) -> bool:
    """Whether no half of a surrogate pair is in it; the engine refuses those."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_SCALARS: Mapping[str, Callable[[Any], bool]] = {
    "string": _is_text,
    "boolean": lambda value: type(value) is bool,
    "integer": lambda value: type(value) is int,
    "number": lambda value: (
        type(value) is float or (type(value) is int and abs(value) <= _LARGEST_EXACT)
    ),
}

_BOUNDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "exclusiveMaximum": lambda value, bound: value < bound,
    "minLength": lambda value, bound: len(value) >= bound,
    "maxLength": lambda value, bound: len(value) <= bound,
    "minItems": lambda value, bound: len(value) >= bound,
    "maxItems": lambda value, bound: len(value) <= bound,
}
_NO_BOUNDS = ("type", "nullable", "items", "strict")


def _is_within(schema: Schema, value: Any) -> bool:
    for key, bound in schema.items():
        if key in _NO_BOUNDS:
            continue
        check = _BOUNDS.get(key)
        if check is None or not check(value, limit(bound)):
            return False
    return True
