"""Reading what a value points to: ``@file``, ``@-`` and piped standard input."""

import re
import select
import stat
from os import fstat
from pathlib import Path
from typing import BinaryIO

from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.request.file_paths import expanded
from vllmctl.texts import cut

MOST_BYTES = 256_000_000
"""Most that is read of what is no regular file: a pipe, a device."""

_PATIENCE_SECONDS = 2.0
_STDIN = "standard input"
_HEAD, _LEAST_MEDIA = 4096, 8


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
        if not text.startswith("@"):
            _require_utf8(text, owner)
            return text[1:] if text.startswith("\\@") else text
        if text == "@":
            raise UsageError(f"{owner}: @ wants a file name", "a literal @ is written \\@")
        return self.read(text[1:], owner, "a text that starts with @ is written \\@ in front")

    def read(self, name: str, owner: str, hint: str = "") -> str:
        """Return the text of the file ``name``, or of standard input for ``-``."""
        raw = self.raw(name, owner, hint)
        return decode(raw, _STDIN if name == "-" else name)

    def raw(self, name: str, owner: str, hint: str = "") -> bytes:
        """Return the bytes of the file ``name``, or of standard input for ``-``."""
        if name == "-":
            return self._raw_stdin(owner)
        if not name:
            raise UsageError(f"{owner}: the name of the file is empty")
        try:
            with expanded(name, self.base, self.env).open("rb") as stream:
                return bounded(stream, f"{owner}: {name}")
        except IsADirectoryError:
            raise UsageError(f"{owner}: {name} is a folder, not a file") from None
        except OSError as fault:
            reason = fault.strerror or fault
            raise UsageError(f"{owner}: cannot read {cut(name, 200)}: {reason}", hint) from None

    def leave_stdin(self, owner: str) -> None:
        """Leave standard input to ``owner``, who reads it by itself."""
        self._stdin_taken_by = owner

    @property
    def stdin_is_free(self) -> bool:
        """Whether nobody has taken standard input yet."""
        return not self._stdin_taken_by

    def stdin(self, owner: str) -> str:
        """Return all of standard input; say on a terminal that it is being waited for."""
        return decode(self._raw_stdin(owner), _STDIN)

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
            return bounded(self.env.stdin, f"{owner}: standard input")
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


def bounded(stream: BinaryIO, name: str) -> bytes:
    """Return all of ``stream``; what is no regular file may have no end, and is not read on.

    Raises ``UsageError``, which names ``name``, after ``MOST_BYTES``.
    """
    if _is_regular(stream):
        return stream.read()
    raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        most = f"{MOST_BYTES // 1_000_000} MB"
        raise UsageError(f"{name} does not end after {most}", "a regular file may be longer")
    return raw


def _is_regular(stream: BinaryIO) -> bool:
    try:
        return stat.S_ISREG(fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # no file at all, but bytes in memory
        return False


def _require_utf8(text: str, owner: str) -> None:
    """Raise ``UsageError`` for an argument whose bytes are no UTF-8, as the shell passed it."""
    bad = None if text.isascii() else re.search("[\udc80-\udcff]", text)
    if bad:
        before = text[: bad.start()].encode(errors="surrogatepass")
        raise _not_utf8(owner, before.count(b"\n") + 1, len(before))


def _not_utf8(name: str, line: int, place: int) -> UsageError:
    return UsageError(
        f"{name} is not UTF-8 text (line {line}, byte {place})",
        "convert it first, for example with iconv -t UTF-8",
    )


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
        raise _media(raw, name) or _not_utf8(name, line, fault.start) from None


def _media(raw: bytes, name: str) -> UsageError | None:
    """Return the fault of an image, a sound or a video that stands where a text should.

    Some are told by two bytes alone, with which a text in another encoding may begin, too.
    """
    from vllmctl.request.media_types import sniff

    mime, kinds = sniff(raw, name)
    if not kinds or len(raw) < _LEAST_MEDIA or b"\0" not in raw[:_HEAD]:
        return None
    place = "-" if name == _STDIN else name
    way = f"`vllmctl chat --{kinds[0]} {place}` gives it to the model"
    return UsageError(f"{name} is {mime}, not text", way)
