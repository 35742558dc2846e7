"""Inputs out of seeds: cut, doubled, spliced, with words in odd places."""

from collections.abc import Sequence
from random import Random

ODD = (
    b"\x00",
    b"\xff",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",  # half of a surrogate pair as bytes
    b"\\ud800",
    b"\x1b]0;t\x07",
    b"\x1b[2J",
    b"\xc2\x9b",  # CSI in one character
    "\u202e".encode(),
    b"\r\n",
    b"\n\n",
    b"\t",
    b'"',
    b"'",
    b"\\",
    b"[" * 200,
    b'{"a":' * 200,
    b"9" * 5000,
    b"1e999",
    b"-0",
    b"NaN",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b'""',
    b" " * 300,
    b"a" * 3000,
)
"""What breaks readers."""

_MOST_BYTES = 1 << 16


class Mutator:
    """Makes inputs; the same ``seed`` makes the same ones."""

    def __init__(self, seeds: Sequence[bytes], words: Sequence[bytes], seed: int) -> None:
        self._random = Random(seed)
        self._seeds = [*seeds, b""]
        self._words = [*words, *ODD]

    def next(self) -> bytes:
        """Return one more input."""
        data = self._random.choice(self._seeds)
        for _ in range(self._random.choice((0, 1, 1, 2, 3, 5, 8))):
            data = self._changed(data)[:_MOST_BYTES]
        return data[:_MOST_BYTES]

    def _changed(self, data: bytes) -> bytes:
        one, other = sorted(self._random.randrange(len(data) + 1) for _ in range(2))
        match self._random.randrange(8):
            case 0:
                return data[:one] + data[other:]
            case 1:
                return data[:other] + data[one:other] * self._random.choice((1, 2, 50)) + data[one:]
            case 2:
                return data[:one] + self._random.choice(self._seeds) + data[one:]
            case 3:
                return data[:one] + bytes([self._random.randrange(256)]) + data[one + 1 :]
            case 4:
                return data[:one] + self._random.randbytes(self._random.randrange(9)) + data[one:]
            case 5:
                return data[:one] + self._random.choice(self._words) + data[other:]
            case _:
                return data[:one] + self._random.choice(self._words) + data[one:]
