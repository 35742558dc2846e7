"""Asking a person whether a tool may be run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.render.style import harmless

_TERMINAL = "/dev/tty"


def asker(env: Environment) -> Callable[[str], bool]:
    """Return what asks a yes-or-no question on the terminal; anything but yes is no.

    Standard input may be piped: the terminal itself is asked. Raises ``UsageError`` when
    there is none.
    """
    if not env.is_terminal(env.stderr) or not _has_terminal():
        raise UsageError(
            "--run-tools ask needs a terminal to ask on", "--run-tools auto runs without asking"
        )

    def ask(question: str) -> bool:
        opened = open(_TERMINAL, encoding="utf-8", errors="replace")  # noqa: PTH123, SIM115
        with opened as terminal, _listening(terminal):
            env.stderr.write(harmless(question).replace("\n", "␊") + " [y/N] ")
            env.stderr.flush()
            line = terminal.readline()
        if not line.endswith("\n"):
            env.stderr.write("\n")
        return line.strip().lower() in ("y", "yes")

    return ask


@contextmanager
def _listening(terminal: TextIO) -> Iterator[None]:
    """Show what is typed from now on; what was typed before is no answer."""
    import termios

    before = termios.tcgetattr(terminal)
    shown = termios.tcgetattr(terminal)
    shown[3] |= termios.ECHO
    termios.tcsetattr(terminal, termios.TCSAFLUSH, shown)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _has_terminal() -> bool:
    try:
        with open(_TERMINAL, encoding="utf-8"):  # noqa: PTH123
            return True
    except OSError:
        return False
