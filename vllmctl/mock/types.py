"""Checks types as the server does, and keeps pydantic's own errors for the answer."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from vllmctl.catalog.bodies import Body, bodies
from vllmctl.catalog.core_schema import LABEL, field_schema
from vllmctl.catalog.exact_fit import fits, is_unicode
from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.files import read_external
from vllmctl.mock.bodies import type_error, type_refusal
from vllmctl.mock.refusing.parts import Unread
from vllmctl.mock.wire import RefusedError

_NO_UNICODE = "Input should be a valid string, unable to parse raw data as a unicode string"
_PART = r"messages\[(\d+)\]\.content(?:\[(\d+)\])?"
_CALL: Mapping[str, Any] = {
    "anyOf": [
        {"x-external": "openai.types.chat.ChatCompletionMessageToolCallParam"},
        {"x-external": "CustomToolCall"},
    ]
}
"""What tool calls of earlier turns may be."""
_NO_MODEL = "Input should be a valid dictionary or object to extract fields from"
_NO_DATACLASS = "Input should be a dictionary or an instance of {name}"
_OBJECT_KINDS = {
    "pydantic": ("model_attributes_type", _NO_MODEL),
    "dataclass": ("dataclass_type", _NO_DATACLASS),
}


class Checked(NamedTuple):
    """A body's known fields after the server's coercions, and pydantic's errors.

    What lists of messages hold is read later: tool calls once all types are right
    (``calls``), parts when messages become a prompt (``unread``), and once more after that
    (``stumbles``).
    """

    value: dict[str, Any]
    errors: list[dict[str, Any]]
    calls: Sequence[dict[str, Any]] = ()
    unread: Unread | None = None
    stumbles: bool = False

    @property
    def faulty(self) -> frozenset[str]:
        """The fields whose type is wrong."""
        return frozenset(str(error["loc"][1]) for error in self.errors if len(error["loc"]) > 1)


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
        errors += self._unknown(one, body)
        strange = [name for name in body if not is_unicode(name)]
        if strange:
            errors = [type_error("string_unicode", (), _NO_UNICODE, strange[0])]
        if errors or "messages" not in value:
            return Checked(value, errors)
        unread, stumbles = _later_faults(self._endpoint, value["messages"])
        return Checked(value, [], _faults_of_calls(self._endpoint, value), unread, stumbles)

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
    place = (name, *loc) if name else loc
    told = type_error(error["type"], place, error["msg"], error["input"])
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
        title = _resolved(chosen).get("title") if name else None
        if title:
            return str(title)
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


def _faults_of_calls(endpoint: Endpoint, value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is wrong with the first tool calls of a message that are, in pydantic's words."""
    from pydantic_core import ValidationError

    schema: Any = {"type": "array", "items": _CALL}
    for message in value["messages"]:
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        if not isinstance(calls, list | dict | str):
            continue
        for place, call in enumerate(calls):
            try:
                _call_validator(endpoint).validate_python(call)
            except ValidationError as fault:
                told = [
                    _told({**error, "loc": (place, *error["loc"])}, "", schema, endpoint)
                    for error in fault.errors(include_url=False, include_context=True)
                ]
                return [{**one, "loc": _without_arguments(one["loc"])} for one in told]
    return []


def _without_arguments(loc: Sequence[Any]) -> tuple[Any, ...]:
    """The place that the server tells: it takes the key for the engine's own word."""
    return tuple(part for part in loc if part != "arguments")


@cache
def _call_validator(endpoint: Endpoint) -> Any:
    from pydantic_core import SchemaValidator

    core: Any = field_schema(_CALL, endpoint.models, endpoint.unknown).schema
    return SchemaValidator(core)


def _later_faults(endpoint: Endpoint, messages: Any) -> tuple[Unread | None, bool]:
    """Parts of messages are read later on; their faults are worded by pydantic alone."""
    from vllmctl.catalog.engine import FieldValidator

    _, found = FieldValidator("messages", endpoint).check(messages)
    faults = [fault for fault in found if fault.kind != "text_with_type"]
    stumbles = len(faults) < len(found)
    places = [(re.match(_PART, fault.path), fault) for fault in faults]
    parts = [(int(place[1]), int(place[2] or 0), fault) for place, fault in places if place]
    if not parts:
        return None, stumbles
    number, part, _ = min(parts, key=lambda found: found[:2])
    told = [fault for *at, fault in parts if at == [number, part]]
    label = "error" if len(told) == 1 else "errors"
    lines = [f"{fault.path}\n  {fault.message} [type={fault.kind}]" for fault in told]
    head = f"{len(told)} validation {label} for {_reader(messages[number]['content'], part)}"
    return Unread(number, part, RefusedError("\n".join([head, *lines]))), stumbles


def _reader(content: Any, number: int) -> str:
    """Who found the fault: the reader of all parts, or of one kind of media."""
    part = list(content)[number] if isinstance(content, list | dict | str) else None
    kind = part.get("type") if isinstance(part, Mapping) else None
    again = read_external()["messages"]["read_again"]
    return str(again.get(str(kind), "ValidatorIterator")).split(".")[-1]


def refuse_types(checked: Checked) -> None:
    """Raise what is wrong with the types, if anything is."""
    errors = checked.errors or checked.calls
    if errors:
        raise type_refusal(list(errors))
