"""What was typed before, in one file for its owner alone: a line of JSON for each entry."""

import json
import os
import re
from pathlib import Path

from vllmctl.cli.interactive.lines import unwrapped
from vllmctl.env import Environment
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
        try:
            lines = self._path.read_text("utf-8", "replace").split("\n") if self._path else []
        except OSError:
            return []
        found = [entry for line in lines if line for entry in _entry(line)]
        if sum(map(len, lines)) > _LONGEST_FILE:
            found = found[-_KEPT:]
            self._shorten(found)
        return found

    def add(self, text: str) -> None:
        """Keep ``text``, unless it holds or may hold a secret."""
        if self._path is None or len(text) > _LONGEST_ENTRY or self._is_secret(text):
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._path, os.O_APPEND, [text])
        except OSError:
            pass

    def _is_secret(self, text: str) -> bool:
        command = unwrapped(text).lstrip()
        return self._env.tells_secret(text) or (command.startswith("/") and _sets_secret(command))

    def _shorten(self, entries: list[str]) -> None:
        if self._path is None:
            return
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            self._write(new, os.O_EXCL, entries)
            new.replace(self._path)
        except OSError:
            pass

    def _write(self, path: Path, how: int, entries: list[str]) -> None:
        text = "".join(json.dumps(entry) + "\n" for entry in entries)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _sets_secret(command: str) -> bool:
    if may_hold_secret(command.replace("-", "_")) or re.search(_HEADER, command):
        return True
    words = command.split()
    urls = [*words, *(word.partition("=")[2] for word in words)]
    return any(any(secrets_of_url(url)) for url in urls)


def _entry(line: str) -> list[str]:
    """Return the entry in ``line``; one that is damaged is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return [value] if isinstance(value, str) else []
