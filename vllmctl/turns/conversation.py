"""From an answer with tool calls to the request that comes next."""

from collections.abc import Mapping, Sequence
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.client.choice import Choice
from vllmctl.record import Record

_MESSAGE = "CustomChatCompletionMessageParam"


class Call(Record, frozen=True):
    """One tool call of an answer; ``arguments`` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


def calls_of(choice: Choice) -> list[Call]:
    """Return the tool calls of ``choice`` in order."""
    return [
        Call(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in choice.calls.as_list()
    ]


def next_body(
    body: Mapping[str, Any], choice: Choice, results: Sequence[tuple[Call, str]], endpoint: Endpoint
) -> dict[str, Any]:
    """Return ``body`` with the answer ``choice`` and the results of its calls as messages.

    The reasoning goes back too where the release has a place for it. A ``tool_choice`` that
    forces a call is for the first answer alone: every further one would call again.
    """
    answer = _message(choice, *_reasoning(endpoint))
    told = [
        {"role": "tool", "tool_call_id": call.id, "content": result} for call, result in results
    ]
    following = {**body, "messages": [*body["messages"], answer, *told]}
    if is_forced(body.get("tool_choice")):
        following["tool_choice"] = "auto"
    return following


def finished(body: Mapping[str, Any], choice: Choice) -> list[dict[str, Any]]:
    """Return the messages of ``body`` with ``choice`` as the last one, without its reasoning.

    An answer that goes on with the last message is joined to it.
    """
    *before, last = body["messages"]
    answer = {"role": "assistant", "content": "", **_message(choice)}
    if body.get("continue_final_message") and isinstance(last.get("content"), str):
        echoed = bool(body.get("echo"))
        return [*before, {**last, "content": last["content"] * (not echoed) + choice.text}]
    return [*before, last, answer]


def is_forced(tool_choice: Any) -> bool:
    """Whether ``tool_choice`` leaves the model no choice but to call a tool."""
    return tool_choice == "required" or isinstance(tool_choice, Mapping)


def _message(choice: Choice, *more: str) -> dict[str, Any]:
    kept = {"role", "content", "tool_calls", *more}
    return {key: value for key, value in choice.as_message().items() if key in kept and value}


def _reasoning(endpoint: Endpoint) -> set[str]:
    message = endpoint.models.get(_MESSAGE)
    return {"reasoning"} & set(message.fields) if message else set()
