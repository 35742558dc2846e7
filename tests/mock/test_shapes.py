"""Captured requests get answers of the captured shape: keys, types, order of events."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.mock.asking import CHAT, COMPLETIONS, Reply, app, ask, event_data

CAPTURES = Path(__file__).parents[1] / "data" / "captures" / "chat_and_completions.jsonl"
SAID = "Here is what I know about chess. They are very common, and many people like the game a lot."

TEXT_DECIDES = {
    "chat-min-tokens": "the tiny model ends with its other end token",
    "chat-so-json-stream": "the tiny model's JSON is cut off",
    "chat-so-json_object-stream": "the tiny model's JSON is cut off",
    "chat-so-structural_tag-stream": "the tiny model's JSON is cut off",
    "chat-stop-token-ids": "the stop token is a word of another vocabulary",
    "chat-stop-token-ids-included": "the stop token is a word of another vocabulary",
    "chat-stream-interval": "the last group ends elsewhere",
    "chat-tools-auto-truncated-stream": "the call is cut elsewhere",
    "chat-tools-named-nothink": "the tiny model's call is cut off",
    "chat-tools-named-stream": "the tiny model's call is cut off",
    "chat-tools-required": "the tiny model's call is cut off",
    "chat-truncate-prompt-minus1": "one token is <think> here, a word there",
}
"""Captures whose shape hangs on what the tiny model happened to say."""


@cache
def captures() -> dict[str, dict[str, Any]]:
    lines = CAPTURES.read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)
    return {row["name"]: row for row in rows if row["path"] in (CHAT, COMPLETIONS)}


def answered(capture: dict[str, Any]) -> Reply:
    mock = app(
        model=("tiny", "tiny-alias"),
        target="vllm==0.32.0",
        max_model_len=2048,
        reply=SAID,
        reasoning="The user asks.",
    )
    headers = {name.lower(): value for name, value in capture["request_headers"].items()}
    return ask(capture["path"], capture["request"], of=mock, headers=headers)


@pytest.mark.parametrize("name", [name for name in captures() if name not in TEXT_DECIDES])
def test_has_the_captured_shape(name: str) -> None:
    capture = captures()[name]
    reply = answered(capture)
    assert reply.status == capture["status"]
    real = capture["body"].encode()
    if real.startswith(b"data:"):
        assert event_kinds(reply.data) == event_kinds(real)
        assert event_shapes(reply.data) == event_shapes(real)
    else:
        assert shape(reply.json) == shape(json.loads(real))


@pytest.mark.parametrize("name", TEXT_DECIDES)
def test_what_hangs_on_the_text_has_the_captured_members(name: str) -> None:
    capture = captures()[name]
    reply = answered(capture)
    real = capture["body"].encode()
    ours, theirs = (
        (reply.events[0], Reply(200, {}, real).events[0])
        if real.startswith(b"data:")
        else (reply.json, json.loads(real))
    )
    assert list(ours) == list(theirs)
    assert list(ours["choices"][0]) == list(theirs["choices"][0])


def shape(value: Any) -> Any:
    """The value with types in the place of values; a list shows the first kinds in it."""
    if isinstance(value, dict):
        if value and all(isinstance(inner, float | int) for inner in value.values()):
            value = {key: value[key] for key in value if "tokens" in key} or {"token": 0.0}
        if value and all(key.isdecimal() for key in value):
            value = {"id": next(iter(value.values()))}
        return [(key, shape(inner)) for key, inner in value.items()]
    if isinstance(value, list):
        kinds: list[Any] = []
        for inner in map(shape, value):
            if inner not in kinds:
                kinds.append(inner)
        return kinds[:2]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


def event_kinds(data: bytes) -> dict[int, list[str]]:
    """What each choice's events carry, in order, the same one after another once."""
    kinds: dict[int, list[str]] = {}
    for text in event_data(data):
        number, kind = kind_of(text)
        row = kinds.setdefault(number, [])
        if row[-1:] != [kind]:
            row.append(kind)
    return kinds


def kind_of(text: str) -> tuple[int, str]:
    if text == "[DONE]":
        return -1, text
    answer = json.loads(text)
    if not answer["choices"]:
        return -1, "usage"
    choice = answer["choices"][0]
    delta = choice.get("delta", {"text": ""})
    calls = [f"call {'/'.join(call)}" for call in delta.get("tool_calls", ())]
    end = ["end"] if choice["finish_reason"] else []
    return choice["index"], " ".join([*delta, *calls, *end])


def event_shapes(data: bytes) -> dict[str, Any]:
    """The shape of the first event of each kind."""
    shapes: dict[str, Any] = {}
    for text in event_data(data):
        if text != "[DONE]":
            shapes.setdefault(kind_of(text)[1], shape(json.loads(text)))
    return shapes
