"""Checks types as the server does, and keeps pydantic's own errors for the answer."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from vllmctl.catalog.bodies import Body, bodies
from vllmctl.catalog.core_schema import LABEL, field_schema
from vllmctl.catalog.exact_fit import fits
from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.files import read_external
from vllmctl.mock.bodies import type_error, type_refusal
from vllmctl.mock.wire import RefusedError

_NO_MODEL = "Input should be a valid dictionary or object to extract fields from"
_NO_DATACLASS = "Input should be a dictionary or an instance of {name}"
_OBJECT_KINDS = {
    "pydantic": ("model_attributes_type", _NO_MODEL),
    "dataclass": ("dataclass_type", _NO_DATACLASS),
}


class Checked(NamedTuple):
    """A body's known fields after the server's coercions, and pydantic's errors."""

    value: dict[str, Any]
    errors: list[dict[str, Any]]
    lazy: RefusedError | None = None

    @property
    def faulty(self) -> frozenset[str]:
        """The fields whose type is wrong."""
        return frozenset(str(error["loc"][1]) for error in self.errors)


@cache
def type_checker(endpoint: Endpoint) -> "TypeChecker":
    """Return the checker of an endpoint, made once."""
    return TypeChecker(endpoint)


class TypeChecker:
    """Checks the types of bodies of one endpoint, field by field in the model's order."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._bodies = bodies(endpoint)

    def check(self, body: Mapping[str, Any]) -> Checked:
        """Return the coerced values and all errors in the order that the server lists them.

        Where the endpoint takes several bodies, the first that fits counts; if none does, the
        errors are those of all.
        """
        tried: list[Checked] = []
        for one in self._bodies:
            checked = self._as(one, body)
            if not checked.errors:
                return checked
            tried.append(checked)
        return tried[0]._replace(errors=[error for checked in tried for error in checked.errors])

    def _as(self, one: Body, body: Mapping[str, Any]) -> Checked:
        """What becomes of a body that is taken for one of the endpoint's."""
        value: dict[str, Any] = {}
        errors: list[dict[str, Any]] = []
        lazy = None
        for name, field in self._endpoint.fields.items():
            if name not in one.fields:
                continue
            if name not in body:
                if name in one.required:
                    errors.append(type_error("missing", (name,), "Field required", dict(body)))
                continue
            sent = value[name] = body[name]
            if fits(field.schema, sent, self._endpoint.models, self._endpoint.unknown):
                continue
            value[name], found = _validated(self._endpoint, name, sent)
            errors += found
            if not found and name == "messages":
                lazy = _lazy_fault(self._endpoint, sent)
        return Checked(value, [*errors, *self._unknown(one, body)], lazy)

    def _unknown(self, one: Body, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Releases that refuse unknown fields list each of them."""
        if self._endpoint.unknown == "refused":
            for name, sent in body.items():
                if name not in one.fields:
                    message = "Extra inputs are not permitted"
                    yield type_error("extra_forbidden", (name,), message, sent)


def _validated(endpoint: Endpoint, name: str, sent: Any) -> tuple[Any, list[dict[str, Any]]]:
    from pydantic_core import ValidationError

    try:
        value = _validator(endpoint, name).validate_python(sent)
    except ValidationError as fault:
        schema = endpoint.fields[name].schema
        return sent, [
            _told(dict(error), name, schema, endpoint)
            for error in fault.errors(include_url=False, include_context=True)
        ]
    return (sent if name == "messages" else value), []


@cache
def _validator(endpoint: Endpoint, name: str) -> Any:
    from pydantic_core import SchemaValidator

    field = endpoint.fields[name]
    core: Any = field_schema(field.schema, endpoint.models, endpoint.unknown).schema
    return SchemaValidator(core)


def _told(
    error: dict[str, Any], name: str, schema: Mapping[str, Any], endpoint: Endpoint
) -> dict[str, Any]:
    """One error as the server's models give it: a union's choices are left out of the place."""
    walk = _Walk(schema, endpoint)
    loc = [step for part in error["loc"] for step in walk.step(part)]
    told = type_error(error["type"], (name, *loc), error["msg"], error["input"])
    if error.get("ctx"):
        told["ctx"] = error["ctx"]
    model = endpoint.models.get(walk.wanted) if error["type"] == "dict_type" else None
    if model is not None and model.kind in _OBJECT_KINDS:
        told["type"], words = _OBJECT_KINDS[model.kind]
        told["msg"] = words.format(name=model.name)
        if model.kind == "dataclass":
            told["ctx"] = {"class_name": model.name}
    return told


class _Walk:
    """Follows an error's place through the facts' schema."""

    def __init__(self, schema: Any, endpoint: Endpoint) -> None:
        self._schema = schema
        self._models = endpoint.models

    @property
    def wanted(self) -> str:
        """The model that is wanted where the walk is, or an empty name."""
        return _model_name(_alone(self._schema))

    def step(self, part: int | str) -> Iterator[int | str]:
        """Go one part further; yield what the server shows of it."""
        schema = _resolved(_alone(self._schema))
        if isinstance(part, str) and part.startswith(LABEL):
            chosen = _option(schema, int(part.split(LABEL)[1]))
            self._schema = chosen
            name = self._shown_name(chosen)
            if name:
                yield name
            return
        self._schema = (
            schema.get("items", {}) if isinstance(part, int) else self._member(schema, part)
        )
        yield part

    def _member(self, schema: Mapping[str, Any], key: str) -> Any:
        model = self._models.get(_model_name(schema))
        if model is not None:
            field = model.fields.get(key)
            return field.schema if field else {}
        return schema.get("properties", {}).get(key) or schema.get("additionalProperties") or {}

    def _shown_name(self, chosen: Mapping[str, Any]) -> str:
        """Typed dictionaries show their name; all other choices are left out."""
        model = self._models.get(_model_name(chosen))
        if model is not None:
            return model.name if model.kind == "typeddict" else ""
        name = str(chosen.get("x-external", ""))
        return f"ChatCompletion{name}Param" if name.endswith("Message") else name.rpartition(".")[2]


def _alone(schema: Any) -> Mapping[str, Any]:
    """A union of one counts as that one."""
    if not isinstance(schema, Mapping):
        return {}
    options = schema.get("anyOf", ())
    return _alone(options[0]) if len(options) == 1 else schema


def _model_name(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).removeprefix("#/models/")


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "x-external" in schema:
        found: Mapping[str, Any] = read_external()["shapes"].get(schema["x-external"], {})
        return found
    return schema


def _option(schema: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """The union's choice of that number; a union inside it counts as part of it."""
    options: list[Mapping[str, Any]] = []
    for option in schema.get("anyOf", ()):
        shape = _resolved(option)
        flat = "x-external" in option and "anyOf" in shape and not shape.get("nullable")
        options += list(shape["anyOf"]) if flat else [option]
    return options[number] if number < len(options) else {}


def _lazy_fault(endpoint: Endpoint, messages: Any) -> RefusedError | None:
    """Parts of messages are read later on; their faults are worded by pydantic alone."""
    from vllmctl.catalog.engine import FieldValidator

    _, faults = FieldValidator("messages", endpoint).check(messages)
    if not faults:
        return None
    label = "error" if len(faults) == 1 else "errors"
    lines = [f"{fault.path}\n  {fault.message} [type={fault.kind}]" for fault in faults]
    head = f"{len(faults)} validation {label} for {_reader(faults[0].path, messages)}"
    return RefusedError("\n".join([head, *lines]))


def _reader(path: str, messages: Any) -> str:
    """Who found the fault: the reader of all parts, or of one kind of media."""
    place = re.match(r"messages\[(\d+)\]\.content\[(\d+)\]", path)
    if place is None:
        return "ValidatorIterator"
    part = list(messages[int(place[1])]["content"])[int(place[2])]
    kind = part.get("type") if isinstance(part, Mapping) else None
    again = read_external()["messages"]["read_again"]
    return str(again.get(kind, "ValidatorIterator")).split(".")[-1]


def refuse_types(checked: Checked) -> None:
    """Raise what is wrong with the types, if anything is."""
    if checked.errors:
        raise type_refusal(checked.errors)
