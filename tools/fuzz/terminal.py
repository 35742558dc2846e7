"""A terminal that nobody looks at, and what may not reach one."""

import io
import re
from collections.abc import Mapping
from pathlib import Path

from vllmctl.env import Environment

_OURS = re.compile(r"\x1b\[[0-9;]*[mABCDGHJK]|\r\n?")
_HARM = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Terminal(io.TextIOWrapper):
    """A stream that says that it is a terminal, and keeps what is written."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")

    def isatty(self) -> bool:
        """Yes."""
        return True

    @property
    def text(self) -> str:
        """What was written."""
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


def on_terminal(folder: Path, variables: Mapping[str, str] | None = None) -> Environment:
    """Return an environment whose output goes to terminals."""
    return Environment(None, Terminal(), Terminal(), variables or {}, folder)


def written(env: Environment) -> str:
    """Return what went to both terminals of ``env``."""
    streams = (env.stdout, env.stderr)
    return "".join(stream.text for stream in streams if isinstance(stream, Terminal))


def check_harmless(text: str) -> None:
    """Raise ``AssertionError`` when ``text`` can do more to a terminal than we mean to."""
    found = _HARM.search(_OURS.sub("", text))
    assert found is None, f"{found[0]!r} reaches the terminal"
