"""How values of the wrong type are mended, where it is plain what was meant."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from vllmctl.catalog.exact_fit import fits
from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.json_path import keys_of
from vllmctl.catalog.load import nested_field
from vllmctl.nearest import nearest
from vllmctl.rules.case import drop, put
from vllmctl.rules.edits import get
from vllmctl.rules.finding import Edit
from vllmctl.rules.media import usual_part

if TYPE_CHECKING:
    from vllmctl.catalog.type_faults import TypeFault

Edits = tuple[Edit, ...] | None

_FORMATS = {"json_object": "json_object", "json": "json_object", "text": "text"}
_BOUNDS = {"greater_than_equal": "minimum", "less_than_equal": "maximum"}


def mend(fault: "TypeFault", body: Mapping[str, Any], endpoint: Endpoint) -> Edits:
    """Return the edits that mend ``fault``, or ``None`` when only a person can."""
    special = _SPECIAL.get(fault.path)
    edits = special(fault, body) if special else None
    if edits is not None:
        return edits
    if fault.path.endswith("].type") and ".content[" in fault.path:
        return _usual_part(fault, body)
    if fault.path.endswith("].function") and fault.path.startswith("tools["):
        return _nested_tool(fault, body)
    if fault.kind == "text_with_type":
        return put(fault.path, {"type": "text", "text": fault.input})
    if fault.path == "prompt":
        return None  # a number may be the id of a token, or the text: that is not for us to guess
    field = nested_field(endpoint, fault.path) if "[" not in fault.path else None
    return _of_field(fault, field, endpoint) if field is not None else None


def _of_field(fault: "TypeFault", field: Field, endpoint: Endpoint) -> Edits:
    value = fault.input
    if value is None:
        return None if field.required else drop(fault.path)
    bound = field.schema.get(_BOUNDS.get(fault.kind, ""))
    if bound is not None:
        return put(fault.path, bound)
    if fault.kind == "literal_error" and isinstance(value, str):
        near = nearest(value, field.schema.get("enum", ()))
        return put(fault.path, near) if near else None
    other = _other_form(fault.kind, value)
    is_better = other is not None and fits(field.schema, other, endpoint.models)
    return put(fault.path, other) if is_better else None


def _other_form(kind: str, value: Any) -> Any:
    """One value for a list of values, or a number for a text."""
    if kind == "list_type":
        return [value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if kind == "string_type" and is_number else None


def _logprobs(fault: "TypeFault", _: Mapping[str, Any]) -> Edits:
    """A number means as many alternatives, as completions have it."""
    if fault.kind == "bool_parsing" and type(fault.input) is int and fault.input > 0:
        return (*put("logprobs", True), *put("top_logprobs", fault.input))
    return None


def _response_format(fault: "TypeFault", _: Mapping[str, Any]) -> Edits:
    kind = _FORMATS.get(fault.input) if isinstance(fault.input, str) else None
    return put("response_format", {"type": kind}) if kind else None


def _schema_name(fault: "TypeFault", body: Mapping[str, Any]) -> Edits:
    """A name is any; what is a schema itself gets its wrapper."""
    given = body["response_format"]["json_schema"]
    if fault.kind != "missing":
        return None
    if "schema" in given or not {"type", "properties", "anyOf", "$ref"} & set(given):
        return put(fault.path, "answer")
    return put("response_format.json_schema", {"name": "answer", "schema": given})


def _nested_tool(fault: "TypeFault", body: Mapping[str, Any]) -> Edits:
    """A tool as the Responses API writes it, without ``function`` around it."""
    path = fault.path.removesuffix(".function")
    tool = body["tools"][int(path[len("tools[") : -1])]
    if fault.kind != "missing" or "name" not in tool:
        return None
    function = {key: value for key, value in tool.items() if key != "type"}
    return put(path, {"type": "function", "function": function})


def _usual_part(fault: "TypeFault", body: Mapping[str, Any]) -> Edits:
    """Media as other APIs write them."""
    path = fault.path.removesuffix(".type")
    return usual_part(path, get(body, keys_of(path)))


def _structural_tag(fault: "TypeFault", _: Mapping[str, Any]) -> Edits:
    """It is JSON in a string."""
    return put(fault.path, json.dumps(fault.input)) if isinstance(fault.input, dict) else None


_SPECIAL: Mapping[str, Callable[["TypeFault", Mapping[str, Any]], Edits]] = {
    "logprobs": _logprobs,
    "response_format": _response_format,
    "response_format.json_schema.name": _schema_name,
    "structured_outputs.structural_tag": _structural_tag,
}
