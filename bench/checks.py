"""How many bodies a second are checked on one core, and what the first check costs.

Usage: python bench/checks.py
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.rules.check import Checker

PLAIN = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "temperature": 0.7}
ORDINARY = {
    **PLAIN,
    "messages": [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "Write a sentence about the sea."},
    ],
    "top_p": 0.95,
    "max_tokens": 256,
    "stop": ["\n\n"],
    "seed": 7,
    "stream": True,
    "stream_options": {"include_usage": True},
}
FULL = {
    **ORDINARY,
    "top_k": 40,
    "min_p": 0.05,
    "n": 2,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.2,
    "repetition_penalty": 1.1,
    "logprobs": True,
    "top_logprobs": 5,
    "logit_bias": {"5": 1.5},
    "min_tokens": 1,
    "ignore_eos": False,
    "cache_salt": "abc",
    "chat_template_kwargs": {"enable_thinking": False},
    "repetition_detection": {"max_pattern_size": 4, "min_count": 3},
    "structured_outputs": {"json": {"type": "object", "properties": {"a": {"type": "string"}}}},
}
WRONG = {**FULL, "top_p": 3, "n": 0, "guided_json": {"type": "object"}, "tempurature": 1}

FIRST = """
import json, sys, time
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
of = endpoint("chat.completions", newest())
start = time.process_time()
from vllmctl.rules.check import check
imported = time.process_time()
check(json.loads(sys.argv[1]), of)
print(imported - start, time.process_time() - imported)
"""


def rate(work: Callable[[], object], rounds: int = 10, times: int = 500) -> float:
    """Return how often ``work`` is done in a second of one core, in the best round."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            work()
        best = min(best, time.process_time() - start)
    return times / best


def first(body: dict[str, Any], rounds: int = 9) -> tuple[float, float]:
    """Return the milliseconds of importing the rules and of a first check, in fresh processes."""
    command = [sys.executable, "-c", FIRST, json.dumps(body)]
    answers = [subprocess.check_output(command, text=True).split() for _ in range(rounds)]
    times = [[1000 * float(part) for part in answer] for answer in answers]
    return min(one for one, _ in times), min(other for _, other in times)


def main() -> None:
    """Print the figures."""
    checker = Checker(endpoint("chat.completions", newest()))
    for name, body in (("plain", PLAIN), ("ordinary", ORDINARY), ("full", FULL), ("wrong", WRONG)):
        found = len(checker.check(body))
        speed = rate(lambda body=body: checker.check(body))  # type: ignore[misc]
        print(f"{name:<9} {len(body):>3} fields {found:>3} findings {speed:>9,.0f} bodies/s")
    imported, checked = first(ORDINARY)
    print(f"a fresh process: import {imported:.1f} ms, first check {checked:.1f} ms")


if __name__ == "__main__":
    main()
