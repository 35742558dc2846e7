"""Conversations that are kept: one file of JSON lines each, one message a line.

The files hold messages and nothing else, so nothing secret unless somebody said it; their
folder is for its owner alone. An answer that was stopped half way has a mark (``CUT``) there,
which is not sent.
"""

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

from vllmctl.env import Environment
from vllmctl.errors import ConfigError, UsageError
from vllmctl.record import Record, field
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.file_paths import is_there, shown
from vllmctl.request.lock import locked
from vllmctl.request.origin import Layer, Origin

_NAME = re.compile(r"\w[\w.-]{0,99}")
_NUMBER = re.compile(r"-[2-9]\Z")
_SUFFIX = ".jsonl"
CUT = "cut"
"""The key that marks an answer which was not received to its end."""


class Session(Record):
    """A conversation: its name, its file and the messages so far (none when it is new).

    Without a path it is kept nowhere. ``kept`` is what the file held when it was last read or
    written.
    """

    name: str = ""
    path: Path | None = None
    messages: list[Any] = field(factory=list)
    kept: bytes = b""

    @property
    def layer(self) -> Layer:
        """The messages as values of a request."""
        origin = Origin("session", f"session {self.name}" if self.name else "the conversation")
        return Layer({"messages": sendable(self.messages)}, {"messages": origin})

    def take(self, messages: list[Any]) -> None:
        """Have ``messages`` in the place of those so far; what was marked as cut stays so."""
        cut = sendable([message for message in self.messages if is_cut(message)])
        self.messages = [
            {**message, CUT: True} if message in cut else message for message in messages
        ]

    def keep(self, env: Environment) -> bool:
        """Write the messages to the file; return whether that is still the one it was.

        What somebody else has kept there meanwhile stays, and this goes on under a new name.
        """
        if self.path is None:
            return True
        content = self._content()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.path.parent):
                is_own = _bytes(self.path) in (b"", self.kept)
                if not is_own:
                    self.path = _free(self.path)
                    self.name = self.path.name.removesuffix(_SUFFIX)
                write_atomically(self.path, content, env)
        except OSError as fault:
            folder = shown(self.path.parent, env)
            raise ConfigError(f"cannot keep anything in {folder}: {fault.strerror}") from None
        self.kept = content.encode()
        return is_own

    def _content(self) -> str:
        lines = [json.dumps(message, ensure_ascii=False) + "\n" for message in self.messages]
        return "".join(lines).encode("utf-8", "backslashreplace").decode()


def is_cut(message: Any) -> bool:
    """Whether ``message`` is an answer that was not received to its end."""
    return isinstance(message, dict) and CUT in message


def sendable(messages: list[Any]) -> list[Any]:
    """Return ``messages`` without marks."""
    return [
        {key: value for key, value in one.items() if key != CUT} if is_cut(one) else one
        for one in messages
    ]


def session_named(name: str, env: Environment) -> Session:
    """Return the session ``name``, which need not be there yet.

    Raises ``UsageError`` for what cannot be a name, ``ConfigError`` for a broken file.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"--session: {name!r} is no name for a session",
            "take letters, digits, hyphens and points: --session holiday-2",
        )
    return _session(_folder(env) / (name + _SUFFIX), env)


def last_session(env: Environment) -> Session:
    """Return the session that was kept last. Raises ``UsageError`` if there is none."""
    kept = _kept(env)
    if not kept:
        raise UsageError("there is no session to go on with", "--session NAME starts one")
    return _session(kept[0], env)


def session_names(env: Environment) -> list[str]:
    """Return the names of the sessions that are kept, the last one first."""
    return [path.name.removesuffix(_SUFFIX) for path in _kept(env)] if env.data_dir else []


def _kept(env: Environment) -> list[Path]:
    kept = [(path.stat().st_mtime_ns, path) for path in _folder(env).glob(f"*{_SUFFIX}")]
    return [path for _, path in sorted(kept, reverse=True)]


def _folder(env: Environment) -> Path:
    if env.data_dir is None:
        raise UsageError("sessions are kept at home, and HOME is not set, or no folder")
    return env.data_dir / "sessions"


def _session(path: Path, env: Environment) -> Session:
    try:
        content = _bytes(path)
        lines = content.decode().split("\n")
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"cannot read {shown(path, env)}: {reason}") from None
    place = shown(path, env)
    messages = [_message(line, f"{place}:{n}") for n, line in enumerate(lines, 1) if line.strip()]
    return Session(path.name.removesuffix(_SUFFIX), path, messages, content)


def _bytes(path: Path) -> bytes:
    """Return what is in the file, which need not be there."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _free(path: Path) -> Path:
    """Return the next path like ``path`` that nothing is kept in."""
    name = _NUMBER.sub("", path.name.removesuffix(_SUFFIX))
    paths = (path.with_name(f"{name}-{number}{_SUFFIX}") for number in count(2))
    return next(other for other in paths if not is_there(other))


def _message(line: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ConfigError(f"{place}: expected a message as a JSON object, got {line[:40]!r}")
    return value
