"""The text of an answer out of what was printed, in each format."""

import json
from typing import Any

from tests.matrix.faults import REPLY, Expected

HUGE = 1_000_000


def text_in(out: str, format: str) -> str:
    """Return the answer's text in ``out``; what the formats promise is checked on the way."""
    match format:
        case "text":
            return out
        case "json":
            return _of_choice(json.loads(out)["choices"][0]) if out else ""
        case "jsonl":
            return "".join(_of_chunk(json.loads(line)) for line in out.splitlines())
        case "sse":
            return _of_events(out)
        case _:
            plain = out.replace("\r\n", "\n").replace("\r", "\n")
            return _of_events(plain)


def fits(text: str, expected: Expected) -> bool:
    """Whether ``text`` is what of the answer is to be shown."""
    match expected.text:
        case "all":
            return text == REPLY
        case "none":
            return text == ""
        case "start":
            return 0 < len(text) < len(REPLY) and REPLY.startswith(text)
        case "gap":
            return text != REPLY and _is_gapped(text)
        case _:
            return text.count("x") >= HUGE


def _is_gapped(text: str) -> bool:
    start = next(n for n in range(len(text) + 1) if n == len(text) or text[n] != REPLY[n])
    return bool(text) and REPLY.endswith(text[start:]) and len(text) > len(REPLY) // 2


def _of_events(out: str) -> str:
    if not out.startswith(("data: ", ": ")):
        return _whole(out)
    events = [line.removeprefix("data: ") for line in out.split("\n") if line.startswith("data:")]
    return "".join(_of_chunk(_parsed(event)) for event in events if event != "[DONE]")


def _whole(out: str) -> str:
    answer = _parsed(out)
    return _of_chunk(answer) if answer else ""


def _parsed(text: str) -> Any:
    """A raw format shows what came, damaged or not."""
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _of_chunk(chunk: dict[str, Any]) -> str:
    return "".join(_of_choice(choice) for choice in chunk.get("choices", ()))


def _of_choice(choice: dict[str, Any]) -> str:
    said = choice.get("delta") or choice.get("message") or choice
    return said.get("content") or said.get("text") or ""
