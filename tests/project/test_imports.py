"""What the quick ways through the program may not import."""

import subprocess
import sys

import pytest

HEAVY = {"httpx", "rich", "pydantic", "asyncio"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--version"], "vllmctl "),
        (["--help"], "chat"),
        (["chat", "--help"], "--temperature"),
        (["complete", "--help-all"], "--echo"),
        (["chat", "Hello", "--top-p", "0.9", "--no-thinking", "--dry-run"], '"top_p"'),
        (["__complete", "chat", "--temper"], "--temperature"),
        (["complete", "Hello", "--top-k", "5", "--dry-run"], '"top_k"'),
    ],
    ids=" ".join,
)
def test_quick_ways_import_nothing_heavy(arguments: list[str], says: str) -> None:
    answer, imported = _run(arguments)
    assert says in answer
    assert imported & HEAVY == set()


def test_version_imports_no_command_line_library() -> None:
    _, imported = _run(["--version"])
    assert imported & {"typer", "click", "pydantic_core", "json"} == set()


def _run(arguments: list[str]) -> tuple[str, set[str]]:
    """Run the program; return its stdout and the names of all modules it imported."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "vllmctl", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.stdout, {line.rpartition("|")[2].strip() for line in lines}
