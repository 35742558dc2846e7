"""What is called ignored has no effect: the real server answers the same without it."""

import json
from copy import deepcopy
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.rules.corpus import lines
from vllmctl.catalog.load import by_path, endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check
from vllmctl.rules.edits import apply
from vllmctl.rules.finding import Level

VERDICTS = ("verdicts/vllm-0.32.0.jsonl.gz", "verdicts/asked-0.32.0.jsonl.gz")
MOST = 150
REPEATABLE = {"temperature": 0, "n": 1}

Pair = tuple[str, dict[str, Any], dict[str, Any]]


def pairs() -> list[Pair]:
    """Bodies that the server accepted, and the same without what is said to be ignored."""
    found = []
    for file in VERDICTS:
        for row in lines(file):
            if row["verdict"] == "accept" and isinstance(row.get("body"), dict):
                body = {**row["body"], **REPEATABLE}
                without = _without_ignored(row["path"], body)
                if without != body:
                    found.append((row["path"], body, without))
    return found[:: max(1, len(found) // MOST)]


def _without_ignored(path: str, body: dict[str, Any]) -> dict[str, Any]:
    name = by_path(path)
    assert name is not None
    left = deepcopy(body)
    for finding in check(body, endpoint(name, parse_target("0.32.0"))):
        edits = finding.fix or ()
        if finding.level is Level.IGNORED and all(edit.op == "remove" for edit in edits):
            apply(left, edits, "")
    return left


def test_there_are_enough_of_them() -> None:
    assert len(pairs()) >= MOST


@pytest.mark.live
def test_the_server_answers_the_same_without_what_it_ignores(live_url: str) -> None:
    for path, body, without in pairs():
        assert _answer(live_url + path, body) == _answer(live_url + path, without), body


def _answer(url: str, body: dict[str, Any]) -> list[Any]:
    """The choices of an answer, or of all its events."""
    head = {"content-type": "application/json"}
    with urlopen(Request(url, json.dumps(body).encode(), head), timeout=60) as response:
        texts = response.read().decode().split("\n")
    events = [text.removeprefix("data: ") for text in texts if "{" in text]
    return [json.loads(event).get("choices") for event in events]
