"""Running a program in a terminal, for what a person would see."""

import os
import pty
import select
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path


def seen(
    arguments: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    *,
    columns: int = 80,
    patience: float = 120,
) -> str:
    """Return what a terminal gets from a program that has no input.

    Raises:
        TimeoutError: nothing came for ``patience`` seconds.
    """
    reader, writer = pty.openpty()
    try:
        ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen(
            arguments, cwd=folder, env=variables,
            stdin=subprocess.DEVNULL, stdout=writer, stderr=writer,
        ) as running:  # fmt: skip
            os.close(writer)
            try:
                written = b"".join(iter(lambda: _read(reader, patience), b""))
            except TimeoutError:
                running.kill()
                raise
    finally:
        os.close(reader)
    return written.decode().replace("\r\n", "\n")


def _read(reader: int, patience: float) -> bytes:
    """The next bytes, none at the end; Linux tells the end of a terminal by an error."""
    if not select.select([reader], [], [], patience)[0]:
        raise TimeoutError(f"nothing came for {patience:g} s")
    try:
        return os.read(reader, 65536)
    except OSError:
        return b""
