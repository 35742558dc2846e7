"""What a streamed answer costs, whole processes against ``curl -sN``.

Every program shows the text token by token or, where it says so, the raw stream.
"""

import sys

from bench.measure import Program
from bench.peers import CLIENTS, curl
from bench.server import SLOW, text
from bench.startup import VLLMCTL

CHUNKS = 20_000
LENGTHS = (10_000, 50_000, 100_000)
BASE = "curl -sN (raw)"
OURS = "vllmctl chat"
SLOW_ROUNDS = 3
"""Rounds of a program that takes seconds for one run."""

PATH = "/v1/chat/completions"


def programs(url: str, count: int | None, peers: dict[str, str]) -> list[Program]:
    """Return the programs that stream ``count`` tokens, or the slow answer when it is ``None``."""
    base = f"{url}/{'slow' if count is None else count}"
    wanted = text(SLOW if count is None else count)
    rounds = 1000 if count is None else SLOW_ROUNDS
    library = [sys.executable, str(CLIENTS / "vllmctl_library.py"), base]
    found = [
        Program(BASE, [curl(), "-sN", "-d", "{}", base + PATH]),
        Program(OURS, _chat(base), wanted),
        Program("vllmctl's client as a library", library, wanted),
    ]
    for package, name in (("aiohttp", "aiohttp_lines"), ("openai", "openai_sdk")):
        if python := peers.get(package):
            line = [python, str(CLIENTS / f"{name}.py"), base]
            found += [Program(f"{package} script", line, wanted, rounds)]
    if llm := peers.get("llm"):
        model = "slow" if count is None else "fast"
        found += [Program("llm", [llm, "-m", model, "--no-log", "Hi"], wanted, rounds)]
    if http := peers.get("httpie"):
        found += [Program("http --stream (raw)", _httpie(http, base + PATH), None, rounds)]
    return found


def growth(url: str) -> list[Program]:
    """Return curl and vllmctl for each of ``LENGTHS``."""
    return [
        program
        for count in LENGTHS
        for program in (
            Program(f"{BASE} {count:,}", [curl(), "-sN", "-d", "{}", f"{url}/{count}{PATH}"]),
            Program(f"{OURS} {count:,}", _chat(f"{url}/{count}"), text(count)),
        )
    ]


def _chat(base: str) -> list[str]:
    return [VLLMCTL, "chat", "Hi", "--base-url", base, "-m", "tiny", "--target", "vllm"]


def _httpie(http: str, url: str) -> list[str]:
    options = ["--stream", "--body", "--pretty=none", "--ignore-stdin"]
    message = 'messages:=[{"role": "user", "content": "Hi"}]'
    return [http, *options, "POST", url, "model=tiny", "stream:=true", message]
