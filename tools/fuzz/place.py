"""A folder of its own for what fuzzers write, and commands run in it."""

import io
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from vllmctl.__main__ import run

_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


class Outcome(NamedTuple):
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


@cache
def scratch() -> Path:
    """Return an empty folder, removed at the end; it is the home as well."""
    made = tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True)
    _ALIVE.append(made)
    return Path(made.name)


_ALIVE: list[tempfile.TemporaryDirectory[str]] = []


def command(words: Sequence[str]) -> Outcome:
    """Run ``vllmctl`` with ``words`` in this process, in the scratch folder."""
    out, err = _stream(), _stream()
    variables = {name: os.environ[name] for name in _KEPT if name in os.environ}
    variables["HOME"] = str(scratch())
    before = Path.cwd()
    os.chdir(scratch())
    try:
        with (
            patch.dict(os.environ, variables, clear=True),
            patch.object(sys, "stdin", None),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = run(list(words))
    finally:
        os.chdir(before)
    return Outcome(int(code), _written(out), _written(err))


def check(done: Outcome, codes: Sequence[int]) -> None:
    """Raise ``AssertionError`` when a command ended otherwise than it may."""
    assert "unexpected " not in done.err.splitlines()[0:1], done.err
    assert not done.err.startswith("error: unexpected"), done.err
    assert "Traceback" not in done.err, done.err
    assert done.code in codes, (done.code, done.err)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()
