"""A lock that several runs of the program respect."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Have ``folder``, which is there, for oneself; whoever else wants it waits."""
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with suppress(ImportError, OSError):  # Windows and some network file systems have none
            _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    from fcntl import LOCK_EX, flock

    flock(descriptor, LOCK_EX)
