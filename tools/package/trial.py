"""Try an installed vllmctl as a user would, far from its source."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Use:
    """A command line, what must be in its stdout and its stderr, and its exit code."""

    arguments: tuple[str, ...]
    says: str
    stdin: str = ""
    code: int = 0
    tells: str = ""


WRONG = '{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "top_p": 3}'
USES = (
    Use(("--version",), "vllmctl "),
    Use(("chat", "Hello", "-m", "tiny", "--top-k", "5", "--dry-run"), '"top_k": 5'),
    Use(("chat", "Hello", "--base-url", "mock:"), "You wrote: Hello"),
    Use(("chat", "-i", "--base-url", "mock:"), "You wrote: Hello", "Hello"),
    Use(("profiles", "list"), "greedy"),
    Use(("profiles", "show", "greedy"), "temperature"),
    Use(("explain", "top_p"), "top_p"),
    Use(("lint", "-"), "top_p", WRONG, 2),
    Use(("fields", "chat"), "temperature"),
    Use(("completion", "bash"), "complete"),
    Use(("__complete", "chat", "--temper"), "--temperature"),
)
"""Together they load every package that vllmctl needs but jsonschema."""

_KEYRING = '[server]\napi_key_keyring = "vllm/me"\n'
_WITH_KEYRING = ("chat", "Hello", "-p", "keyring", "--base-url", "mock:")
WITHOUT_EXTRAS = (Use(_WITH_KEYRING, "", code=2, tells="pip install 'vllm-request[keyring]'"),)
"""What is told where an extra is not installed."""


def faults(program: Sequence[str], folder: Path, more: Sequence[Use] = ()) -> list[str]:
    """Run every use of ``program`` in the home ``folder``; return what went wrong."""
    profile = folder / ".config" / "vllmctl" / "profiles" / "keyring.toml"
    profile.parent.mkdir(parents=True, exist_ok=True)
    profile.write_text(_KEYRING)
    variables = {"HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    return [told for use in (*USES, *more) if (told := _fault(program, use, folder, variables))]


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
    said = use.says in done.stdout and use.tells in done.stderr
    if done.returncode == use.code and said:
        return None
    shown = (done.stdout + done.stderr).strip()
    return f"{' '.join(use.arguments)}: exit code {done.returncode}\n{shown}"
