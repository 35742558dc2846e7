"""Try an installed vllmctl as a user would, far from its source."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Use:
    """A command line, what must be in its stdout, and its exit code."""

    arguments: tuple[str, ...]
    says: str
    stdin: str = ""
    code: int = 0


WRONG = '{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "top_p": 3}'
USES = (
    Use(("--version",), "vllmctl "),
    Use(("chat", "Hello", "-m", "tiny", "--top-k", "5", "--dry-run"), '"top_k": 5'),
    Use(("chat", "Hello", "--base-url", "mock:"), "You wrote: Hello"),
    Use(("profiles", "list"), "greedy"),
    Use(("profiles", "show", "greedy"), "temperature"),
    Use(("explain", "top_p"), "top_p"),
    Use(("lint", "-"), "top_p", WRONG, 2),
    Use(("fields", "chat"), "temperature"),
    Use(("completion", "bash"), "complete"),
    Use(("__complete", "chat", "--temper"), "--temperature"),
)
"""Together they load every package that vllmctl needs but jsonschema."""


def faults(program: Sequence[str], folder: Path) -> list[str]:
    """Run every use of ``program`` in ``folder`` with an empty home; return what went wrong."""
    variables = {"HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    return [told for use in USES if (told := _fault(program, use, folder, variables))]


def _fault(program: Sequence[str], use: Use, folder: Path, variables: dict[str, str]) -> str | None:
    done = subprocess.run(
        [*program, *use.arguments],
        cwd=folder,
        env=variables,
        input=use.stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode == use.code and use.says in done.stdout:
        return None
    shown = (done.stdout + done.stderr).strip()
    return f"{' '.join(use.arguments)}: exit code {done.returncode}\n{shown}"
