"""Tokens as a reader meets them: parts of one character joined, each with what it looks like."""

import math
from collections.abc import Iterable

from vllmctl.record import Record
from vllmctl.render.logprobs.tokens import Token
from vllmctl.render.style import harmless

EMPTY = "∅"
UNNAMED = "…"
_MOST_BYTES = 4


class Unit(Record):
    """One token, or the tokens that make one character, with their joint log-probability."""

    text: str
    logprob: float | None

    @property
    def probability(self) -> float | None:
        """Between 0 and 1, or ``None``."""
        return None if self.logprob is None else math.exp(min(self.logprob, 0.0))


def units(tokens: Iterable[Token]) -> list[Unit]:
    """Join tokens that are parts of one character.

    A server gives a part as bytes that are no text by themselves, or as nothing, with all the
    bytes in the token that ends the character.
    """
    joined: list[Unit] = []
    parts: list[Token] = []
    for token in tokens:
        parts.append(token)
        if _may_go_on(parts):
            continue
        joined += _closed(parts)
        parts = []
    return joined + _closed(parts)


def label(token: Token) -> str:
    """Return a token in quotes, as its bytes where they are no text, or as its id."""
    if token.text is None:
        return UNNAMED if token.id is None else f"#{token.id}"
    if token.data and _decoded(token.data) is None:
        return f"<{token.data.hex(' ')}>"
    return quoted(token.text) if token.text else EMPTY


def quoted(text: str) -> str:
    """Return ``text`` in quotes, with blanks and control characters made visible."""
    shown = text.replace("\\", "\\\\").replace('"', '\\"')
    for char, escape in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        shown = shown.replace(char, escape)
    return f'"{harmless(shown)}"'


def _may_go_on(parts: list[Token]) -> bool:
    """Whether the next token may end the character that ``parts`` begin."""
    last = parts[-1]
    if last.text == "" and not last.data:
        return len(parts) < _MOST_BYTES
    data = b"".join(part.data or b"" for part in parts)
    return last.text is not None and _is_begun(data)


def _is_begun(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as fault:
        return fault.end == len(data) and "unexpected end" in fault.reason
    return False


def _closed(parts: list[Token]) -> list[Unit]:
    """Make one unit of ``parts`` if they are one character, else one of each."""
    data = b"".join(part.data or b"" for part in parts)
    text = _decoded(data)
    if len(parts) > 1 and text and not text[0].isascii():
        return [Unit(harmless(text), _sum([part.logprob for part in parts]))]
    return [Unit(_shown(part), part.logprob) for part in parts]


def _shown(token: Token) -> str:
    """Return a token as a piece of running text."""
    if not token.text or (token.data and _decoded(token.data) is None):
        return label(token)
    return harmless(token.text)


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _sum(logprobs: list[float | None]) -> float | None:
    known = [logprob for logprob in logprobs if logprob is not None]
    return sum(known) if len(known) == len(logprobs) else None
