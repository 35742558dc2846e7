"""Asking a person whether a tool may be run."""

from collections.abc import Callable

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
        env.stderr.write(harmless(question).replace("\n", "␊") + " [y/N] ")
        env.stderr.flush()
        with open(_TERMINAL, encoding="utf-8", errors="replace") as terminal:  # noqa: PTH123
            line = terminal.readline()
        if not line.endswith("\n"):
            env.stderr.write("\n")
        return line.strip().lower() in ("y", "yes")

    return ask


def _has_terminal() -> bool:
    try:
        with open(_TERMINAL, encoding="utf-8"):  # noqa: PTH123
            return True
    except OSError:
        return False
