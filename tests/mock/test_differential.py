"""Bodies with known verdicts get the real server's status, blamed field and kind of message."""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.mock.asking import ask, options
from vllmctl.mock.app import MockApp

VERDICTS = Path(__file__).parents[1] / "data" / "verdicts"
FILES = {"vllm-0.32.0.jsonl.gz": 3825, "rich-0.32.0.jsonl.gz": 1800}
WANTED = 0.995


@cache
def rows(file: str) -> list[dict[str, Any]]:
    with gzip.open(VERDICTS / file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def differing(file: str) -> list[tuple[Any, Any, Any]]:
    mock = MockApp(options(model=["tiny", "tiny-alias"], target="vllm==0.32.0", max_model_len=2048))
    found = []
    for row in rows(file):
        body = row["text"].encode() if "text" in row else row["body"]
        real = (_status(row), row.get("param"), kind(row.get("message")))
        ours = verdict(ask(row["path"], body, of=mock))
        if real != ours and not _is_of_engine(row):
            found.append((body, real, ours))
    return found


def _status(row: dict[str, Any]) -> int:
    """An error in a stream comes under 200."""
    is_event = row["status"] == 200 and row["verdict"] == "reject"
    return 400 if is_event else int(row["status"])


def _is_of_engine(row: dict[str, Any]) -> bool:
    """The engine fails on what another backend takes: that hangs on what was asked before."""
    return bool(row.get("server_state")) and row["status"] == 500


def verdict(reply: Any) -> tuple[int, str | None, str | None]:
    """Status, field and kind of message; an error event counts as the status that it tells."""
    first = reply.data.partition(b"\n")[0].removeprefix(b"data: ")
    told = json.loads(first) if reply.data else {}
    error = told.get("error")
    if not error:
        return reply.status, None, kind(first.decode()) if "detail" in told else None
    return error["code"], error["param"], kind(error["message"])


def kind(message: str | None) -> str | None:
    """A message without its values: the first type error, or the sentence's first words."""
    if message is None:
        return None
    head = message.split("\n")[0]
    if "validation error" in head:
        named = re.search(r"'type': '(\w+)'", message)
        return f"type {named[1]}" if named and " for " not in head else head.split(" for ")[-1]
    plain = re.sub(r"\{.*\}|\[.*\]|'[^']*'|-?\d+(\.\d+)?(e[+-]?\d+)?", "…", message)
    return plain[:60]


@pytest.mark.parametrize("file", FILES)
def test_there_are_enough_bodies(file: str) -> None:
    assert len(rows(file)) == FILES[file]


@pytest.mark.parametrize("file", FILES)
def test_agrees_on_status_field_and_kind_of_message(file: str) -> None:
    share = 1 - len(differing(file)) / len(rows(file))
    assert share >= WANTED, differing(file)[:5]


@pytest.mark.parametrize("file", FILES)
def test_never_answers_what_the_real_server_refuses(file: str) -> None:
    assert [found for found in differing(file) if found[2][0] == 200] == []


@pytest.mark.parametrize("file", FILES)
def test_never_refuses_what_the_real_server_answers(file: str) -> None:
    assert [found for found in differing(file) if found[1][0] == 200] == []
