"""How long vllmctl takes to start, against ``python -c pass`` and HTTPie's offline request."""

import sys
from pathlib import Path

from bench.measure import Program

VLLMCTL = str(Path(sys.executable).parent / "vllmctl")
BASE = "python -c pass"
DRY_RUN = "vllmctl chat --dry-run, 10 flags"
HTTPIE = "http --offline, 10 fields"
FIELDS = {
    "temperature": 0.2,
    "top_p": 0.9,
    "top_k": 20,
    "min_p": 0.05,
    "max_tokens": 64,
    "min_tokens": 2,
    "seed": 7,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.1,
    "repetition_penalty": 1.05,
}
"""The ten fields that the dry run and HTTPie's offline request carry."""


def programs(peers: dict[str, str]) -> list[Program]:
    """Return the commands; the first is what the others are compared with."""
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in FIELDS.items()]
    found = [
        Program(BASE, [sys.executable, "-c", "pass"]),
        Program("vllmctl --version", [VLLMCTL, "--version"]),
        Program("vllmctl TAB: chat --temper", [VLLMCTL, "__complete", "chat", "--temper"]),
        Program("vllmctl --help", [VLLMCTL, "--help"]),
        Program("vllmctl chat --help", [VLLMCTL, "chat", "--help"]),
        Program(DRY_RUN, [VLLMCTL, "chat", "Hello", "-m", "tiny", *flags, "--dry-run"]),
    ]
    if http := peers.get("httpie"):
        found += [
            Program(HTTPIE, _offline(http)),
            Program("http --version", [http, "--version"]),
        ]
    if llm := peers.get("llm"):
        found += [Program("llm --version", [llm, "--version"])]
    if python := peers.get("openai"):
        found += [Program("import openai", [python, "-c", "import openai"])]
    return found


def _offline(http: str) -> list[str]:
    pairs = [f"{name}:={value}" for name, value in FIELDS.items()]
    message = 'messages:=[{"role": "user", "content": "Hello"}]'
    url = "http://127.0.0.1:8000/v1/chat/completions"
    return [http, "--offline", "--ignore-stdin", "POST", url, "model=tiny", message, *pairs]
