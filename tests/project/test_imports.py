"""What the quick ways through the program import: a budget a command.

Time is measured by ``bench``; here it is counted what takes the time.
"""

import os
import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import pytest

from tests.client.servers import serving, stream_head

PROGRAM = """
import sys
before = set(sys.modules)
from vllmctl.__main__ import run
code = run(sys.argv[1:])
sys.stdout.flush()
sys.stderr.write(repr([int(code), *(set(sys.modules) - before)]))
"""

ANSWER = b'data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\n'
LIBRARIES = {"httpx", "rich", "pydantic", "pydantic_core", "typer", "click", "jsonschema"}
DEAR = {
    "asyncio",
    "copy",
    "dataclasses",
    "difflib",
    "email",
    "inspect",
    "logging",
    "shutil",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "tomllib",
}
"""Modules of Python's own that take a millisecond and more, and that few commands need."""

NETWORK = {"socket", "selectors", "vllmctl.client"}
BUDGETS = [
    (["--version"], "vllmctl ", 6),
    (["--help"], "chat", 28),
    (["chat", "--help"], "--temperature", 32),
    (["complete", "--help-all"], "--echo", 32),
    (["__complete", "chat", "--temper"], "--temperature", 32),
    (["chat", "Hello", "--top-p", "0.9", "--no-thinking", "--dry-run"], '"top_p"', 95),
    (["complete", "Hello", "--top-k", "5", "--dry-run"], '"top_k"', 95),
]
"""Arguments, a word of the answer, and how many modules of our own it may take at most."""


@pytest.mark.parametrize(("arguments", "says", "most"), BUDGETS, ids=str)
def test_quick_ways_stay_within_their_budgets(
    arguments: list[str], says: str, most: int, tmp_path: Path
) -> None:
    answer, imported = _run(arguments, tmp_path)
    assert says in answer
    assert imported & (LIBRARIES | DEAR | NETWORK) == set()
    assert len(_own(imported)) <= most, _own(imported)


def test_version_needs_no_reader_of_anything(tmp_path: Path) -> None:
    _, imported = _run(["--version"], tmp_path)
    assert imported & {"json", "jiter", "pathlib", "vllmctl.catalog", "vllmctl.cli"} == set()


def test_completion_builds_no_body(tmp_path: Path) -> None:
    _, imported = _run(["__complete", "chat", "--temper"], tmp_path)
    assert imported & {"json", "vllmctl.request", "vllmctl.rules", "vllmctl.render"} == set()


def test_a_plain_answer_comes_without_what_it_does_not_need(tmp_path: Path) -> None:
    with serving([stream_head(), ANSWER, b"data: [DONE]\n\n"]) as served:
        answer, imported = _run(["chat", "Hi", "-m", "m", "--base-url", served.url], tmp_path)
    assert answer.strip() == "Hello"
    assert imported & (LIBRARIES | DEAR | {"base64", "encodings.idna"}) == set()
    assert not {"vllmctl.render.markdown", "vllmctl.render.logprobs"} & imported
    assert len(_own(imported)) <= 145, _own(imported)


def _own(imported: set[str]) -> list[str]:
    return sorted(name for name in imported if name.startswith("vllmctl"))


def _run(arguments: list[str], home: Path) -> tuple[str, set[str]]:
    """Run the program; return its stdout and the names of all modules it imported."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        cwd=home,
    )
    code, *imported = literal_eval(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return done.stdout, set(imported)
