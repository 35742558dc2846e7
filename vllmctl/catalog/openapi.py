"""Fits the facts of a release to what a server says of itself in ``/openapi.json``.

For forks and builds that are no release: the document decides which fields exist; what is
known of a field stays as the facts have it.
"""

from collections.abc import Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.record import replace

_REFERENCE = "#/components/schemas/"
_KEPT = (
    *("type", "enum", "pattern"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("minLength", "maxLength", "minItems", "maxItems"),
)


def fitted(endpoint: Endpoint, document: Mapping[str, Any]) -> Endpoint | None:
    """Return ``endpoint`` with the fields that the server's document names.

    ``None`` when the server has no such path, or does not tell its fields.
    """
    properties = _properties(document, endpoint.path)
    if properties is None:
        return None
    required = properties.pop("", {}).get("required", ())
    every = {**endpoint.absent, **endpoint.fields}
    fields = {
        name: every.get(name) or _field(name, schema, name in required, endpoint)
        for name, schema in properties.items()
    }
    absent = {name: field for name, field in every.items() if name not in fields}
    return replace(endpoint, fields=fields, absent=absent)


def _properties(document: Mapping[str, Any], path: str) -> dict[str, Any] | None:
    """The members of every body that a path takes; ``""`` holds what all bodies require."""
    try:
        content = document["paths"][path]["post"]["requestBody"]["content"]
        schema = content["application/json"]["schema"]
    except (KeyError, TypeError):
        return None
    bodies = [_resolve(document, option) for option in schema.get("anyOf", [schema])]
    properties: dict[str, Any] = {}
    for body in bodies:
        properties |= body.get("properties", {})
    if not properties:
        return None
    required = set(bodies[0].get("required", ())).intersection(
        *(body.get("required", ()) for body in bodies)
    )
    return {**properties, "": {"required": required}}


def _resolve(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    name = schema.get("$ref", "").removeprefix(_REFERENCE)
    found: Mapping[str, Any] = document.get("components", {}).get("schemas", {}).get(name, schema)
    return found


def _field(name: str, schema: Mapping[str, Any], required: bool, endpoint: Endpoint) -> Field:
    facts = _facts(schema, endpoint)
    return Field(
        name=name,
        schema=facts,
        required=required,
        default=schema.get("default"),
        nullable=facts.get("nullable", False),
        description=schema.get("description", ""),
        since="",
        until=None,
        deprecated_since=None,
        effect=None,
        changes=(),
        source="/openapi.json",
    )


def _facts(schema: Mapping[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """Turn an OpenAPI schema into one of the facts'; unknown objects may hold anything."""
    if "anyOf" in schema:
        options = [option for option in schema["anyOf"] if option.get("type") != "null"]
        facts = [_facts(option, endpoint) for option in options]
        union = facts[0] if len(facts) == 1 else {"anyOf": facts}
        return {**union, "nullable": True} if len(options) < len(schema["anyOf"]) else union
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return {"$ref": f"#/models/{name}"} if name in endpoint.models else {}
    facts_of_one = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        facts_of_one["enum"] = [schema["const"]]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            facts_of_one[key] = _facts(schema[key], endpoint)
    return facts_of_one
