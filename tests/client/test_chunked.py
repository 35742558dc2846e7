"""HTTP's chunks are undone wherever the network cuts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.test_sse import cut
from vllmctl.client.chunked import Unchunker

contents = st.lists(
    st.one_of(st.binary(min_size=1, max_size=40), st.sampled_from([b"\r\n", b"a\r\n5\r\nb", b"0"])),
    max_size=8,
)


def framed(chunks: list[bytes], extension: bytes = b"") -> bytes:
    return b"".join(b"%x%b\r\n%b\r\n" % (len(c), extension, c) for c in chunks) + b"0\r\n\r\n"


def undone(pieces: list[bytes]) -> tuple[bytes, bool]:
    chunks = Unchunker()
    content = b"".join(chunks.feed(piece) for piece in pieces if not chunks.ended)
    return content, chunks.ended


@given(
    chunks=contents,
    extension=st.sampled_from([b"", b";a=b", b" "]),
    places=st.lists(st.integers(min_value=0), max_size=20),
)
def test_any_split_gives_the_content(
    chunks: list[bytes], extension: bytes, places: list[int]
) -> None:
    data = framed(chunks, extension)
    assert undone([data]) == (b"".join(chunks), True)
    assert undone(cut(data, places)) == (b"".join(chunks), True)
    assert undone(cut(data, list(range(len(data))))) == (b"".join(chunks), True)


@given(chunks=contents, places=st.lists(st.integers(min_value=0), max_size=20))
def test_without_the_last_chunk_there_is_no_end(chunks: list[bytes], places: list[int]) -> None:
    data = framed(chunks).removesuffix(b"0\r\n\r\n")
    assert undone(cut(data, places)) == (b"".join(chunks), False)


def test_a_part_of_a_chunk_is_given_at_once() -> None:
    chunks = Unchunker()
    assert chunks.feed(b"a\r\n01234") == b"01234"
    assert chunks.feed(b"56") == b"56"
    assert chunks.feed(b"789\r\n") == b"789"


@pytest.mark.parametrize(
    "data",
    [b"zz\r\nabc\r\n", b"5\r\nhelloXX5\r\nhello\r\n", b"-5\r\n\r\n", b"1\r\nab\r\n1\r\nc\r\n"],
)
def test_broken_framing_is_told(data: bytes) -> None:
    with pytest.raises(ValueError):
        undone([data])


def test_a_line_without_an_end_is_not_kept_for_ever() -> None:
    with pytest.raises(ValueError):
        undone([b"1" * 1000] * 100)
