"""A shell in a tmux of its own, for what a real terminal makes of our output."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).parents[2]
IS_THERE = shutil.which("tmux") is not None
_PATIENCE = 30.0
_SHELL = f"""
export VLLMCTL_BASE_URL
PS1='\\#$ '
PS2='> '
python() {{ '{sys.executable}' "$@"; }}
vllmctl() {{ python -m vllmctl "$@"; }}
"""


class Pane:
    """One window with a shell, whose prompt is the number of the command: ``1$ ``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._typed = 0

    def start(self, columns: int, lines: int) -> None:
        """Start the shell and wait for its prompt."""
        (self._folder / "rc").write_text(_SHELL)
        size = ("-x", str(columns), "-y", str(lines))
        shell = ["bash", "--noprofile", "--rcfile", str(self._folder / "rc")]
        self._tmux("-f", os.devnull, "new-session", "-d", *size, *shell)
        self.wait()

    def run(self, command: str) -> None:
        """Type a command and wait until it has ended."""
        self.type(command)
        self.wait()

    def type(self, command: str) -> None:
        """Type a command on a clear screen."""
        self.press("C-l")
        self.wait_for(lambda: self.text("0") == f"{self._typed + 1}$")
        self._tmux("clear-history", ";", "send-keys", "-l", command, ";", "send-keys", "Enter")
        self._typed += 1

    def press(self, key: str) -> None:
        """Press one key, named as tmux does."""
        self._tmux("send-keys", key)

    def resize(self, columns: int, lines: int) -> None:
        """Make the window wider or narrower, and wait until programs can know."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))
        terminal = os.open(
            self._tmux("display", "-p", "#{pane_tty}").strip(), os.O_RDWR | os.O_NOCTTY
        )
        try:
            self.wait_for(lambda: os.get_terminal_size(terminal) == (columns, lines))
        finally:
            os.close(terminal)

    def wait(self, text: str = "") -> None:
        """Wait until ``text`` is seen, or the next prompt."""
        self.wait_for(lambda: (text or f"\n{self._typed + 1}$") in f"\n{self.text()}")

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until ``condition`` holds."""
        end = time.monotonic() + _PATIENCE
        while not condition():
            assert time.monotonic() < end, self.text()
            time.sleep(0.02)

    def text(self, start: str = "-") -> str:
        """The screen and all that scrolled out of it; rows that the terminal broke are joined.

        With ``start`` 0 it is the screen alone.
        """
        rows = self._tmux("capture-pane", "-p", "-J", "-S", start).split("\n")
        return "\n".join([row.rstrip() for row in rows]).strip("\n")

    def kill(self) -> None:
        """End the shell, and tmux with it."""
        self._tmux("kill-server", check=False)

    def _tmux(self, *arguments: str, check: bool = True) -> str:
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(PROJECT),
        }
        line = ["tmux", "-u", "-S", str(self._folder / "socket"), *arguments]
        done = subprocess.run(
            line, env=variables, cwd=self._folder, capture_output=True, text=True, check=check
        )
        return done.stdout


@contextmanager
def pane(folder: Path, columns: int, lines: int) -> Iterator[Pane]:
    """Give a shell in ``folder``, and end it."""
    its = Pane(folder)
    try:
        its.start(columns, lines)
        yield its
    finally:
        its.kill()
