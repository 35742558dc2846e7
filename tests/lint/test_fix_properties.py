"""What holds of every mended body, whatever it was: nothing is left, nothing is lost silently."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.rules.corpus import Row, lines
from vllmctl.catalog.load import by_path
from vllmctl.lint.judge import Judge
from vllmctl.lint.linter import Linter
from vllmctl.lint.result import Result
from vllmctl.lint.rewrite import rewritten
from vllmctl.lint.translate import translate
from vllmctl.rules.finding import Finding, Level

TARGETS = {
    "vllm==0.6.3": 7,
    "vllm==0.10.2": 6,
    "vllm==0.11.2": 6,
    "vllm==0.12.0": 6,
    "vllm==0.32.0": 2,
    "vllm==0.33.0": 6,
    "furiosa": 7,
}
"""Each release, and that one row of so many is enough for it."""

EMPTY: tuple[Any, ...] = (None, {}, [], "")


@cache
def mended(target: str) -> tuple[tuple[Row, Result, str], ...]:
    """Rows that can be read, what became of each, and the new text."""
    found = []
    for row in lines("verdicts/rich-0.32.0.jsonl.gz")[:: TARGETS[target]]:
        raw = row["text"].encode()
        result = linter(target, row["path"], mends=True).whole(raw, "")
        if result.readable:
            text = rewritten(result.value, raw) if result.is_changed else row["text"]
            found.append((row, result, text))
    return tuple(found)


@cache
def linter(target: str, path: str, *, mends: bool) -> Linter:
    judge = Judge.of(target)
    made = Linter(judge, by_path(path, judge.engine), mends)
    if mends:
        made.translate = lambda body, name: translate(body, judge.facts(name), newer=True)
    return made


def told(findings: list[Finding]) -> list[tuple[str, str, str]]:
    bad = (Level.ERROR, Level.IGNORED)
    return sorted((f.level.value, f.code, f.path) for f in findings if f.level in bad)


def leaves(value: Any) -> Iterator[str]:
    """The single values in one, as JSON."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if value and isinstance(value, dict | list):
        for part in parts:
            yield from leaves(part)
    elif value not in EMPTY:
        yield json.dumps(value)


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_left_has_been_told_and_has_no_mend(target: str) -> None:
    for row, result, text in mended(target):
        again = linter(target, row["path"], mends=False).whole(text.encode(), "")
        assert told(again.findings) == told(result.findings), row["text"]
        assert not [finding for finding in again.findings if finding.fix], row["text"]


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_ignored_is_left(target: str) -> None:
    for row, result, _ in mended(target):
        assert "ignored" not in {level for level, *_ in told(result.findings)}, row["text"]


@pytest.mark.parametrize("target", TARGETS)
def test_mending_twice_changes_nothing(target: str) -> None:
    for row, _, text in mended(target):
        twice = linter(target, row["path"], mends=True).whole(text.encode(), "")
        assert not twice.is_changed, (row["text"], twice.changes, twice.rewritten)


@pytest.mark.parametrize("target", TARGETS)
def test_no_value_goes_without_a_word(target: str) -> None:
    for row, result, _ in mended(target):
        try:
            before = json.loads(row["text"].removeprefix("\ufeff"))
        except ValueError:
            continue
        gone = Counter(leaves(before)) - Counter(leaves(result.value))
        named = [leaf for change in result.changes for leaf in leaves(change.was)]
        assert not gone - Counter(named), (row["text"], result.changes)
        for change in result.changes:
            is_gone = change.edit.op == "remove" and change.was not in EMPTY
            has_heir = any(other.edit.op == "set" for other in result.changes)
            assert change.lost or has_heir or not is_gone, (row["text"], change)
