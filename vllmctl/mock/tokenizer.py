"""Text to token ids and back: greedy over a fixed vocabulary, and reversible."""

import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Sequence
from functools import cache

from vllmctl.mock.pieces import FIRST_BYTE, SPECIALS, vocabulary

_LONGEST = 16
_SPECIAL = re.compile(f"({'|'.join(map(re.escape, SPECIALS))})")


def encode(text: str) -> list[int]:
    """Return the token ids of ``text``; special pieces in it count as such."""
    ids: list[int] = []
    for part in _SPECIAL.split(text):
        if part in SPECIALS:
            ids.append(SPECIALS.index(part))
        else:
            ids.extend(_greedy(part.encode("utf-8", "surrogatepass")))
    return ids


def piece(token: int) -> bytes:
    """Return the bytes of one token; none for an id that stands for nothing."""
    pieces = vocabulary()
    return pieces[token] if 0 <= token < len(pieces) else b""


def decode(ids: Iterable[int]) -> str:
    """Return the text of ``ids``; broken characters become U+FFFD."""
    return b"".join(map(piece, ids)).decode("utf-8", "replace")


def decode_steps(ids: Iterable[int]) -> list[str]:
    """Return the text that each token adds: a split character comes with its last token."""
    decoder = TextDecoder()
    return [decoder.feed(token) for token in ids]


class TextDecoder:
    """Turns tokens into text one by one."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def feed(self, token: int) -> str:
        """Return the text that is whole now."""
        return self._decoder.decode(piece(token))


def token_strings(ids: Sequence[int]) -> list[str]:
    """Return the tokens as byte-level vocabularies spell them: a space is ``Ġ``."""
    signs = _byte_signs()
    return ["".join(signs[byte] for byte in piece(token)) for token in ids]


def _greedy(data: bytes) -> Iterable[int]:
    known = _ids()
    at = 0
    while at < len(data):
        for end in range(min(len(data), at + _LONGEST), at, -1):
            token = known.get(data[at:end])
            if token is not None:
                yield token
                at = end
                break


@cache
def _ids() -> dict[bytes, int]:
    return {piece: token for token, piece in enumerate(vocabulary()) if token >= FIRST_BYTE}


@cache
def _byte_signs() -> tuple[str, ...]:
    """A printable sign for each byte: itself where it has one, else one from U+0100 on."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    spare = iter(range(256, 512))
    return tuple(chr(byte if byte in printable else next(spare)) for byte in range(256))
