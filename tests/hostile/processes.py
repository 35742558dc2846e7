"""The program as a process of its own, and what it leaves behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.outcome import Outcome

PATIENCE = 30.0
"""Seconds after which a process hangs."""
PROGRAM = (sys.executable, "-m", "vllmctl")


@contextmanager
def running(*arguments: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start the program in a session of its own; whatever is left of it is killed at the end.

    Keywords in capital letters are variables, others go to ``Popen``.
    """
    variables = {name: more.pop(name) for name in list(more) if name.isupper()}
    variables = more.pop("env", os.environ) | variables
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    process = subprocess.Popen(
        [*PROGRAM, *arguments], env=variables, start_new_session=True, **more
    )
    try:
        yield process
    finally:
        _kill_group(process.pid)
        process.wait(timeout=PATIENCE)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def finished(*arguments: str, **more: Any) -> Outcome:
    """Run the program to its end; nothing that it started may be left."""
    with running(*arguments, **more) as process:
        out, err = process.communicate(timeout=PATIENCE)
        assert not group_lives(process.pid)
    return Outcome(process.returncode, (out or b"").decode(), (err or b"").decode())


def group_lives(group: int) -> bool:
    """Whether there is still a process of ``group``, after a moment's grace."""
    for _ in range(20):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.02)
    return True


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
