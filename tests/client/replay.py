"""Feeding recorded bytes to the client without a network."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Logprobs, Reasoning, Text
from vllmctl.client.stream import RawForm, read_answer
from vllmctl.client.transport import Response
from vllmctl.client.wire import Reply, Request

DATA = Path(__file__).parent.parent / "data"


@cache
def captures(kind: str = "chat_and_completions") -> dict[str, dict[str, Any]]:
    """Return all recorded exchanges of a kind by name."""
    path = DATA / "captures" / f"{kind}.jsonl"
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {entry["name"]: entry for entry in entries}


@cache
def cases() -> dict[str, dict[str, Any]]:
    """Return the reported cases of odd answers by id."""
    path = DATA / "cases" / "kind_b.jsonl"
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {entry["id"]: entry for entry in entries}


def made_response(
    reads: Iterable[bytes],
    headers: dict[str, str] | None = None,
    status: int = 200,
    reason: str = "OK",
) -> Response:
    """Return a response whose body arrives as ``reads``."""
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    request = Request("POST", "/v1/chat/completions", {"X-Request-Id": "r1"})
    reply = Reply(status, reason, lower, iter(reads))
    return Response(reply, "http://server/v1/chat/completions", request, 0.0, "")


def replayed(
    reads: Iterable[bytes],
    headers: dict[str, str] | None = None,
    *,
    raw: RawForm = RawForm.NONE,
    expected: int = 1,
) -> tuple[Answer, list[Event]]:
    """Read ``reads`` as an answer; return it and all events."""
    answer = Answer(sent=0.0, clock=lambda: 0.0)
    headers = headers or {"content-type": "text/event-stream"}
    batches = read_answer(made_response(reads, headers), answer, raw=raw, expected=expected)
    return answer, [event for events in batches for event in events]


def split_every(data: bytes, size: int) -> Iterator[bytes]:
    """Cut ``data`` into reads of ``size`` bytes."""
    return (data[at : at + size] for at in range(0, len(data), size))


def text_of(events: Iterable[Event], index: int = 0) -> str:
    """Return the text that ``events`` show for a choice."""
    return "".join(e.text for e in events if isinstance(e, Text) and e.index == index)


def reasoning_of(events: Iterable[Event], index: int = 0) -> str:
    """Return the reasoning that ``events`` show for a choice."""
    return "".join(e.text for e in events if isinstance(e, Reasoning) and e.index == index)


def logprobs_of(events: Iterable[Event], index: int = 0) -> list[Any]:
    """Return the tokens with log-probabilities that ``events`` show for a choice."""
    found = [e.logprobs for e in events if isinstance(e, Logprobs) and e.index == index]
    return [token for piece in found for token in piece.get("content") or piece["tokens"]]
