"""Unknown names inside the objects of a body."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint, Model
from vllmctl.nearest import nearest
from vllmctl.rules.case import Fault, drop, move

_MODEL = "#/models/"
_TOLD_ELSEWHERE = ("response_format.schema", "response_format.name")
"""Parts that rules of their own speak of, for they know what was meant."""


def nested_unknown(
    body: Mapping[str, Any], endpoint: Endpoint, fields: frozenset[str]
) -> Iterator[Fault]:
    """Yield the parts of objects in ``fields`` that no model of their field has."""
    for name, value in body.items():
        if name in fields and isinstance(value, dict | list):
            yield from _inside(name, value, endpoint.fields[name].schema, endpoint.models)


def fields_with_parts(endpoint: Endpoint) -> frozenset[str]:
    """Return the fields whose values are objects with known parts, or lists of them."""
    return frozenset(
        name
        for name, field in endpoint.fields.items()
        if _members(field.schema.get("items", field.schema), endpoint.models) is not None
    )


def _inside(
    path: str, value: Any, schema: Mapping[str, Any], models: Mapping[str, Model]
) -> Iterator[Fault]:
    if isinstance(value, list):
        items = schema.get("items")
        if items:
            for number, item in enumerate(value):
                yield from _inside(f"{path}[{number}]", item, items, models)
        return
    if not isinstance(value, dict):
        return
    known = _members(schema, models)
    if known is None:
        return
    for name, inner in value.items():
        if f"{path}.{name}" in _TOLD_ELSEWHERE:
            continue
        if name in known:
            yield from _inside(f"{path}.{name}", inner, known[name], models)
        else:
            yield _fault(path, name, list(known), value)


def _members(
    schema: Mapping[str, Any], models: Mapping[str, Model]
) -> dict[str, Mapping[str, Any]] | None:
    """The parts that an object may have, or ``None`` when it may have any."""
    members: dict[str, Mapping[str, Any]] = {}
    for option in schema.get("anyOf", (schema,)):
        model = models.get(str(option.get("$ref", "")).removeprefix(_MODEL))
        if model is not None:
            members |= {name: field.schema for name, field in model.fields.items()}
        elif option.get("type") not in ("string", "integer", "number", "boolean"):
            return None
    return members or None


def _fault(path: str, name: str, known: list[str], value: Mapping[str, Any]) -> Fault:
    place = f"{path}.{name}"
    near = nearest(name, known)
    if near is None:
        message = f"{path} has no part {name}: it is ignored; there are {', '.join(known)}"
        return Fault(place, message, drop(place))
    message = f"{path} has no part {name}: it is ignored; did you mean {near}"
    return Fault(place, message, drop(place) if near in value else move(place, f"{path}.{near}"))
