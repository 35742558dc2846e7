"""Our verdict is the real server's, and our errors are about the fields that it names."""

from functools import cache
from typing import Any

import pytest

from bench.agreement import Judged, judge
from bench.bodies import bodies, rich_texts
from tests.rules.corpus import Row, lines

FILES = (
    "verdicts/vllm-0.32.0.jsonl.gz",
    "verdicts/asked-0.32.0.jsonl.gz",
    "verdicts/rich-0.32.0.jsonl.gz",
)
LEAST_AGREEMENT = 0.998
LEAST_NAMED = 0.98


@cache
def judged(file: str) -> tuple[Judged, ...]:
    return tuple(judge(row) for row in lines(file) if not row.get("server_state"))


def key(row: Row) -> tuple[str, str]:
    return row["path"], str(row.get("text") or row["body"])


@pytest.mark.parametrize("file", FILES)
def test_verdicts_agree_but_for_the_differences_that_are_listed(file: str) -> None:
    all_judged = judged(file)
    listed = {key(row) for row in lines("verdicts/differences.jsonl")}
    differ = [one.row for one in all_judged if not one.agrees]
    assert [row for row in differ if key(row) not in listed] == []
    assert len(differ) <= (1 - LEAST_AGREEMENT) * len(all_judged)


def test_listed_differences_have_a_reason() -> None:
    assert all(row.get("reason") for row in lines("verdicts/differences.jsonl"))


@pytest.mark.parametrize("file", FILES)
def test_refusals_are_about_the_field_that_the_server_names(file: str) -> None:
    refused = [one for one in judged(file) if one.row["verdict"] == "reject" and one.agrees]
    named = sum(one.names_the_field for one in refused)
    assert named >= LEAST_NAMED * len(refused)


def test_what_only_the_server_can_know_is_never_doubted_by_an_exception() -> None:
    for file in FILES:
        for row in lines(file):
            if row.get("server_state"):
                judge(row)


@pytest.mark.parametrize("make", [bodies, rich_texts])
def test_same_seed_makes_the_same_bodies(make: Any) -> None:
    assert list(make(seed=3, count=20)) == list(make(seed=3, count=20))
