"""Conversations that are kept: one file of JSON lines each, one message a line.

The files hold messages and nothing else, so nothing secret unless somebody said it; their
folder is for its owner alone.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vllmctl.env import Environment
from vllmctl.errors import ConfigError, UsageError
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.file_paths import shown
from vllmctl.request.origin import Layer, Origin

_NAME = re.compile(r"\w[\w.-]{0,99}")
_SUFFIX = ".jsonl"


@dataclass(slots=True)
class Session:
    """A conversation: its name, its file and the messages so far (none when it is new)."""

    name: str
    path: Path
    messages: list[Any]

    @property
    def layer(self) -> Layer:
        """The messages as values of a request."""
        return Layer(
            {"messages": self.messages}, {"messages": Origin("profile", f"session {self.name}")}
        )

    def keep(self, messages: list[Any], env: Environment) -> None:
        """Write ``messages`` in the place of those in the file."""
        lines = [json.dumps(message, ensure_ascii=False) + "\n" for message in messages]
        text = "".join(lines).encode("utf-8", "backslashreplace").decode()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as fault:
            folder = shown(self.path.parent, env)
            raise ConfigError(f"cannot make {folder}: {fault.strerror}") from None
        write_atomically(self.path, text, env)


def session_named(name: str, env: Environment) -> Session:
    """Return the session ``name``, which need not be there yet.

    Raises ``UsageError`` for what cannot be a name, ``ConfigError`` for a broken file.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"--session: {name!r} is no name for a session",
            "take letters, digits, hyphens and points: --session holiday-2",
        )
    path = _folder(env) / (name + _SUFFIX)
    return Session(name, path, _read(path, env))


def last_session(env: Environment) -> Session:
    """Return the session that was kept last. Raises ``UsageError`` if there is none."""
    kept = [(path.stat().st_mtime_ns, path) for path in _folder(env).glob(f"*{_SUFFIX}")]
    if not kept:
        raise UsageError("there is no session to go on with", "--session NAME starts one")
    path = max(kept)[1]
    return Session(path.stem, path, _read(path, env))


def _folder(env: Environment) -> Path:
    if env.data_dir is None:
        raise UsageError("sessions are kept at home, and HOME is not set")
    return env.data_dir / "sessions"


def _read(path: Path, env: Environment) -> list[Any]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"cannot read {shown(path, env)}: {reason}") from None
    return [_message(line, f"{shown(path, env)}:{n}") for n, line in enumerate(lines, 1) if line]


def _message(line: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ConfigError(f"{place}: expected a message as a JSON object, got {line[:40]!r}")
    return value
