"""Bodies on which the server itself stumbles: it reads them before their types are checked."""

from collections.abc import Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.mock.wire import RefusedError

Body = Mapping[str, Any]


def refuse_messages(body: Body, endpoint: Endpoint) -> None:
    """Messages are gone through at once, lists or not."""
    if "messages.system_text_only" in endpoint.rules and "messages" in body:
        messages = body["messages"]
        if not isinstance(messages, list | str | Mapping):
            raise RefusedError(f"'{type(messages).__name__}' object is not iterable")
        for message in messages if isinstance(messages, list) else ():
            _refuse_parts(message)


def _refuse_parts(message: Any) -> None:
    """A kind of part in a system message is looked up, to warn of it once."""
    is_system = isinstance(message, Mapping) and message.get("role") == "system"
    content = message.get("content") if is_system else None
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind and isinstance(kind, list | dict):
            raise RefusedError(f"unhashable type: '{type(kind).__name__}'")


def refuse_tools(body: Body, endpoint: Endpoint) -> None:
    """A named tool is looked for in tools of any shape."""
    choice = body.get("tool_choice")
    function = choice.get("function") if isinstance(choice, Mapping) else None
    if "tool_choice.must_match" not in endpoint.rules or not isinstance(function, Mapping):
        return
    name = function.get("name")
    if not isinstance(name, str) or not name:
        return
    try:
        for tool in body.get("tools") or ():
            if tool["function"]["name"] == name:
                return
    except KeyError as fault:
        raise _crash(str(fault)) from None
    except TypeError as fault:
        raise RefusedError(str(fault)) from None


def refuse_constraints(body: Body, endpoint: Endpoint) -> None:
    """Structured outputs are read as an object, whatever they are."""
    given = body.get("structured_outputs")
    known = "structured_outputs.one_kind" in endpoint.rules
    if known and given is not None and not isinstance(given, Mapping):
        raise _crash(f"'{type(given).__name__}' object has no attribute 'get'")


def _crash(message: str) -> RefusedError:
    return RefusedError(message, status=500, kind="InternalServerError")
