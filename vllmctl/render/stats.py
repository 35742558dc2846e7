"""Tokens, times and finish reasons on stderr once an answer has ended."""

import json
from typing import Any

from vllmctl.client.answer import Answer, Timings
from vllmctl.client.choice import Choice
from vllmctl.env import Environment
from vllmctl.render.style import Style, harmless

_MOST = 10**12
"""Tokens; nobody has made more."""


def write_usage(answer: Answer, env: Environment) -> None:
    """Write a line of tokens, a line of times and the finish reasons."""
    lines = [_tokens(answer), _times(answer), _reasons(answer)]
    style = Style(env.stderr, env)
    for line in filter(None, lines):
        env.stderr.write(style.paint(harmless(line), "dim") + "\n")
    env.stderr.flush()


def write_usage_json(answer: Answer, env: Environment) -> None:
    """Write one JSON object: usage as reported, times in seconds, finish reasons."""
    times = answer.timings
    value = {
        "usage": answer.usage,
        "chunks": answer.chunks,
        "first_token_s": _since(times.sent, times.first_token if answer.whole is None else None),
        "total_s": _since(times.sent, times.ended),
        "tokens_per_s": _speed(answer, times) or None,
        "finish_reasons": [c.finish_reason for _, c in sorted(answer.choices.items())],
    }
    env.stderr.write(json.dumps(value) + "\n")
    env.stderr.flush()


def _since(began: float, ended: float | None) -> float | None:
    return None if ended is None else round(ended - began, 6)


def _tokens(answer: Answer) -> str:
    usage = answer.usage
    if not usage:
        return f"tokens: not reported ({answer.chunks} chunks)"
    prompt, made = (_count(usage, name) for name in ("prompt_tokens", "completion_tokens"))
    cached = _count(usage.get("prompt_tokens_details"), "cached_tokens")
    reasoning = _count(usage.get("completion_tokens_details"), "reasoning_tokens")
    shown = f"tokens: {_told(prompt)} prompt" + (f" ({cached} cached)" if cached else "")
    shown += f" + {_told(made)} completion"
    return shown + (f" ({reasoning} reasoning)" if reasoning else "")


def _count(usage: Any, name: str) -> int | None:
    """Return a number of tokens; what is none, was not told."""
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and 0 <= count < _MOST else None


def _told(count: int | None) -> str:
    return "?" if count is None else str(count)


def _times(answer: Answer) -> str:
    times = answer.timings
    parts = []
    if times.first_token is not None and answer.whole is None:
        parts.append(f"first token {times.first_token - times.sent:.3f} s")
    speed = _speed(answer, times)
    if speed:
        parts.append(f"{speed:.1f} tokens/s")
    if times.ended is not None:
        parts.append(f"total {times.ended - times.sent:.3f} s")
    return f"time: {', '.join(parts)}" if parts else ""


def _speed(answer: Answer, times: Timings) -> float:
    """Tokens a second after the first one in a stream, else over the whole time."""
    count = _count(answer.usage, "completion_tokens") or 0
    streamed = answer.whole is None and times.first_token is not None
    began = times.first_token if streamed else times.sent
    ended = times.last_token if streamed else times.ended
    made = count - 1 if streamed else count
    if began is None or ended is None or ended <= began or made <= 0:
        return 0.0
    return float(made / (ended - began))


def _reasons(answer: Answer) -> str:
    reasons = [_reason(choice) for _, choice in sorted(answer.choices.items())]
    return f"finish: {', '.join(reasons)}" if reasons else ""


def _reason(choice: Choice) -> str:
    match choice.stop_reason:
        case None:
            by = ""
        case int(token):
            by = f" (token {token})"
        case text:
            by = f" (string {text!r})"
    return (choice.finish_reason or "not told") + by
