"""Faults in how bytes travel: late, cut, split, mislabelled."""

import gzip
import zlib
from collections.abc import Iterable, Iterator

from vllmctl.mock.wire import Cut, Piece, Response, Wait

_STALLS_AFTER = 4


def slow_first_byte(response: Response, value: str) -> Response:
    """Nothing is sent for a while."""
    response.delay += float(value)
    return response


def slow_headers(response: Response, value: str) -> Response:
    """A pause after each byte of the head."""
    response.slow_headers = float(value)
    return response


def stall(response: Response, value: str) -> Response:
    """A pause in the middle: after some events, or half of a whole answer."""
    response.body = _with_stall(response.body, Wait(float(value)))
    return response


def _with_stall(body: Iterable[Piece], wait: Wait) -> Iterator[Piece]:
    sent = 0
    held: bytes | None = None
    for piece in body:
        if not isinstance(piece, bytes):
            yield piece
            continue
        if held is not None:
            yield held
            sent += 1
            if sent == _STALLS_AFTER:
                yield wait
        held = piece
    if held is not None:
        if sent < _STALLS_AFTER:
            middle = len(held) // 2
            yield from (held[:middle], wait, held[middle:])
        else:
            yield held


def cut_fin(response: Response, value: str) -> Response:
    """The connection is closed after so many bytes of the body."""
    response.body = _with_cut(response.body, int(float(value)), Cut())
    return response


def cut_rst(response: Response, value: str) -> Response:
    """The connection is reset after so many bytes of the body."""
    response.body = _with_cut(response.body, int(float(value)), Cut(hard=True))
    return response


def _with_cut(body: Iterable[Piece], left: int, cut: Cut) -> Iterator[Piece]:
    """Cut after ``left`` bytes, and before the last byte of a shorter body."""
    held: bytes | None = None
    for piece in body:
        if not isinstance(piece, bytes):
            yield piece
            continue
        if held is not None:
            yield held
        if len(piece) >= left:
            yield piece[:left]
            yield cut
            return
        left -= len(piece)
        held = piece
    if held is not None:
        yield held[:-1]
    yield cut


def split_bytes(response: Response, _value: str) -> Response:
    """Every byte on its own."""
    response.one_by_one = True
    return response


def coalesced(response: Response, _value: str) -> Response:
    """All in one write."""
    response.body = _in_one(response.body)
    return response


def _in_one(body: Iterable[Piece]) -> Iterator[Piece]:
    yield b"".join(piece for piece in body if isinstance(piece, bytes))


def close_idle(response: Response, value: str) -> Response:
    """The connection ends unannounced once it is idle."""
    response.closes = float(value)
    return response


def gzipped(response: Response, _value: str) -> Response:
    """Compressed, event by event."""
    response.headers["content-encoding"] = "gzip"
    if response.length is None:
        response.body = _deflated(response.body)
        return response
    data = gzip.compress(b"".join(_in_one(response.body)))  # type: ignore[arg-type]
    response.body, response.length = [data], len(data)
    return response


def _deflated(body: Iterable[Piece]) -> Iterator[Piece]:
    packer = zlib.compressobj(wbits=31)
    for piece in body:
        if isinstance(piece, bytes):
            yield packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)
        else:
            yield piece
    yield packer.flush()


def wrong_type(response: Response, _value: str) -> Response:
    """A stream called JSON, JSON called text."""
    streams = response.length is None
    response.headers["content-type"] = "application/json" if streams else "text/plain"
    return response


def wrong_length(response: Response, value: str) -> Response:
    """A declared length that is not the body's."""
    data = b"".join(piece for piece in response.body if isinstance(piece, bytes))
    response.length = max(0, len(data) + int(float(value)))
    response.body = [data, Cut()]
    return response
