"""Turns a field's facts into a schema of pydantic's engine.

Every choice of a union is labelled with its number and its alternatives in words, each
after a NUL, so that labels are told apart from the body's own keys.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from vllmctl.catalog.exact_fit import limit
from vllmctl.catalog.facts import Model
from vllmctl.catalog.files import read_external

Core = dict[str, Any]

LABEL = "\0"

_LIMITS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "pattern": "pattern",
    "strict": "strict",
}
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_WORDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
}


class FieldSchema(NamedTuple):
    """A schema for the engine; ``is_lazy`` when parts of it are checked on reading only."""

    schema: Core
    is_lazy: bool


def field_schema(
    schema: Mapping[str, Any], models: Mapping[str, Model], unknown: str = "ignored"
) -> FieldSchema:
    """Return the engine's schema of one field.

    ``unknown`` is what the body does with fields that it does not know; types of other
    libraries in it do the same.
    """
    builder = _Builder(models, unknown)
    core = builder.core(schema)
    if builder.definitions:
        definitions = list(builder.definitions.values())
        core = {"type": "definitions", "schema": core, "definitions": definitions}
    return FieldSchema(core, builder.is_lazy)


def external_schema(name: str, models: Mapping[str, Model]) -> FieldSchema:
    """Return the engine's schema of a type that comes from outside, or of a model."""
    if name in models:
        return field_schema({"$ref": f"#/models/{name}"}, models)
    return field_schema({"x-external": name}, models)


def alternatives(schema: Mapping[str, Any]) -> list[str]:
    """Return what a schema takes, in words: ``["a string", "a list of integers"]``."""
    if "anyOf" in schema:
        every = [words for option in schema["anyOf"] for words in alternatives(option)]
        return list(dict.fromkeys(every))
    if "enum" in schema:
        return [repr(v) if isinstance(v, str) else json.dumps(v) for v in schema["enum"]]
    kind = schema.get("type", "object")
    if kind == "array":
        inner = schema.get("items", {}).get("type")
        inner = "list" if inner == "array" else inner
        return [f"a list of {inner}s" if inner in (*_WORDS, "list") else "a list"]
    return [_WORDS.get(kind, "a value")]


def flat(option: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the choices of an option: a union inside a union counts as one, as in Python."""
    if "x-external" in option:
        shape = read_external()["shapes"].get(option["x-external"], {})
        if "anyOf" in shape and not shape.get("nullable"):
            return list(shape["anyOf"])
    return [option]


class _Builder:
    """Builds one field's schema and collects the nested models that it refers to."""

    def __init__(self, models: Mapping[str, Model], unknown: str) -> None:
        self._models = models
        self._unknown = unknown
        self.definitions: dict[str, Core] = {}
        self.is_lazy = False

    def core(self, schema: Mapping[str, Any]) -> Core:
        """Return the engine's schema for one of the facts'."""
        core = self._without_null(schema)
        return {"type": "nullable", "schema": core} if schema.get("nullable") else core

    def _without_null(self, schema: Mapping[str, Any]) -> Core:
        if "anyOf" in schema:
            return self._union(schema)
        if "$ref" in schema:
            return self._model(schema["$ref"].removeprefix("#/models/"))
        if "x-external" in schema:
            return self._external(schema["x-external"])
        if "x-never" in schema:
            return {"type": "none"}
        if "enum" in schema:
            return {"type": "literal", "expected": schema["enum"]}
        return self._typed(schema)

    def _typed(self, schema: Mapping[str, Any]) -> Core:
        kind = schema.get("type")
        if kind in _SCALARS:
            return {"type": _SCALARS[kind], **_limits(schema)}
        if kind == "array":
            return self._array(schema)
        if kind == "object":
            return self._object(schema)
        return {"type": "none"} if kind == "null" else {"type": "any"}

    def _array(self, schema: Mapping[str, Any]) -> Core:
        if "prefixItems" in schema:
            items = [self.core(item) for item in schema["prefixItems"]]
            return {"type": "tuple", "items_schema": items}
        inner = self.core(schema["items"]) if schema.get("items") else {"type": "any"}
        if schema.get("x-lazy"):
            self.is_lazy = True
            return {"type": "generator", "items_schema": inner}
        return {"type": "list", "items_schema": inner, **_limits(schema)}

    def _object(self, schema: Mapping[str, Any]) -> Core:
        if "properties" in schema:
            return _typed_dict(
                {
                    name: (self.core(inner), name in schema.get("required", ()))
                    for name, inner in schema["properties"].items()
                },
                self._unknown,
            )
        values = schema.get("additionalProperties")
        return {
            "type": "dict",
            "keys_schema": self.core(schema.get("propertyNames", {"type": "string"})),
            "values_schema": self.core(values) if values else {"type": "any"},
        }

    def _union(self, schema: Mapping[str, Any]) -> Core:
        options = [inner for option in schema["anyOf"] for inner in flat(option)]
        if len(options) == 1:
            return self.core(options[0])
        choices = [
            (self.core(option), LABEL.join(["", str(number), *alternatives(option)]))
            for number, option in enumerate(options)
        ]
        return {"type": "union", "choices": choices}

    def _external(self, name: str) -> Core:
        shape = read_external()["shapes"].get(name)
        if shape is None:
            return {"type": "any"}
        if "properties" not in shape:
            return self.core(shape)
        return self._define(name, lambda: self.core(shape))

    def _model(self, name: str) -> Core:
        model = self._models.get(name)
        if model is None:
            return {"type": "any"}
        return self._define(name, lambda: self._model_core(model))

    def _model_core(self, model: Model) -> Core:
        return _typed_dict(
            {name: (self.core(f.schema), f.required) for name, f in model.fields.items()},
            model.unknown,
        )

    def _define(self, name: str, make: Callable[[], Core]) -> Core:
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = {**make(), "ref": name}
        return {"type": "definition-ref", "schema_ref": name}


def _typed_dict(fields: Mapping[str, tuple[Core, bool]], unknown: str) -> Core:
    return {
        "type": "typed-dict",
        "extra_behavior": "forbid" if unknown == "refused" else "allow",
        "fields": {
            name: {"type": "typed-dict-field", "schema": core, "required": required}
            for name, (core, required) in fields.items()
        },
    }


def _limits(schema: Mapping[str, Any]) -> Core:
    return {_LIMITS[key]: limit(value) for key, value in schema.items() if key in _LIMITS}
