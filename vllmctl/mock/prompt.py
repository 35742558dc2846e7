"""From messages to the text that the model would read, in the turns of Qwen's template."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from vllmctl.mock.pieces import (
    CALL_END,
    CALL_START,
    THINK_END,
    THINK_START,
    TURN_END,
    TURN_START,
)

Message = Mapping[str, Any]


def chat_prompt(body: Mapping[str, Any], *, thinking: bool) -> str:
    """Return the prompt of a chat request whose types were checked."""
    messages = body["messages"]
    continues = bool(body.get("continue_final_message"))
    text = _tools(body) + _documents(body.get("documents") or ())
    for number, message in enumerate(messages):
        is_open = continues and number == len(messages) - 1
        text += _turn(message, is_open=is_open)
    if body.get("add_generation_prompt", True) is not False and not continues:
        text += f"{TURN_START}assistant\n"
        text += "" if thinking else f"{THINK_START}\n\n{THINK_END}\n\n"
    return text


def content_text(content: Any) -> str:
    """Return the text of a message's content, be it a text or parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = [part if isinstance(part, str) else _part_text(part) for part in parts]
    return "\n".join(text for text in texts if text)


def last_words(messages: Sequence[Message], role: str = "user") -> str:
    """Return the text of the last message of ``role``, or an empty one."""
    for message in reversed(messages):
        if message.get("role") == role:
            return content_text(message.get("content"))
    return ""


def _turn(message: Message, *, is_open: bool) -> str:
    text = f"{TURN_START}{message.get('role', 'user')}\n{content_text(message.get('content'))}"
    for call in message.get("tool_calls") or ():
        function = call.get("function", {})
        text += f"\n{CALL_START}\n{json.dumps(function, ensure_ascii=False)}\n{CALL_END}"
    return text if is_open else f"{text}{TURN_END}\n"


def _part_text(part: Any) -> str:
    if not isinstance(part, Mapping):
        return ""
    return next((str(part[key]) for key in ("text", "thinking", "refusal") if part.get(key)), "")


def _tools(body: Mapping[str, Any]) -> str:
    tools = body.get("tools")
    if not tools:
        return ""
    lines = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return (
        f"{TURN_START}system\nTools, one a line:\n{lines}\n"
        f"Call one by writing {CALL_START}name and arguments as JSON{CALL_END}{TURN_END}\n"
    )


def _documents(documents: Sequence[Any]) -> str:
    lines = "".join(
        f"[{one.get('title', '')}] {one.get('text', '')}\n"
        for one in documents
        if isinstance(one, Mapping)
    )
    return f"{TURN_START}system\n{lines}{TURN_END}\n" if lines else ""
