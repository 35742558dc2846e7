"""The program on a terminal."""

import fcntl
import os
import pty
import select
import subprocess
import termios
import time

from tests.hostile.processes import PATIENCE, PROGRAM


class Screen:
    """A process on a terminal of its own, which sends it signals; keywords are variables."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self._master, slave = pty.openpty()
        self.before = termios.tcgetattr(slave)
        self._slave = slave
        variables = os.environ | {"TERM": "xterm-256color"} | variables
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments], stdin=slave, stdout=slave, stderr=slave, env=variables,
            start_new_session=True, preexec_fn=_take_terminal,  # noqa: PLW1509 - no threads yet
        )  # fmt: skip
        self.seen = b""

    def read_until(self, wanted: bytes | None) -> bytes:
        """Read until ``wanted`` is there, or for ``None`` until the process has ended."""
        end = time.monotonic() + PATIENCE
        while wanted is None or wanted not in self.seen:
            assert time.monotonic() < end, self.seen
            over = self.process.poll() is not None
            ready, _, _ = select.select([self._master], [], [], 0.05)
            if ready:
                self.seen += os.read(self._master, 1 << 16)
            elif over:
                break
        return self.seen

    def type(self, keys: bytes) -> None:
        """Press ``keys``; what was seen until now counts no more."""
        self.seen = b""
        self.type_ahead(keys)

    def type_ahead(self, keys: bytes) -> None:
        """Press ``keys`` while something else is to be seen."""
        os.write(self._master, keys)

    def close(self) -> None:
        after = termios.tcgetattr(self._slave)
        for descriptor in (self._master, self._slave):
            os.close(descriptor)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        assert after == self.before, "the terminal's settings were changed"


def _take_terminal() -> None:
    """Make standard input the terminal that controls the process."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
