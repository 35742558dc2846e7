"""How many bodies a second are checked on one core, and what the first check costs.

``python -m bench.checks`` prints the figures; with ``--json`` the rates of every round, next to
what reading the same body from JSON takes.
"""

import json
import statistics
import subprocess
import sys
from functools import partial
from typing import Any

from bench.measure import rate
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
BODIES = {"plain": PLAIN, "ordinary": ORDINARY, "full": FULL, "wrong": WRONG}

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


def first(body: dict[str, Any], rounds: int = 9) -> tuple[float, float]:
    """Return the milliseconds of importing the rules and of a first check, in fresh processes."""
    command = [sys.executable, "-c", FIRST, json.dumps(body)]
    answers = [subprocess.check_output(command, text=True).split() for _ in range(rounds)]
    times = [[1000 * float(part) for part in answer] for answer in answers]
    return min(one for one, _ in times), min(other for _, other in times)


def rates() -> dict[str, list[float]]:
    """Return bodies a second, round by round."""
    checker = Checker(endpoint("chat.completions", newest()))
    found = {}
    for name, body in BODIES.items():
        label = f"{name}, {len(body)} fields"
        found[f"check: {label}"] = rate(partial(checker.check, body))
        found[f"json.loads: {label}"] = rate(partial(json.loads, json.dumps(body)))
    return found


def main() -> None:
    """Print the figures."""
    found = rates()
    if sys.argv[1:] == ["--json"]:
        print(json.dumps(found))
        return
    for name, values in found.items():
        print(f"{name:40}{statistics.median(values):>10,.0f} bodies/s")
    imported, checked = first(ORDINARY)
    print(f"a fresh process: import {imported:.1f} ms, first check {checked:.1f} ms")


if __name__ == "__main__":
    main()
