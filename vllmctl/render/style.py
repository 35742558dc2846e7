"""Colour and dim text for one stream, and text that cannot harm a terminal."""

import re
from typing import TextIO

from vllmctl.env import Environment

_CODES = {
    "error": "31;1",
    "ignored": "33;1",
    "warning": "33",
    "note": "36",
    "dim": "2",
    "bold": "1",
}
_HARMFUL = (
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]|\r(?!\n)"
)


class Style:
    """Paints text for ``stream``, or leaves it plain where colour is not wanted."""

    def __init__(self, stream: TextIO, env: Environment) -> None:
        self.colored = env.uses_color(stream)

    def paint(self, text: str, name: str) -> str:
        """Return ``text`` in the style ``name`` (a finding's level, ``dim`` or ``bold``)."""
        return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if self.colored and text else text


def harmless(text: str) -> str:
    """Return ``text`` with control characters and those that turn its direction made visible.

    Newlines and tabs stay. A model, a server or a file must not move the cursor, set a window
    title or write the clipboard.
    """
    return re.sub(_HARMFUL, _visible, text) if re.search(_HARMFUL, text) else text


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else f"\\u{code:04x}"
