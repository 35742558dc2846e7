"""Real shells on a terminal of their own: TAB is pressed, and the line is read back."""

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

_COMMANDS = {
    "bash": ("bash", "--norc", "--noprofile", "-i"),
    "zsh": ("zsh", "-f", "-i"),
    "fish": ("fish", "--no-config", "-i"),
}
_SETUP = {
    "bash": "PS1='ready> '; bind 'set enable-bracketed-paste off'; "
    'eval "$(vllmctl completion bash)"',
    "zsh": "PS1='ready> '; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; "
    'eval "$(vllmctl completion zsh)"',
    "fish": "function fish_prompt; echo 'ready> '; end; vllmctl completion fish | source",
}
_PATIENCE = 60.0
_TO_BEGINNING, _TO_END = "\x01", "\x05"


class Shell:
    """One shell of the kind ``name``, started in ``folder``."""

    def __init__(self, name: str, folder: Path) -> None:
        self._master, slave = pty.openpty()
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        variables = {**os.environ, "PATH": path, "TERM": "dumb", "COLUMNS": "400"}
        self._process = subprocess.Popen(
            _COMMANDS[name],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=variables,
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509 - nothing of it is another thread's
        )
        os.close(slave)
        self._seen = ""
        self._marks = 0
        self._run(_SETUP[name])

    def words(self, line: str) -> list[str]:
        """Type ``line``, press TAB, and return the words of the line as the shell has them."""
        # the finished line becomes the arguments of printf
        said = self._run(f"{line}\t{_TO_BEGINNING}printf '<%s>\\n' {_TO_END}")
        return re.findall(r"^<([^<>]*)>$", said, re.MULTILINE)

    def __enter__(self) -> "Shell":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def _run(self, keys: str) -> str:
        """Press ``keys`` and Enter; return what the shell wrote until it was done."""
        self._marks += 1
        start = len(self._seen)
        os.write(self._master, f"{keys}; echo 'end'-{self._marks}.\r".encode())
        deadline = time.monotonic() + _PATIENCE
        while f"\nend-{self._marks}." not in self._lines(start):
            self._read(deadline)
        return self._lines(start)

    def _lines(self, start: int) -> str:
        return self._seen[start:].replace("\r", "\n")

    def _read(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._master], [], [], left)[0]:
            raise AssertionError(f"the shell does not answer; so far:\n{self._seen}")
        self._seen += os.read(self._master, 65536).decode(errors="replace")


def _take_terminal() -> None:
    """Make standard input the terminal that controls the new session; fish asks for one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
