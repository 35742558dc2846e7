"""Comparing bytes instead of parsing gives the very same answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.replay import captures, replayed
from vllmctl.client.answer import Answer
from vllmctl.client.events import Event
from vllmctl.client.template import Template

TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(['"', "\\", '","x":"', "\\u0041", "\n", "é", "", "[DONE]", '"}}]}\n\ndata: x']),
)


@st.composite
def chunks(draw: Any) -> bytes:
    """Draw an event: a plain token mostly, sometimes something else."""
    key = draw(st.sampled_from(["content", "content", "content", "reasoning", "refusal"]))
    choice: dict[str, Any] = {"index": draw(st.sampled_from([0, 0, 0, 1]))}
    choice["delta"] = {key: draw(TEXTS)}
    choice["logprobs"] = None
    extra = draw(st.sampled_from([None] * 8 + ["finish", "usage", "tokens", "two"]))
    chunk: dict[str, Any] = {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}
    if extra == "finish":
        choice["finish_reason"] = "stop"
    elif extra == "tokens":
        choice["token_ids"] = [1, 2]
    elif extra == "usage":
        chunk["usage"] = {"completion_tokens": draw(st.integers(0, 9))}
    elif extra == "two":
        chunk["choices"].append({"index": 1, "delta": {"content": "b"}})
    plain = draw(st.booleans())
    return b"data: " + json.dumps(chunk, ensure_ascii=plain).encode() + b"\n\n"


def parsed_one_by_one(reads: list[bytes]) -> tuple[Answer, list[Event]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "learn", lambda *_: None)
        return replayed(reads)


def assert_the_same(reads: list[bytes]) -> None:
    quick, events = replayed(reads)
    slow, wanted = parsed_one_by_one(reads)
    assert [str(event) for event in events] == [str(event) for event in wanted]
    assert quick.as_response() == slow.as_response()
    assert quick.chunks == slow.chunks
    assert str(quick.failure) == str(slow.failure)


@given(st.lists(chunks(), max_size=20), st.integers(1, 200))
def test_any_stream_is_read_alike(events: list[bytes], size: int) -> None:
    data = b"".join(events)
    assert_the_same([data])
    assert_the_same([data[at : at + size] for at in range(0, len(data), size)])


@pytest.mark.parametrize(
    "name", [name for name, it in captures().items() if it["body"].startswith("data:")]
)
def test_real_streams_are_read_alike(name: str) -> None:
    assert_the_same([captures()[name]["body"].encode()])


def one(text: str) -> bytes:
    return b'{"id":"c","choices":[{"index":0,"delta":{"content":"%b"}}]}' % text.encode()


def learnt() -> Template:
    template = Template()
    template.learn(one("a"), json.loads(one("a")))
    return template


def test_like_chunks_are_taken_and_the_first_other_one_is_given_back() -> None:
    other = one("x").replace(b"index", b"Index")
    texts, event = learnt().texts_in(iter([("", one("b")), ("", one(r"\n")), ("", other)]))
    assert (texts, event) == (["b", "\n"], ("", other))


@pytest.mark.parametrize(
    "data",
    [
        one('x"'),
        one("x\\"),
        one('x","role":"y'),
        one('x"}},{"index":1,"delta":{"content":"y'),
        one(""),
        one("")[:-1],
        b'{"id":"c","choices":[{"index":0,"delta":{"content":"}}]}',
    ],
)
def test_what_is_not_just_a_text_is_left_to_the_parser(data: bytes) -> None:
    assert learnt().texts_in(iter([("", data)])) == ([], ("", data))


def test_a_named_event_is_left_to_others() -> None:
    assert learnt().texts_in(iter([("error", one("b"))])) == ([], ("error", one("b")))


def test_a_stream_whose_chunks_all_differ_is_given_up() -> None:
    template, tried = Template(), 0
    for number in range(100):
        data = one("a").replace(b'"c"', b'"c%d"' % number)
        before = template._learnt
        template.learn(data, json.loads(data))
        tried += template._learnt - before
    assert tried < 15
