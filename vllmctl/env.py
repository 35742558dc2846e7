"""Everything the program takes from its surroundings, in one object passed explicitly."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, TextIO

from vllmctl.record import Record, field
from vllmctl.streams import discreet, forgiving


class Environment(Record):
    """Streams, variables, folders and the terminal.

    ``stdin`` is ``None`` when the process has no standard input. ``color`` is the
    user's ``--color`` choice: ``auto``, ``always`` or ``never``.
    """

    stdin: BinaryIO | None = None
    stdout: TextIO = field(factory=lambda: sys.stdout)
    stderr: TextIO = field(factory=lambda: sys.stderr)
    variables: Mapping[str, str] = field(factory=lambda: os.environ)
    cwd: Path = field(factory=lambda: _current_folder())  # noqa: PLW0108 - is below
    color: str = "auto"

    @classmethod
    def of_process(cls, stderr: TextIO | None = None) -> "Environment":
        """Return the environment of this very process; ``stderr`` takes words to people."""
        stdin = sys.stdin.buffer if sys.stdin is not None else None
        return cls(stdin, forgiving(sys.stdout), stderr or discreet(sys.stderr))

    def hide(self, secret: str, instead: str) -> None:
        """Show ``instead`` wherever ``secret`` would go to stderr from now on."""
        hide = getattr(self.stderr, "hide", None)
        if hide is not None:
            hide(secret, instead)

    def tells_secret(self, text: str) -> bool:
        """Whether a secret that is hidden from stderr is in ``text``."""
        return bool(getattr(self.stderr, "tells_secret", lambda _: False)(text))

    @property
    def config_dir(self) -> Path | None:
        """The user's configuration folder for vllmctl (XDG), or ``None`` without a home."""
        return self._xdg("XDG_CONFIG_HOME", ".config")

    @property
    def cache_dir(self) -> Path | None:
        """The user's cache folder for vllmctl (XDG), or ``None`` without a home."""
        return self._xdg("XDG_CACHE_HOME", ".cache")

    @property
    def state_dir(self) -> Path | None:
        """The user's folder for what vllmctl remembers (XDG), or ``None`` without a home."""
        return self._xdg("XDG_STATE_HOME", ".local/state")

    @property
    def data_dir(self) -> Path | None:
        """The user's data folder for vllmctl (XDG), or ``None`` without a home."""
        return self._xdg("XDG_DATA_HOME", ".local/share")

    def _xdg(self, variable: str, fallback: str) -> Path | None:
        base = self.variables.get(variable, "")
        if base.startswith("/"):
            return Path(base) / "vllmctl"
        home = self.variables.get("HOME", "")
        return Path(home) / fallback / "vllmctl" if _is_folder(home) else None

    @property
    def stdin_is_piped(self) -> bool:
        """Whether somebody writes into our standard input (a pipe or a file, not a terminal)."""
        try:
            return self.stdin is not None and not self.stdin.isatty()
        except ValueError:
            return False

    @property
    def is_dumb(self) -> bool:
        """Whether the terminal takes plain lines only (``TERM=dumb``)."""
        return self.variables.get("TERM") == "dumb"

    def is_terminal(self, stream: TextIO) -> bool:
        """Whether ``stream`` is a terminal that a person looks at."""
        try:
            return stream.isatty()
        except ValueError:
            return False

    def uses_color(self, stream: TextIO) -> bool:
        """Whether colour may be written to ``stream``.

        ``--color`` wins, then ``NO_COLOR``, ``FORCE_COLOR`` and ``TERM=dumb``, then
        whether the stream is a terminal.
        """
        if self.color != "auto":
            return self.color == "always"
        if self.variables.get("NO_COLOR"):
            return False
        if self.variables.get("FORCE_COLOR", "0") not in ("", "0"):
            return True
        return not self.is_dumb and self.is_terminal(stream)


def _is_folder(name: str) -> bool:
    return os.path.isdir(name)  # noqa: PTH112 - Path.is_dir raises for what may not be looked at


def _current_folder() -> Path:
    """Return the current folder; one that was removed is remembered by the shell."""
    try:
        return Path.cwd()
    except OSError:
        return Path("/", os.environ.get("PWD", ""))
