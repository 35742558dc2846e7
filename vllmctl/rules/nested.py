"""Unknown names inside the objects of a body."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint, Model
from vllmctl.nearest import nearest
from vllmctl.record import Record
from vllmctl.rules.case import Fault, drop, move
from vllmctl.rules.finding import Level

_MODEL = "#/models/"
_TOLD_ELSEWHERE = ("response_format.schema", "response_format.name")
"""Parts that rules of their own speak of, for they know what was meant."""

_MEANT: Mapping[str, Mapping[str, str]] = {
    "structured_outputs": {
        **dict.fromkeys(("json_schema", "schema", "guided_json", "jsonSchema"), "json"),
        **dict.fromkeys(("pattern", "guided_regex"), "regex"),
        **dict.fromkeys(("enum", "guided_choice", "options"), "choice"),
        **dict.fromkeys(("ebnf", "gbnf", "lark", "cfg", "guided_grammar"), "grammar"),
    },
}
"""What other libraries call a part, by the object that it is in."""


class _Shape(Record, frozen=True):
    """The parts that an object may have, and whether the server refuses any other."""

    parts: Mapping[str, Mapping[str, Any]]
    refuses: bool


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
        if _shape(field.schema.get("items", field.schema), endpoint.models) is not None
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
    shape = _shape(schema, models)
    if shape is None:
        return
    for name, inner in value.items():
        if f"{path}.{name}" in _TOLD_ELSEWHERE:
            continue
        if name in shape.parts:
            yield from _inside(f"{path}.{name}", inner, shape.parts[name], models)
        else:
            yield _fault(path, name, shape, value)


def _shape(schema: Mapping[str, Any], models: Mapping[str, Model]) -> _Shape | None:
    """The parts that an object may have, or ``None`` when it may have any."""
    parts: dict[str, Mapping[str, Any]] = {}
    refuses = []
    for option in schema.get("anyOf", (schema,)):
        model = models.get(str(option.get("$ref", "")).removeprefix(_MODEL))
        if model is not None:
            parts |= {name: field.schema for name, field in model.fields.items()}
            refuses.append(model.unknown == "refused")
        elif option.get("type") not in ("string", "integer", "number", "boolean"):
            return None
    return _Shape(parts, all(refuses)) if parts else None


def _fault(path: str, name: str, shape: _Shape, value: Mapping[str, Any]) -> Fault:
    place = f"{path}.{name}"
    level, consequence = (Level.ERROR, "refused") if shape.refuses else (None, "ignored")
    message = f"{path} has no part {name}: it is {consequence}"
    near = _MEANT.get(path, {}).get(name) or nearest(name, shape.parts)
    if near is None:
        return Fault(place, f"{message}; there are {', '.join(shape.parts)}", drop(place), level)
    fix = drop(place) if near in value else move(place, f"{path}.{near}")
    return Fault(place, f"{message}; did you mean {near}", fix, level)
