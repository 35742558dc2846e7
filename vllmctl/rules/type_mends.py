"""How values of the wrong type are mended, where it is plain what was meant."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from vllmctl.catalog.exact_fit import fits
from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.json_path import keys_of
from vllmctl.catalog.load import nested_field
from vllmctl.nearest import nearest
from vllmctl.rules.case import drop, move, put
from vllmctl.rules.edits import get
from vllmctl.rules.finding import Edit
from vllmctl.rules.media import usual_part

if TYPE_CHECKING:
    from vllmctl.catalog.type_faults import TypeFault

Edits = tuple[Edit, ...] | None

_FORMATS = {
    "text": "text",
    **dict.fromkeys(("json_object", "jsonobject", "json"), "json_object"),
    **dict.fromkeys(("json_schema", "jsonschema"), "json_schema"),
}
_CHOICES = {"none": "none", "auto": "auto", "required": "required", "any": "required"}
_CUTS = "truncate_prompt_tokens"
"""-1 is as much as fits: the least number that an early release takes would leave one token."""

_TOOL_KEYS = {"input_schema": "parameters"}
_BOUNDS = {"greater_than_equal": "minimum", "less_than_equal": "maximum"}


def mend(fault: "TypeFault", body: Mapping[str, Any], endpoint: Endpoint) -> Edits:
    """Return the edits that mend ``fault``, or ``None`` when only a person can."""
    special = _SPECIAL.get(fault.path)
    edits = special(fault, body) if special else None
    if edits is not None:
        return edits
    if ".content[" in fault.path:
        return _of_part(fault, body)
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
        is_cut = fault.path == _CUTS and bound > 0
        return drop(fault.path) if is_cut else put(fault.path, bound)
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
    kind = _FORMATS.get(fault.input.lower()) if isinstance(fault.input, str) else None
    value = kind if fault.path.endswith(".type") else {"type": kind}
    return put(fault.path, value) if kind and value != fault.input else None


def _messages(fault: "TypeFault", _: Mapping[str, Any]) -> Edits:
    """A text alone is what the user says."""
    if isinstance(fault.input, str):
        return put("messages", [{"role": "user", "content": fault.input}])
    return put("messages", [fault.input]) if isinstance(fault.input, dict) else None


def _tool_choice(_: "TypeFault", body: Mapping[str, Any]) -> Edits:
    """A choice as other APIs write it: flat, as an object of one word, or with other words."""
    given = body["tool_choice"]
    kind = given.get("type") if isinstance(given, dict) else given
    name = given.get("name") if isinstance(given, dict) else None
    if isinstance(name, str):
        return put("tool_choice", {"type": "function", "function": {"name": name}})
    word = _CHOICES.get(kind.lower()) if isinstance(kind, str) else None
    return put("tool_choice", word) if word not in (None, given) else None


def _schema_name(fault: "TypeFault", body: Mapping[str, Any]) -> Edits:
    """A name is any; what is a schema itself gets its wrapper."""
    given = body["response_format"]["json_schema"]
    if fault.kind != "missing":
        return None
    if "schema" in given or not {"type", "properties", "anyOf", "$ref"} & set(given):
        return put(fault.path, "answer")
    return put("response_format.json_schema", {"name": "answer", "schema": given})


def _nested_tool(fault: "TypeFault", body: Mapping[str, Any]) -> Edits:
    """A tool as other APIs write it, without ``function`` around it."""
    path = fault.path.removesuffix(".function")
    tool = body["tools"][int(path[len("tools[") : -1])]
    if fault.kind != "missing" or "name" not in tool:
        return None
    function = {_TOOL_KEYS.get(key, key): value for key, value in tool.items() if key != "type"}
    return put(path, {"type": "function", "function": function})


def _of_part(fault: "TypeFault", body: Mapping[str, Any]) -> Edits:
    """Media as other APIs write them, and texts under another key."""
    path, _, key = fault.path.rpartition(".")
    part = get(body, keys_of(path))
    if key == "type":
        return usual_part(path, part)
    is_text = key == "text" and fault.kind == "missing" and isinstance(part.get("content"), str)
    return move(f"{path}.content", fault.path) if is_text else None


def _structural_tag(fault: "TypeFault", _: Mapping[str, Any]) -> Edits:
    """It is JSON in a string."""
    return put(fault.path, json.dumps(fault.input)) if isinstance(fault.input, dict) else None


_SPECIAL: Mapping[str, Callable[["TypeFault", Mapping[str, Any]], Edits]] = {
    "logprobs": _logprobs,
    "messages": _messages,
    "response_format": _response_format,
    "response_format.type": _response_format,
    "tool_choice": _tool_choice,
    "tool_choice.type": _tool_choice,
    "tool_choice.function": _tool_choice,
    "response_format.json_schema.name": _schema_name,
    "structured_outputs.structural_tag": _structural_tag,
}
