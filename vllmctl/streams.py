"""The standard streams, whatever became of them."""

import os
import sys
from io import TextIOWrapper
from typing import Any, TextIO, cast

_SHORTEST_SECRET = 6
"""Shorter texts are no secret, and turn up in words."""


def open_missing() -> None:
    """Put something in the place of standard streams that are closed (``>&-``).

    So no file or connection of ours takes their numbers. Writing to standard output then
    fails as it should; what goes to standard error is lost.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    if sys.stdout is None:
        sys.stdout = _opened(1)
    if sys.stderr is None:
        sys.stderr = _opened(2)


def forgiving(stream: TextIO) -> TextIO:
    """Return ``stream`` so that a character that its encoding lacks is shown as ``\\uXXXX``."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return stream


def discreet(stream: TextIO) -> TextIO:
    """Return ``stream`` without the secrets in ``Discreet.hide``, and without faults."""
    return cast(TextIO, Discreet(stream))


def _opened(number: int) -> TextIO:
    return open(number, "w", encoding="utf-8", closefd=False)


class Discreet:
    """A stream for words to people, that fails nobody.

    A secret is shown by its first and last letters, whoever echoes it. Where nobody reads (a
    pipe that was closed, a full disk), words are lost and the program goes on.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._secrets: dict[str, str] = {}

    def hide(self, secret: str, instead: str) -> None:
        """Show ``instead`` wherever ``secret`` would be written from now on."""
        if len(secret) >= _SHORTEST_SECRET:
            self._secrets[secret] = instead

    def tells_secret(self, text: str) -> bool:
        """Whether there is a secret in ``text``."""
        return any(secret in text for secret in self._secrets)

    def write(self, text: str) -> int:
        """Write ``text``, secrets hidden."""
        for secret, instead in self._secrets.items():
            text = text.replace(secret, instead)
        try:
            return self._stream.write(text)
        except (OSError, ValueError):
            return len(text)

    def flush(self) -> None:
        """Flush, as far as that can be done."""
        try:
            self._stream.flush()
        except (OSError, ValueError):
            pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
