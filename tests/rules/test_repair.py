"""Mends: what edits do, and that a mended body needs no more of them."""

import json
from typing import Any

import pytest

from tests.rules.corpus import Row, lines
from vllmctl.catalog.load import by_path, endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check
from vllmctl.rules.finding import Edit, Finding, Level
from vllmctl.rules.repair import apply, keys_of, repair

VERDICTS = ("verdicts/vllm-0.32.0.jsonl.gz", "verdicts/asked-0.32.0.jsonl.gz")
EVERY = 7
"""One row in so many is mended: enough, and quick."""


def with_edits(*edits: Edit) -> list[Finding]:
    return [Finding(Level.ERROR, "test", "", "", edits)]


@pytest.mark.parametrize(
    ("body", "edit", "after"),
    [
        ({"a": 1}, Edit("set", "a", 2), {"a": 2}),
        ({}, Edit("set", "a.b", 2), {"a": {"b": 2}}),
        ({"a": 1}, Edit("set", "a.b", 2), {"a": {"b": 2}}),
        ({"a": [1, 2]}, Edit("set", "a[1]", 3), {"a": [1, 3]}),
        ({"a": [{"b": 1}]}, Edit("set", "a[0].b", 2), {"a": [{"b": 2}]}),
        ({"a": {"5": 1}}, Edit("set", 'a["5"]', 2), {"a": {"5": 2}}),
        ({"a": 1, "b": 2}, Edit("remove", "a"), {"b": 2}),
        ({"a": {"b": 1}}, Edit("remove", "a.b"), {}),
        ({"a": [1, 2]}, Edit("remove", "a[0]"), {"a": [2]}),
        ({"b": 1}, Edit("remove", "a.b"), {"b": 1}),
        ({"a": 1}, Edit("move", "a", to="b.c"), {"b": {"c": 1}}),
        ({"a": {"b": 1, "c": 2}}, Edit("move", "a.b", to="d"), {"a": {"c": 2}, "d": 1}),
        ({"b": 1}, Edit("move", "a", to="c"), {"b": 1}),
    ],
)
def test_edits(body: dict[str, Any], edit: Edit, after: dict[str, Any]) -> None:
    before = json.dumps(body)
    assert apply(body, with_edits(edit)) == after
    assert json.dumps(body) == before


def test_findings_without_a_mend_change_nothing() -> None:
    assert apply({"a": 1}, [Finding(Level.ERROR, "test", "a", "")]) == {"a": 1}


def test_paths_have_names_numbers_and_quoted_keys() -> None:
    assert keys_of('a.b[0]["x.y"].c') == ("a", "b", 0, "x.y", "c")


def sampled() -> list[Row]:
    return [row for file in VERDICTS for row in lines(file)[::EVERY]]


def test_mended_bodies_need_no_mending_and_keep_what_was_right() -> None:
    for row in sampled():
        name = by_path(row["path"])
        assert name is not None
        of = endpoint(name, parse_target("0.32.0"))
        mended, applied, remaining = repair(row["body"], of)
        assert not [f for f in check(mended, of) if f.fix], row["body"]
        assert remaining == check(mended, of)
        if not applied:
            assert json.dumps(mended) == json.dumps(row["body"])


def test_several_faults_are_mended_one_after_the_other() -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "extra_body": {"guided_json": {"name": "n", "schema": {"type": "object"}}, "topP": 3},
    }
    mended, applied, remaining = repair(body, endpoint("chat.completions", parse_target("vllm")))
    assert mended["structured_outputs"] == {"json": {"type": "object"}}
    assert mended["top_p"] == 1
    assert "extra_body" not in mended
    assert len(applied) == 5
    assert remaining == []


def test_true_and_one_are_not_the_same() -> None:
    body = {"model": "m", "prompt": "x", "ignore_eos": 1}
    mended, applied, _ = repair(body, endpoint("completions", parse_target("vllm")))
    assert mended["ignore_eos"] is True
    assert [finding.code for finding in applied] == ["type.coerced"]
