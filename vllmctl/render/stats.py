"""Tokens, times and finish reasons on stderr once an answer has ended."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.client.answer import Answer
from vllmctl.client.events import Thought
from vllmctl.env import Environment
from vllmctl.render.amounts import counted, milliseconds, seconds
from vllmctl.render.figures import first_token, gaps_of, speed, thinking, total
from vllmctl.render.finish import finish_words
from vllmctl.render.reasoning import thought_line
from vllmctl.render.usage import count_of, reasoning_tokens
from vllmctl.render.words import Words

_SERVER = {
    "queue_time_ms": "{} in the queue",
    "time_to_first_token_ms": "{} from there to the first token",
    "generation_time_ms": "{} for the others",
    "mean_itl_ms": "{} a token on average",
    "tokens_per_second": "{} tokens/s",
}
"""What vLLM started with ``--enable-per-request-metrics`` tells of a request, in words."""


def write_usage(answer: Answer, env: Environment) -> None:
    """Write what the answer took: a line for each kind of figure that is known."""
    words = Words(env.stderr, env)
    for line in _lines(answer):
        words.write((line, "dim"))
    words.flush()


def write_usage_json(answer: Answer, env: Environment) -> None:
    """Write one JSON object: what the server reported, and what was measured, in seconds."""
    gaps = gaps_of(answer)
    thought = thinking(answer)
    choices = [choice for _, choice in sorted(answer.choices.items())]
    value = {
        "usage": answer.usage,
        "chunks": answer.chunks,
        "first_token_s": _rounded(first_token(answer)),
        "total_s": _rounded(total(answer)),
        "tokens_per_s": speed(answer),
        "inter_chunk_s": gaps
        and {
            "median": _rounded(gaps.median),
            "p99": _rounded(gaps.p99),
            "longest": _rounded(gaps.longest),
            "tokens_each": gaps.tokens_each,
        },
        "reasoning": thought
        and {
            "tokens": reasoning_tokens(answer.usage),
            "chunks": thought[1],
            "seconds": _rounded(thought[0]),
        },
        "server": answer.others.get("metrics"),
        "kv_transfer_params": answer.others.get("kv_transfer_params"),
        "finish_reasons": [choice.finish_reason for choice in choices],
        "stop_reasons": [choice.stop_reason for choice in choices],
    }
    env.stderr.write(_as_json(value) + "\n")
    env.stderr.flush()


def _as_json(value: Any) -> str:
    """Return ``value`` as JSON, which knows no NaN and no infinity: they become ``null``."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(json.loads(json.dumps(value), parse_constant=lambda _: None))


def _lines(answer: Answer) -> Iterator[str]:
    yield _tokens(answer)
    found = {
        "time": _times(answer),
        "speed": _speeds(answer),
        "thinking": _thinking(answer),
        "server": _server(answer.others.get("metrics")),
        "speculative decoding": _speculation(answer.others.get("metrics")),
        "kv transfer": _scalars(answer.others.get("kv_transfer_params")),
        "finish": ", ".join(
            finish_words(choice.finish_reason, choice.stop_reason)
            for _, choice in sorted(answer.choices.items())
        ),
    }
    yield from (f"{title}: {text}" for title, text in found.items() if text)


def _tokens(answer: Answer) -> str:
    usage = answer.usage
    if not usage:
        return f"tokens: not reported ({counted(answer.chunks, 'chunk')})"
    prompt, made = (count_of(usage, name) for name in ("prompt_tokens", "completion_tokens"))
    details = usage.get("prompt_tokens_details")
    parts = {"cached": "from the cache", "multimodal": "of images, sound or video"}
    known = {words: count_of(details, f"{name}_tokens") for name, words in parts.items()}
    inside = ", ".join(f"{count} {words}" for words, count in known.items() if count)
    reasoning = reasoning_tokens(usage)
    return (
        f"tokens: {_told(prompt)} in the prompt{f' ({inside})' if inside else ''}, "
        f"{_told(made)} in the answer{f' ({reasoning} of them reasoning)' if reasoning else ''}"
    )


def _told(count: int | None) -> str:
    return "?" if count is None else str(count)


def _times(answer: Answer) -> str:
    first, whole = first_token(answer), total(answer)
    parts = [f"{seconds(first)} to the first token"] if first is not None else []
    parts += [f"{seconds(whole)} in all"] if whole is not None else []
    return ", ".join(parts)


def _speeds(answer: Answer) -> str:
    rate, gaps = speed(answer), gaps_of(answer)
    parts = [f"{rate:.1f} tokens/s{_span(answer)}"] if rate else []
    if gaps:
        between = "between two tokens" if gaps.are_of_tokens else "between two chunks"
        if gaps.tokens_each and not gaps.are_of_tokens:
            between += f" of about {gaps.tokens_each:.1f} tokens"
        median, p99 = milliseconds(gaps.median * 1000), milliseconds(gaps.p99 * 1000)
        parts.append(f"{between} {median} (median), {p99} (p99)")
    return ", ".join(parts)


def _span(answer: Answer) -> str:
    """Say what a speed is of, where that is not one choice after its first token."""
    if answer.whole is not None:
        return " over the whole time"
    return " for all choices together" if len(answer.choices) > 1 else ""


def _thinking(answer: Answer) -> str:
    found = thinking(answer)
    line = thought_line(Thought(0, *found), reasoning_tokens(answer.usage)) if found else ""
    return line.removeprefix("thought for ").removeprefix("thought: ")


def _server(metrics: Any) -> str:
    """Say what the server measured; figures that are new to us by their own names."""
    if not isinstance(metrics, Mapping):
        return ""
    known = [*_SERVER, *(name for name in metrics if name not in _SERVER)]
    return ", ".join(
        _SERVER.get(name, f"{name} {{}}").format(_figure(name, metrics[name]))
        for name in known
        if _is_number(metrics.get(name))
    )


def _figure(name: str, value: float) -> str:
    return milliseconds(value) if name.endswith("_ms") else f"{value:.1f}"


def _speculation(metrics: Any) -> str:
    """Say how many of the tokens that were guessed ahead could be kept."""
    told = metrics.get("speculative_decoding") if isinstance(metrics, Mapping) else None
    kept, drafted = (count_of(told, f"num_{name}_tokens") for name in ("accepted_draft", "draft"))
    if not isinstance(told, Mapping) or kept is None or not drafted:
        return ""
    length = told.get("mean_acceptance_length")
    each = f", {length:.2f} tokens a step" if _is_number(length) else ""
    return f"{kept} of {drafted} drafted tokens kept ({kept / drafted:.0%}){each}"


def _scalars(value: Any) -> str:
    """Return what an object holds besides lists and objects."""
    if not isinstance(value, Mapping):
        return ""
    plain = {name: each for name, each in value.items() if isinstance(each, str | int | float)}
    return ", ".join(f"{name} {json.dumps(each)}" for name, each in plain.items())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
