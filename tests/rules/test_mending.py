"""Mends step by step: a mended body needs no more of them."""

import json
from typing import Any

import pytest

from tests.rules.corpus import Row, lines
from tests.rules.mended import mended
from vllmctl.catalog.load import by_path, endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check
from vllmctl.rules.finding import Edit, Finding, Level
from vllmctl.rules.mending import mend

VERDICTS = ("verdicts/vllm-0.32.0.jsonl.gz", "verdicts/asked-0.32.0.jsonl.gz")
EVERY = 7
"""One row in so many is mended: enough, and quick."""


def sampled() -> list[Row]:
    return [row for file in VERDICTS for row in lines(file)[::EVERY]]


def test_mended_bodies_need_no_mending_and_keep_what_was_right() -> None:
    for row in sampled():
        name = by_path(row["path"])
        assert name is not None
        of = endpoint(name, parse_target("0.32.0"))
        body, done = mended(row["body"], of)
        assert not [f for f in check(body, of) if f.fix], row["body"]
        assert done.findings == check(body, of)
        assert bool(done.changes) == (json.dumps(body) != json.dumps(row["body"]))


def test_several_faults_are_mended_one_after_the_other() -> None:
    sent = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "extra_body": {"guided_json": {"name": "n", "schema": {"type": "object"}}, "topP": 3},
    }
    body, done = mended(sent, endpoint("chat.completions", parse_target("vllm")))
    assert body["structured_outputs"] == {"json": {"type": "object"}}
    assert body["top_p"] == 1
    assert "extra_body" not in body
    assert done.findings == []


def test_true_and_one_are_not_the_same() -> None:
    sent = {"model": "m", "prompt": "x", "ignore_eos": 1}
    body, done = mended(sent, endpoint("completions", parse_target("vllm")))
    assert body["ignore_eos"] is True
    assert [str(change) for change in done.changes] == ["set ignore_eos to true (was 1)"]


def test_mends_that_chase_each_other_come_to_an_end() -> None:
    def find(body: dict[str, Any]) -> list[Finding]:
        name, other = ("a", "b") if "a" in body else ("b", "a")
        return [Finding(Level.ERROR, f"no.{name}", name, "", (Edit("move", name, to=other),))]

    body = {"a": 1}
    assert mend(body, find).findings


def test_mend_that_does_nothing_is_left_undone() -> None:
    finding = Finding(Level.ERROR, "x", "a", "", (Edit("remove", "b"),))
    done = mend({"a": 1}, lambda _: [finding])
    assert (done.findings, done.changes) == ([finding], [])


@pytest.mark.parametrize(
    ("part", "url"),
    [
        ({"type": "image", "image": "https://h/a.png"}, "https://h/a.png"),
        ({"type": "image", "url": "https://h/a.png"}, "https://h/a.png"),
        ({"type": "image", "source": {"type": "url", "url": "https://h/a"}}, "https://h/a"),
        (
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "AA"},
            },
            "data:image/png;base64,AA",
        ),
    ],
    ids=["key", "url", "source", "data"],
)
@pytest.mark.parametrize("release", ["0.9.0", "0.33.0"])
def test_images_as_other_apis_write_them_become_image_urls(
    part: dict[str, Any], url: str, release: str
) -> None:
    of = endpoint("chat.completions", parse_target(release))
    body, _ = mended({"model": "m", "messages": [{"role": "user", "content": [part]}]}, of)
    assert body["messages"][0]["content"] == [{"type": "image_url", "image_url": {"url": url}}]


TOOLS = [{"type": "function", "function": {"name": "f"}}]
FLAT = {"type": "function", "name": "f"}
NAMED = {"type": "function", "function": {"name": "f"}}
HELLO = [{"role": "user", "content": "Hello"}]


@pytest.mark.parametrize(
    ("sent", "becomes"),
    [
        ({"tool_choice": "any", "tools": TOOLS}, {"tool_choice": "required"}),
        ({"tool_choice": "Auto", "tools": TOOLS}, {"tool_choice": "auto"}),
        ({"tool_choice": {"type": "auto"}, "tools": TOOLS}, {"tool_choice": "auto"}),
        ({"tool_choice": {"type": "tool", "name": "f"}, "tools": TOOLS}, {"tool_choice": NAMED}),
        (
            {"tool_choice": {"type": "function", "name": "f"}, "tools": TOOLS},
            {"tool_choice": NAMED},
        ),
        (
            {"tools": [{"name": "f", "input_schema": {"type": "object"}}]},
            {
                "tools": [
                    {
                        "type": "function",
                        "function": {"name": "f", "parameters": {"type": "object"}},
                    }
                ]
            },
        ),
        ({"messages": "Hello"}, {"messages": HELLO}),
        ({"messages": HELLO[0]}, {"messages": HELLO}),
        ({"messages": [{"role": "user", "text": "Hello"}]}, {"messages": HELLO}),
        ({"messages": [{"role": "user", "contents": "Hello"}]}, {"messages": HELLO}),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "content": "Hello"}]}]},
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]},
        ),
        ({"response_format": {"type": "json"}}, {"response_format": {"type": "json_object"}}),
        ({"response_format": "JSON"}, {"response_format": {"type": "json_object"}}),
    ],
    ids=str,
)
def test_what_other_apis_say_is_mended_without_loss(
    sent: dict[str, Any], becomes: dict[str, Any]
) -> None:
    of = endpoint("chat.completions", parse_target("vllm"))
    body, done = mended({"model": "m", "messages": HELLO, **sent}, of)
    assert {name: body[name] for name in becomes} == becomes
    assert not [each for each in done.findings if each.level in (Level.ERROR, Level.IGNORED)]


@pytest.mark.parametrize(
    ("of", "sent", "becomes"),
    [
        ("embeddings", {"inputs": "x"}, {"input": "x"}),
        ("embeddings", {"prompt": "x"}, {"input": "x"}),
        ("responses", {"input": "x", "max_tokens": 5}, {"input": "x", "max_output_tokens": 5}),
        (
            "responses",
            {"input": "x", "reasoning_effort": "low"},
            {"input": "x", "reasoning": {"effort": "low"}},
        ),
        ("rerank", {"query": "q", "docs": ["a"]}, {"query": "q", "documents": ["a"]}),
    ],
    ids=str,
)
def test_names_of_other_endpoints_become_those_of_this_one(
    of: str, sent: dict[str, Any], becomes: dict[str, Any]
) -> None:
    body, _ = mended({"model": "m", **sent}, endpoint(of, parse_target("vllm")))
    assert body == {"model": "m", **becomes}


@pytest.mark.parametrize(
    ("release", "value", "becomes"),
    [("0.9.0", -1, {}), ("0.9.0", -7, {}), ("0.33.0", -7, {"truncate_prompt_tokens": -1})],
)
def test_a_prompt_is_not_cut_to_its_last_token_by_a_mend(
    release: str, value: int, becomes: dict[str, int]
) -> None:
    sent = {"model": "m", "messages": HELLO, "truncate_prompt_tokens": value}
    body, _ = mended(sent, endpoint("chat.completions", parse_target(release)))
    assert body == {"model": "m", "messages": HELLO, **becomes}


@pytest.mark.parametrize(
    "sent",
    [
        {"response_format": {"type": "json_schema"}},
        {"tool_choice": "required", "tools": TOOLS},
        {"tool_choice": "auto", "tools": TOOLS},
    ],
    ids=str,
)
def test_a_release_that_lacks_a_value_gets_no_mend_that_sets_it(sent: dict[str, Any]) -> None:
    of = endpoint("chat.completions", parse_target("0.4.2"))
    _, done = mended({"model": "m", "messages": HELLO, **sent}, of)
    assert not [finding for finding in done.findings if finding.fix]
