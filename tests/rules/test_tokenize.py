"""Bodies of tokenize and detokenize: the same faults as in a chat, told as such."""

from typing import Any

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check
from vllmctl.rules.finding import Level

HELLO = [{"role": "user", "content": "Hello"}]


def found(body: dict[str, Any], of: str = "tokenize") -> list[tuple[Level, str]]:
    facts = endpoint(of, parse_target("vllm==0.32.0"))
    return [(each.level, each.path) for each in check({"model": "m", **body}, facts)]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"messages": []}, "messages"),
        ({"messages": HELLO, "continue_final_message": True}, "continue_final_message"),
        ({"prompt": "\ud800"}, "prompt"),
        ({"messages": [{"role": "user", "content": "\ud800"}]}, "messages[0].content"),
        (
            {"messages": [{"role": "user", "content": [{"type": "x"}]}]},
            "messages[0].content[0].type",
        ),
    ],
    ids=str,
)
def test_what_makes_no_prompt_is_an_error(body: dict[str, Any], path: str) -> None:
    assert found(body) == [(Level.ERROR, path)]


def test_keys_that_nobody_reads_are_told() -> None:
    body = {"messages": [{"role": "user", "content": "Hello", "id": 1}]}
    assert found(body) == [(Level.IGNORED, "messages[0].id")]


@pytest.mark.parametrize(("number", "levels"), [(2**32 - 1, []), (2**32, [Level.ERROR])])
def test_ids_of_tokens_have_32_bits(number: int, levels: list[Level]) -> None:
    assert [level for level, _ in found({"tokens": [number]}, "detokenize")] == levels
