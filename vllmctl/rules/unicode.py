"""Texts that no tokenizer can read."""

from collections.abc import Iterator
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, put, searches_beams
from vllmctl.rules.registry import own_rule

_ALWAYS_READ = (
    "messages",
    "prompt",
    "tools",
    "chat_template",
    "model",
    "request_id",
    "session_id",
)
_READ_BY_SAMPLING = (
    *("stop", "bad_words", "documents", "chat_template_kwargs", "structured_outputs"),
    *("response_format", "vllm_xargs", "kv_transfer_params", "ec_transfer_params"),
)
"""What goes to the engine, but for beam search."""


@own_rule(
    "text.surrogate",
    "Texts hold no half of a surrogate pair.",
    (*_ALWAYS_READ, *_READ_BY_SAMPLING),
    kind="reject",
    endpoints=("chat.completions", "completions", "tokenize"),
)
def surrogate(case: Case) -> Faults:
    """Half an emoji, mostly cut by a client that counts in UTF-16."""
    names = _ALWAYS_READ if searches_beams(case) else (*_ALWAYS_READ, *_READ_BY_SAMPLING)
    for name in names:
        for path, text, is_value in _texts(name, _read(name, case.sent.get(name))):
            place = next((i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff"), None)
            if place is not None:
                message = f"{path} has half of a surrogate pair at character {place}"
                yield Fault(path, message, put(path, _replaced(text)) if is_value else None)


def _read(name: str, value: Any) -> Any:
    """What of a field's value comes to a tokenizer, in its place."""
    if name == "messages" and isinstance(value, list):
        return [_read_of_message(message) for message in value]
    if name == "response_format" and isinstance(value, dict):
        return _read_of_format(value)
    return value


def _read_of_message(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    calls, content = message.get("tool_calls"), message.get("content")
    if isinstance(content, list):
        content = [_read_of_part(part) for part in content]
    read = {"content": content}
    if isinstance(calls, list):
        read["tool_calls"] = [_read_of_call(call) for call in calls]
    return read


def _read_of_part(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    return {key: part[key] for key in ("text", "thinking", "refusal") if key in part}


def _read_of_call(call: Any) -> Any:
    """Arguments that are no object give way to an empty one."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return None
    text = function.get("arguments")
    is_object = isinstance(text, str) and text.lstrip().startswith("{")
    return {"function": {"name": function.get("name"), "arguments": text if is_object else None}}


def _read_of_format(given: dict[str, Any]) -> Any:
    if given.get("type") != "json_schema":
        return given if given.get("type") == "structural_tag" else None
    inner = given.get("json_schema")
    return {"json_schema": {"schema": inner.get("schema")}} if isinstance(inner, dict) else None


def _texts(path: str, value: Any) -> Iterator[tuple[str, str, bool]]:
    """Texts with their paths, and whether they are values, not keys of what is there."""
    if isinstance(value, str):
        if not value.isascii():
            yield path, value, True
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(f"{path}[{place}]", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not key.isascii():
                yield path, key, False
            yield from _texts(f"{path}.{key}", item)


def _replaced(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
