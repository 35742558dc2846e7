"""What was typed before, in one file for its owner alone: a line of JSON for each entry."""

import json
import os
import re
from pathlib import Path
from typing import TextIO

from vllmctl.cli.interactive.lines import unwrapped
from vllmctl.env import Environment
from vllmctl.errors import VllmctlError
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.lock import locked
from vllmctl.request.server.secret import may_hold_secret, secrets_of_url

_LONGEST_ENTRY = 20_000
_LONGEST_FILE = 1_000_000
_KEPT = 1000
"""Entries that are left when the file has grown too long."""
_HEADER = r"\s-\w*H|header"


class History:
    """The entries of all chats, the latest last. Whatever its file does, a chat goes on."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._path = env.state_dir / "history" if env.state_dir else None

    def entries(self) -> list[str]:
        """Return what was typed, the oldest first."""
        if self._path is None:
            return []
        try:
            found = _entries(self._path)
            if self._path.stat().st_size > _LONGEST_FILE:
                found = self._shortened(self._path)
        except (OSError, VllmctlError):
            return []
        return found

    def add(self, text: str) -> None:
        """Keep ``text``, unless it holds or may hold a secret."""
        if self._path is None or len(text) > _LONGEST_ENTRY or self._is_secret(text):
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self._path.parent), _opened(self._path) as file:
                file.write(_lines([text]))
        except OSError:
            pass

    def _is_secret(self, text: str) -> bool:
        command = unwrapped(text).lstrip()
        return self._env.tells_secret(text) or (command.startswith("/") and _sets_secret(command))

    def _shortened(self, path: Path) -> list[str]:
        with locked(path.parent):
            kept = _entries(path)[-_KEPT:]
            path.chmod(0o600)  # what takes its place has the same mode
            write_atomically(path, _lines(kept), self._env)
        return kept


def _opened(path: Path) -> TextIO:
    """Open the file to be added to, for its owner alone."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "w", encoding="utf-8")


def _sets_secret(command: str) -> bool:
    if may_hold_secret(command.replace("-", "_")) or re.search(_HEADER, command):
        return True
    words = command.split()
    urls = [*words, *(word.partition("=")[2] for word in words)]
    return any(any(secrets_of_url(url)) for url in urls)


def _lines(entries: list[str]) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def _entries(path: Path) -> list[str]:
    lines = path.read_text("utf-8", "replace").split("\n")
    return [entry for line in lines if line for entry in _entry(line)]


def _entry(line: str) -> list[str]:
    """Return the entry in ``line``; one that is damaged is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return [value] if isinstance(value, str) else []
