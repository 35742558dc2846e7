"""JSON Schema (draft 2020-12) of an endpoint's body, made from the facts."""

from collections.abc import Mapping
from typing import Any

from vllmctl.catalog.bodies import bodies
from vllmctl.catalog.exact_fit import limit
from vllmctl.catalog.facts import Endpoint, Field, Model
from vllmctl.catalog.files import read_external

DRAFT = "https://json-schema.org/draft/2020-12/schema"

Schema = Mapping[str, Any]
Json = dict[str, Any]

_KEPT = (
    "type",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "required",
)
_MODEL_PREFIX = "#/models/"


def body_schema(of: Endpoint) -> Json:
    """Return the schema of the body that ``of`` takes.

    It holds what types and limits say; rules over several fields are not in it, nor what
    the server coerces (the string ``"0.5"`` for a number). Fields that the server would
    ignore are let through, those that it would refuse are not.
    """
    maker = SchemaMaker(of)
    fields = {n: maker.field(f) for n, f in of.fields.items() if f.place == "body"}
    schema: Json = {
        "$schema": DRAFT,
        "title": f"{of.path} of {of.target}",
        "description": of.description,
        "type": "object",
        "properties": fields,
        **_required(of),
    }
    if of.unknown == "refused":
        schema["additionalProperties"] = False
    return {**schema, "$defs": maker.definitions}


def _required(of: Endpoint) -> Json:
    """What must be sent; where several bodies are taken, what one of them requires is enough."""
    wanted = dict.fromkeys(body.required for body in bodies(of))
    least = [one for one in wanted if not any(set(other) < set(one) for other in wanted)]
    if len(least) == 1:
        return {"required": list(least[0])}
    return {"anyOf": [{"required": list(one)} for one in least]}


class SchemaMaker:
    """Turns the facts' schemas into JSON Schema; ``definitions`` collects nested shapes."""

    def __init__(self, of: Endpoint) -> None:
        self._models = of.models
        self.definitions: dict[str, Json] = {}

    def field(self, field: Field) -> Json:
        """Return the schema of one field, with its description and default."""
        schema = self.schema(field.schema)
        if field.description:
            schema["description"] = field.description
        if field.default is not None:
            schema["default"] = field.default
        if field.deprecated_since:
            schema["deprecated"] = True
        return schema

    def schema(self, schema: Schema) -> Json:
        """Return JSON Schema for one of the facts' schemas."""
        made = self._without_null(schema)
        return _nullable(made) if schema.get("nullable") else made

    def _without_null(self, schema: Schema) -> Json:
        if "anyOf" in schema:
            return {"anyOf": [self.schema(option) for option in schema["anyOf"]]}
        if "$ref" in schema:
            return self._reference(schema["$ref"].removeprefix(_MODEL_PREFIX))
        if "x-external" in schema:
            return self._reference(schema["x-external"])
        if "x-never" in schema:
            return {"not": {}}
        return self._typed(schema)

    def _typed(self, schema: Schema) -> Json:
        made = {key: limit(schema[key]) for key in _KEPT if key in schema}
        for key in ("items", "additionalProperties", "propertyNames"):
            if isinstance(schema.get(key), Mapping) and schema[key]:
                made[key] = self.schema(schema[key])
        if made.get("propertyNames", {}).get("type") == "integer":
            made["propertyNames"] = {"pattern": r"^[+-]?\d+$"}
        if "prefixItems" in schema:
            made["prefixItems"] = [self.schema(item) for item in schema["prefixItems"]]
        if "properties" in schema:
            made["properties"] = {k: self.schema(v) for k, v in schema["properties"].items()}
        return made

    def _reference(self, name: str) -> Json:
        """A link to a definition; a type that nobody knows takes anything."""
        shape = read_external()["shapes"].get(name)
        if name not in self._models and shape is None:
            return {}
        key = name.rpartition(".")[2]
        if key not in self.definitions:
            self.definitions[key] = {}
            model = self._models.get(name)
            self.definitions[key] = self._model(model) if model else self.schema(shape)
        return {"$ref": f"#/$defs/{key}"}

    def _model(self, model: Model) -> Json:
        made: Json = {
            "type": "object",
            "properties": {name: self.field(field) for name, field in model.fields.items()},
            "required": [name for name, field in model.fields.items() if field.required],
        }
        if model.description:
            made["description"] = model.description
        if model.unknown == "refused":
            made["additionalProperties"] = False
        return made


def _nullable(schema: Json) -> Json:
    if "enum" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    if "anyOf" in schema:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]} if schema else schema
