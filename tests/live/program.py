"""The program, run as a person runs it, and within this process where only speed matters."""

import contextlib
import io
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.live.samples import PROJECT
from vllmctl.__main__ import run as run_arguments

SECONDS = 60

Done = subprocess.CompletedProcess[str]


def run(arguments: Sequence[str]) -> Done:
    """Run ``vllmctl`` with ``arguments`` from the project's folder, without standard input."""
    return subprocess.run(
        [sys.executable, "-m", "vllmctl", *arguments],
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def run_here(arguments: Sequence[str]) -> Done:
    """Do as ``run`` does without a process of its own, which takes a tenth of the time."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "stdin", None)
        patch.chdir(PROJECT)
        code = run_arguments(list(arguments))
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
