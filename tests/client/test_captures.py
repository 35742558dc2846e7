"""What a real server sent is read as the OpenAI SDK reads it, however the network cuts it."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.client.replay import (
    captures,
    logprobs_of,
    made_response,
    reasoning_of,
    replayed,
    split_every,
    text_of,
)
from tests.client.servers import response, serving
from vllmctl.client.events import Finish, ToolCallDelta, Usage
from vllmctl.client.failures import refusal
from vllmctl.client.hints import Asked

ANSWERED = [name for name, capture in captures().items() if capture["status"] == 200]
REFUSED = [name for name, capture in captures().items() if capture["status"] != 200]
STREAMED = [name for name in ANSWERED if captures()[name]["body"].startswith("data:")]


def test_all_kinds_of_captures_are_there() -> None:
    assert (len(ANSWERED), len(REFUSED), len(STREAMED)) == (154, 1, 33)


@pytest.mark.parametrize("name", ANSWERED)
def test_reads_what_the_sdk_reads(name: str) -> None:
    capture = captures()[name]
    answer, events = replayed([capture["body"].encode()], capture["headers"])
    assert answer.failure is None
    sdk = sdk_reads(capture)
    assert sorted(answer.choices) == sorted(sdk.choices)
    for index, choice in sdk.choices.items():
        ours = answer[index]
        assert ours.text == text_of(events, index) == choice.text
        assert ours.reasoning == reasoning_of(events, index) == choice.reasoning
        assert [call.as_dict() for call in ours.calls] == choice.calls
        assert calls_shown(events, index) == choice.calls
        assert without_nulls(ours.logprobs or {}) == without_nulls(choice.logprobs)
        assert len(logprobs_of(events, index)) == choice.tokens
        assert ours.finish_reason == choice.finish
    assert without_nulls(answer.usage) == without_nulls(sdk.usage)


@pytest.mark.parametrize("name", ANSWERED)
def test_the_network_may_cut_anywhere(name: str) -> None:
    capture = captures()[name]
    body = capture["body"].encode()
    whole, events = replayed([body], capture["headers"])
    for size in (1, 2, 3, 7, 64, 1000):
        if size == 1 and len(body) > 5000:
            continue
        cut, pieces = replayed(split_every(body, size), capture["headers"])
        assert cut.as_response() == whole.as_response()
        assert cut.failure is None
        for index in whole.choices:
            assert text_of(pieces, index) == text_of(events, index)
            assert calls_shown(pieces, index) == calls_shown(events, index)


@pytest.mark.parametrize("name", STREAMED)
def test_a_stream_gives_the_shape_of_a_whole_answer(name: str) -> None:
    capture = captures()[name]
    answer, _ = replayed([capture["body"].encode()], capture["headers"])
    made = answer.as_response()
    is_chat = capture["path"] == "/v1/chat/completions"
    example = json.loads(captures()["chat-basic" if is_chat else "comp-basic"]["body"])
    assert made["object"] == example["object"]
    assert made.keys() - {"stream"} <= example.keys()
    for choice in made["choices"]:
        assert choice.keys() <= example["choices"][0].keys()
        if is_chat:
            known = example["choices"][0]["message"].keys() | {"tool_calls"}
            assert choice["message"].keys() <= known


@pytest.mark.parametrize("name", [name for name in ANSWERED if name not in STREAMED])
def test_a_whole_answer_is_kept_as_it_came(name: str) -> None:
    capture = captures()[name]
    answer, _ = replayed([capture["body"].encode()], capture["headers"])
    assert answer.as_response() == json.loads(capture["body"])


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_one(name: str) -> None:
    capture = captures()[name]
    error = refusal(
        made_response([capture["body"].encode()], capture["headers"], capture["status"]), Asked()
    )
    assert error.status == capture["status"]
    assert error.server_message in json.loads(capture["body"])["error"]["message"]


def test_choices_end_and_usage_comes_once_each() -> None:
    capture = captures()["chat-n2-stream"]
    answer, events = replayed([capture["body"].encode()], capture["headers"], expected=2)
    assert sorted(e.index for e in events if isinstance(e, Finish)) == [0, 1]
    totals = [e.usage for e in events if isinstance(e, Usage)]
    assert answer.usage == totals[-1]
    assert answer.usage["completion_tokens"] == 40


class SdkChoice:
    """What the SDK gives for one choice."""

    def __init__(self) -> None:
        self.text = self.reasoning = ""
        self.calls: list[dict[str, Any]] = []
        self.logprobs: dict[str, Any] = {}
        self.finish: str | None = None

    @property
    def tokens(self) -> int:
        return len(self.logprobs.get("content") or self.logprobs.get("tokens") or ())

    def add(self, choice: Any) -> None:
        data = choice.model_dump()
        message = data.get("delta") or data.get("message") or {"content": data.get("text")}
        self.text += message.get("content") or ""
        self.reasoning += message.get("reasoning") or ""
        for call in message.get("tool_calls") or ():
            self._add_call(call)
        for key, value in (data.get("logprobs") or {}).items():
            if value is not None:
                self.logprobs.setdefault(key, []).extend(value)
        self.finish = data.get("finish_reason") or self.finish

    def _add_call(self, call: dict[str, Any]) -> None:
        if call.get("id"):
            function = {"name": call["function"]["name"], "arguments": ""}
            self.calls.append({"id": call["id"], "type": "function", "function": function})
        known = self.calls[call["index"] if call.get("index") is not None else -1]
        known["function"]["arguments"] += call["function"].get("arguments") or ""


class SdkAnswer:
    """What the SDK gives for a whole answer."""

    def __init__(self) -> None:
        self.choices: dict[int, SdkChoice] = {}
        self.usage: dict[str, Any] | None = None

    def add(self, chunk: Any) -> None:
        for choice in chunk.choices:
            self.choices.setdefault(choice.index, SdkChoice()).add(choice)
        if chunk.usage:
            self.usage = chunk.usage.model_dump()


def sdk_reads(capture: dict[str, Any]) -> SdkAnswer:
    """Have the SDK read the very bytes of ``capture``."""
    body = capture["body"].encode()
    kind = f"Content-Type: {capture['headers']['content-type']}"
    stream = body.startswith(b"data:")
    answer = SdkAnswer()
    with serving([response(body, "200 OK", kind)]) as served:
        client = openai.OpenAI(base_url=served.url + "/v1", api_key="none", max_retries=0)
        if capture["path"].startswith("/v1/chat"):
            got: Any = client.chat.completions.create(model="tiny", messages=[], stream=stream)
        else:
            got = client.completions.create(model="tiny", prompt="", stream=stream)
        for chunk in got if stream else iter([got]):
            answer.add(chunk)
    return answer


def calls_shown(events: Any, index: int) -> list[dict[str, Any]]:
    """Put together the tool calls that ``events`` show."""
    calls: dict[int, dict[str, Any]] = {}
    for event in _deltas(events, index):
        call = calls.setdefault(event.call_index, {"type": "function", "function": {}})
        function = call["function"]
        call.setdefault("id", event.id)
        function["name"] = function.get("name", "") + (event.name or "")
        function["arguments"] = function.get("arguments", "") + event.arguments
    return [calls[number] for number in sorted(calls)]


def _deltas(events: Any, index: int) -> Iterator[ToolCallDelta]:
    return (e for e in events if isinstance(e, ToolCallDelta) and e.index == index)


def without_nulls(value: Any) -> Any:
    """Drop members that are null: the SDK adds those that it knows."""
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return value
