"""Bodies with known verdicts get the real server's status, blamed field and kind of message."""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from tests.mock.asking import ask, options
from vllmctl.mock.app import MockApp

VERDICTS = Path(__file__).parents[1] / "data" / "verdicts" / "vllm-0.32.0.jsonl.gz"
WANTED = 0.995


@cache
def rows() -> list[dict[str, Any]]:
    with gzip.open(VERDICTS, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def differing() -> list[tuple[Any, Any, Any]]:
    mock = MockApp(options(model=["tiny", "tiny-alias"], target="vllm==0.32.0", max_model_len=2048))
    found = []
    for row in rows():
        real = (row["status"], row.get("param"), kind(row.get("message")))
        ours = verdict(ask(row["path"], row["body"], of=mock))
        if real != ours:
            found.append((row["body"], real, ours))
    return found


def verdict(reply: Any) -> tuple[int, str | None, str | None]:
    """Status, field and kind of message; an error event counts as the status that it tells."""
    first = reply.data.partition(b"\n")[0].removeprefix(b"data: ")
    error = json.loads(first).get("error") if reply.data else None
    if not error:
        return reply.status, None, None
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


def test_there_are_enough_bodies() -> None:
    assert len(rows()) == 3825


def test_agrees_on_status_field_and_kind_of_message() -> None:
    share = 1 - len(differing()) / len(rows())
    assert share >= WANTED, differing()[:5]


def test_never_answers_what_the_real_server_refuses() -> None:
    assert [found for found in differing() if found[2][0] == 200] == []


def test_never_refuses_what_the_real_server_answers() -> None:
    assert [found for found in differing() if found[1][0] == 200] == []
