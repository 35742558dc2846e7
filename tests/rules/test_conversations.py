"""Bodies with several conversations: the server makes a chat of each, and of all fields."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rules.mended import mended
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import Target, parse_target
from vllmctl.rules.check import check
from vllmctl.rules.finding import Finding, Level
from vllmctl.rules.syntax import schema

DATA = Path(__file__).parents[1] / "data" / "rules"
HELLO = [{"role": "user", "content": "Hello"}]
OF = endpoint("chat.completions.batch", parse_target("vllm==0.32.0"))


def found(body: dict[str, Any]) -> list[Finding]:
    return check({"model": "m", "messages": [HELLO, HELLO], **body}, OF)


@pytest.mark.parametrize(
    "body",
    [
        {"allowed_token_ids": [5], "min_tokens": 2, "ignore_eos": True},
        {"stop_token_ids": [5], "bad_words": ["5"]},
        {"repetition_detection": {"max_pattern_size": 4, "min_count": 2}},
        {"structured_outputs": {"choice": ["a"]}, "reasoning_effort": "low"},
        {"min_tokens": None, "ignore_eos": None},
    ],
    ids=str,
)
def test_fields_of_a_chat_count_though_the_endpoint_does_not_declare_them(
    body: dict[str, Any],
) -> None:
    assert found(body) == []


@pytest.mark.parametrize(
    ("body", "path", "level"),
    [
        ({"max_tokens": 0}, "max_tokens", Level.ERROR),
        ({"min_tokens": 5, "max_tokens": 4}, "min_tokens", Level.ERROR),
        ({"tools": []}, "tools", Level.ERROR),
        ({"ignore_eos": "maybe"}, "ignore_eos", Level.ERROR),
        ({"n": 2}, "n", Level.ERROR),
        ({"use_beam_search": True}, "use_beam_search", Level.ERROR),
        ({"stream": True}, "stream", Level.WARNING),
        ({"temprature": 1}, "temprature", Level.IGNORED),
        ({"min_tokenz": 1}, "min_tokenz", Level.IGNORED),
        ({"guided_json": {}}, "guided_json", Level.IGNORED),
        ({"extra_body": {"top_k": 1}}, "extra_body", Level.IGNORED),
        (
            {"repetition_detection": {"max_pattern_size": 4, "min_count": 2, "window": 1}},
            "repetition_detection.window",
            Level.IGNORED,
        ),
    ],
    ids=str,
)
def test_what_is_wrong_with_the_chats_is_told_once(
    body: dict[str, Any], path: str, level: Level
) -> None:
    assert [(each.path, each.level) for each in found(body)] == [(path, level)]


def test_a_fault_in_a_message_is_told_where_it_is_and_mended_there() -> None:
    part = {"type": "text", "text": "a", "cache_control": {}}
    body = {"model": "m", "messages": [HELLO, [{"role": "user", "content": [part]}]]}
    (finding,) = check(body, OF)
    assert finding.path == "messages[1][0].content[0].cache_control"
    assert finding.message == f"{finding.path} is ignored"
    result, _ = mended(body, OF)
    assert result["messages"][1][0]["content"] == [{"type": "text", "text": "a"}]


def test_what_is_no_list_of_conversations_is_refused() -> None:
    (finding, *_) = check({"model": "m", "messages": HELLO}, OF)
    assert (finding.level, finding.path) == (Level.ERROR, "messages[0]")


ANSWERED = [*HELLO, {"role": "assistant", "content": "Hi."}]
OF_CHATS = [
    (row["body"], parse_target(f"vllm=={row['target']}"))
    for row in map(json.loads, (DATA / "examples.jsonl").read_text().splitlines())
    if row["endpoint"] == "chat.completions" and row["target"] in ("0.32.0", "0.33.0")
    if isinstance(row["body"].get("messages"), list)
]


@pytest.mark.parametrize(("body", "target"), OF_CHATS, ids=repr)
def test_every_conversation_is_judged_as_a_chat_and_not_only_the_first(
    body: dict[str, Any], target: Target
) -> None:
    chat, batch = endpoint("chat.completions", target), endpoint(OF.name, target)
    sent = {name: value for name, value in body.items() if value is not None}
    alone = {one.code for one in check(sent, chat) if not one.code.startswith("field.")}
    second = {one.code for one in check({**sent, "messages": [ANSWERED, body["messages"]]}, batch)}
    assert alone - second == set()


def test_what_all_conversations_share_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def judge(given: object) -> str:
        asked.append(given)
        return ""

    monkeypatch.setattr(schema, "xgrammar_refusal", judge)
    pattern = {"type": "string", "pattern": "^a+$"}
    check({"messages": [HELLO] * 50, "structured_outputs": {"json": pattern}}, OF)
    assert 0 < len(asked) < 5
