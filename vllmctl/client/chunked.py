"""Undoing HTTP's chunked transfer coding, a whole network read at a time."""

_END = b"\r\n"
_LONGEST_LINE = 1 << 16


class Unchunker:
    """Takes what arrives and gives the content in it; ``ended`` after the last chunk.

    Trailers are of no use here and not read. Source: RFC 9112, section 7.1.
    """

    def __init__(self) -> None:
        self.ended = False
        self._left = 0  # bytes of the current chunk still to come
        self._rest = _END  # a chunk's size is taken with the line end before it

    def feed(self, data: bytes) -> bytes:
        """Return the content that ``data`` brings. Raises ``ValueError`` for broken framing."""
        if self._left >= len(data):
            self._left -= len(data)
            return data
        pieces = [data[: self._left]]
        data = self._rest + data[self._left :]
        self._left, self._rest = 0, b""
        self._by_size(self._small_ones(data, pieces), pieces)
        return b"".join(pieces)

    def _small_ones(self, data: bytes, pieces: list[bytes]) -> bytes:
        """Take all the chunks that are complete and hold no line end; return what follows.

        That is what a stream of events consists of: one split does for all.
        """
        parts = data.split(_END)
        sizes, contents = parts[1:-2:2], parts[2:-1:2]
        try:
            numbers = [int(size, 16) for size in sizes]
        except ValueError:
            return data
        if parts[0] or 0 in numbers or numbers != [len(content) for content in contents]:
            return data
        pieces += contents
        return _END.join((b"", *parts[1 + 2 * len(contents) :]))

    def _by_size(self, data: bytes, pieces: list[bytes]) -> None:
        at = 0
        while not self._left:
            end = data.find(_END, at + 2)
            if end < 0 or data[at : at + 2] != _END:
                self._rest = self._unfinished(data[at:])
                return
            size = int(data[at + 2 : end].partition(b";")[0], 16)
            if size == 0:
                self.ended = True
                return
            if size < 0:
                raise ValueError("a negative size")
            at = end + 2 + size
            pieces.append(data[end + 2 : at])
            self._left = max(at - len(data), 0)

    def _unfinished(self, rest: bytes) -> bytes:
        if not _END.startswith(rest[:2]) or len(rest) > _LONGEST_LINE:
            raise ValueError("not the line of a chunk's size")
        return rest
