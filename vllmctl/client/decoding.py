"""Undoing the compression of an answer while it arrives."""

from collections.abc import Iterator

from vllmctl.errors import IncompleteAnswerError

_PLAIN = ("", "identity")
_PIECE = 1 << 20
_MOST_TIMES = 200
_HARMLESS = 1 << 26
"""Bytes that an answer may unpack to, however small it was."""


def decoded(reads: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Return ``reads`` without the ``Content-Encoding`` that a proxy has put on them.

    Raises ``IncompleteAnswerError`` for an encoding that was not asked for and is unknown,
    or bytes that are not what they are said to be.
    """
    kinds = [kind.strip().lower() for kind in encoding.split(",")]
    for kind in reversed([kind for kind in kinds if kind not in _PLAIN]):
        if kind not in ("gzip", "x-gzip", "deflate"):
            raise IncompleteAnswerError(
                f"the answer is encoded as {kind!r}, and plain text was asked for",
                "a proxy in between compresses it; let it leave this server alone",
            )
        reads = _inflated(reads, kind)
    return reads


def _inflated(reads: Iterator[bytes], kind: str) -> Iterator[bytes]:
    import zlib

    decoder = None
    taken = given = 0
    for read in reads:
        taken += len(read)
        goes_on = bool(read)
        while goes_on:
            try:
                decoder = decoder or zlib.decompressobj(_window(kind, read))
                data = decoder.decompress(read, _PIECE)
            except zlib.error:
                raise _damaged(kind) from None
            given += len(data)
            if given > max(_HARMLESS, taken * _MOST_TIMES):
                raise IncompleteAnswerError(
                    f"the answer unpacks to more than {_MOST_TIMES} times its size",
                    "no text does that; whoever sends it wants to fill the memory",
                )
            if data:
                yield data
            read = decoder.unconsumed_tail  # noqa: PLW2901 - what is left of it
            goes_on = bool(read) or len(data) == _PIECE  # the decoder may hold more
    if decoder and not decoder.eof:
        raise _damaged(kind)


def _window(kind: str, first: bytes) -> int:
    """Return zlib's window bits for what begins with ``first``: some deflate without a header."""
    has_header = kind != "deflate" or first[0] & 0x0F == 8
    return 15 | 32 if has_header else -15


def _damaged(kind: str) -> IncompleteAnswerError:
    return IncompleteAnswerError(f"the answer is not the {kind} data that it is said to be")
