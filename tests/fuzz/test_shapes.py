"""Bodies, answers and values of any shape, made by hypothesis."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tools.fuzz.targets.answers import try_answer
from tools.fuzz.targets.files import try_value
from tools.fuzz.targets.lints import try_text
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.rules.check import check

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("\ud800"),
    st.sampled_from(["\x1b]0;t\x07", "\u202e", "9" * 400, "", "auto", "[", "{"]), st.just(10**400),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner)
)
CHAT, COMPLETIONS = endpoint("chat.completions", newest()), endpoint("completions", newest())


def bodies(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(names), VALUES, max_size=6)


def objects(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(names), VALUES, max_size=5)


CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "index": VALUES,
        "delta": objects("role", "content", "reasoning", "refusal", "tool_calls") | VALUES,
        "message": objects("content", "tool_calls", "reasoning") | VALUES,
        "text": VALUES,
        "finish_reason": VALUES,
        "stop_reason": VALUES,
        "logprobs": objects("content", "tokens", "token_logprobs") | VALUES,
        "token_ids": VALUES,
    },
)
CHUNKS = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(CHOICES, max_size=3) | VALUES,
        "usage": objects("prompt_tokens", "completion_tokens", "completion_tokens_details")
        | VALUES,
        "error": objects("message", "type", "code", "param") | VALUES,
        "id": VALUES,
        "object": VALUES,
        "detail": VALUES,
        "message": VALUES,
    },
)


@given(bodies(sorted(CHAT.fields)), bodies(sorted(COMPLETIONS.fields)))
@settings(max_examples=60)
def test_any_body_gets_findings(chat, completion):
    for body, facts in ((chat, CHAT), (completion, COMPLETIONS)):
        assert all(finding.code and finding.message for finding in check(body, facts))


@given(VALUES)
@settings(max_examples=30)
def test_any_json_is_linted(value):
    try_text(json.dumps(value).encode())


@given(st.lists(CHUNKS, max_size=5))
@settings(max_examples=40)
def test_any_chunks_are_an_answer_or_a_fault(chunks):
    stream = b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks)
    try_answer(stream)
    try_answer(json.dumps(chunks[0]).encode() if chunks else b"")


@given(st.binary(max_size=60) | st.text(max_size=30).map(str.encode))
@settings(max_examples=100)
def test_any_text_is_a_value_or_a_fault_in_words(data):
    try_value(data)
