"""Output that a model or a server decides on, on its way to a terminal."""

from typing import Any, TextIO, cast

from vllmctl.env import Environment
from vllmctl.render.style import harmless


def guarded(out: TextIO, env: Environment) -> TextIO:
    """Return ``out``; if it is a terminal, so that what is written cannot control it.

    Into a pipe or a file go the very characters. JSON stays JSON: what is shown in place of
    a control character is an escape of JSON's.
    """
    return cast(TextIO, _Guarded(out)) if env.is_terminal(out) else out


class _Guarded:
    """Takes text only: a terminal has no use for bytes."""

    buffer = None

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, text: str) -> int:
        return self._out.write(harmless(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)
