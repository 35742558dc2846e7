"""The terminal while an answer comes, and the pipe that stands in for one."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from vllmctl.env import Environment


@contextmanager
def unechoed(env: Environment) -> Iterator[None]:
    """Keep what is typed ahead off the screen; the next prompt gets it."""
    if env.stdin is None or env.stdin_is_piped:
        yield
        return
    import termios

    terminal = env.stdin.fileno()
    before = termios.tcgetattr(terminal)
    silent = termios.tcgetattr(terminal)
    silent[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSADRAIN, silent)
    try:
        yield
    finally:
        with suppress(termios.error):  # the terminal may have gone away
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def whole_lines(out: TextIO, env: Environment) -> TextIO:
    """Return ``out`` so that ``end_line`` ends its last line; a terminal is as it is."""
    return out if env.is_terminal(out) else cast(TextIO, _WholeLines(out))


def end_line(env: Environment) -> None:
    """End the last line of stdout, unless it is a terminal, where that is done already."""
    if isinstance(env.stdout, _WholeLines):
        env.stdout.end()


def set_apart(env: Environment) -> None:
    """Leave an empty line on the terminal between what was said and what will be."""
    if env.stdin is not None and not env.stdin_is_piped:
        env.stderr.write("\n")
        env.stderr.flush()


class _WholeLines:
    """Answers that follow each other in a pipe begin on lines of their own."""

    buffer = None

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._last = "\n"

    def write(self, text: str) -> int:
        self._last = text[-1:] or self._last
        return self._out.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def end(self) -> None:
        if self._last != "\n":
            self.write("\n")
            self._out.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)
