"""Reading what a value points to: ``@file``, ``@-`` and piped standard input."""

import select
import stat
from os import fstat
from pathlib import Path

from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.request.file_paths import expanded

_PATIENCE_SECONDS = 2.0


class Sources:
    """Files and standard input, each read at most once.

    ``base`` is the folder that relative names start from. Standard input belongs to the
    first who asks for it; a second asker gets an error that names the first.
    """

    def __init__(self, env: Environment, base: Path | None = None) -> None:
        self.env = env
        self.base = base or env.cwd
        self._stdin_taken_by = ""

    def resolve(self, text: str, owner: str) -> str:
        """Return ``text``, or the content of the file it names with a leading ``@``.

        ``\\@`` at the start is a literal ``@``. ``owner`` (a flag) is named in errors.
        """
        if text.startswith("\\@"):
            return text[1:]
        if not text.startswith("@"):
            return text
        return self.read(text[1:], owner)

    def read(self, name: str, owner: str) -> str:
        """Return the text of the file ``name``, or of standard input for ``-``."""
        hint = "a text that starts with @ is written \\@ in front"
        raw = self.raw(name, owner, hint)
        return decode(raw, "standard input" if name == "-" else name)

    def raw(self, name: str, owner: str, hint: str = "") -> bytes:
        """Return the bytes of the file ``name``, or of standard input for ``-``."""
        if name == "-":
            return self._raw_stdin(owner)
        if not name:
            raise UsageError(f"{owner}: @ wants a file name", "a literal @ is written \\@")
        try:
            return expanded(name, self.base, self.env).read_bytes()
        except OSError as fault:
            reason = fault.strerror or fault
            raise UsageError(f"{owner}: cannot read {name}: {reason}", hint) from None

    def leave_stdin(self, owner: str) -> None:
        """Leave standard input to ``owner``, who reads it by itself."""
        self._stdin_taken_by = owner

    @property
    def stdin_is_free(self) -> bool:
        """Whether nobody has taken standard input yet."""
        return not self._stdin_taken_by

    def stdin(self, owner: str) -> str:
        """Return all of standard input; say on a terminal that it is being waited for."""
        return decode(self._raw_stdin(owner), "standard input")

    def piped(self, owner: str) -> str:
        """Return what is piped in; empty for a terminal, a closed input and ``/dev/null``."""
        if not self.stdin_is_free or self.env.stdin is None or not self.env.stdin_is_piped:
            return ""
        if self._stdin_is_device():
            return ""
        return self.stdin(owner)

    def _raw_stdin(self, owner: str) -> bytes:
        if self._stdin_taken_by:
            raise UsageError(f"{owner} and {self._stdin_taken_by} both want standard input")
        self._stdin_taken_by = owner
        if self.env.stdin is None:
            raise UsageError(f"{owner}: there is no standard input")
        self._say_when_waiting()
        try:
            return self.env.stdin.read()
        except (OSError, ValueError) as fault:
            raise UsageError(f"{owner}: cannot read standard input: {fault}") from None

    def _stdin_is_device(self) -> bool:
        try:
            mode = fstat(self.env.stdin.fileno()).st_mode if self.env.stdin else 0
        except (OSError, ValueError):
            return False
        return stat.S_ISCHR(mode)

    def _say_when_waiting(self) -> None:
        stream = self.env.stdin
        if stream is None:
            return
        try:
            ready, _, _ = select.select([stream], [], [], _PATIENCE_SECONDS)
        except (OSError, ValueError):
            return
        if not ready:
            ending = "" if self.env.stdin_is_piped else " (Ctrl-D ends it)"
            self.env.stderr.write(f"reading standard input{ending} …\n")
            self.env.stderr.flush()


def decode(raw: bytes, name: str) -> str:
    """Return ``raw`` as text: UTF-8 with or without a mark, or UTF-16 with one.

    Line ends are kept as they are. Raises ``UsageError`` that names ``name`` and the place
    of the first bad byte.
    """
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise UsageError(
            f"{name} is not UTF-8 text (line {line}, byte {fault.start})",
            "convert it first, for example with iconv -t UTF-8",
        ) from None
