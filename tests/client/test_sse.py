"""Events come out whole, wherever the network cuts the bytes and however lines end."""

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vllmctl.client.sse import ServerEvent, SSEReader

PAIR = ["", "\n"]
lines = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)
names = st.sampled_from(["", "error", "response.created"])
events = st.lists(st.tuples(names, st.lists(lines, min_size=1, max_size=3)), max_size=6)


def read(pieces: list[bytes]) -> list[ServerEvent]:
    reader = SSEReader()
    found = [event for piece in pieces for event in reader.feed(piece)]
    return found + reader.finish()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[a:b] for a, b in pairwise(edges)]


def written(wanted: list[tuple[str, list[str]]], end: str, space: str) -> bytes:
    text = ""
    for name, data in wanted:
        text += f"event:{space}{name}{end}" if name else ""
        text += "".join(f"data:{space}{line}{end}" for line in data) + end
    return text.encode()


@given(
    wanted=events,
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    space=st.sampled_from(["", " "]),
    places=st.lists(st.integers(min_value=0), max_size=20),
    bom=st.booleans(),
)
def test_any_split_gives_the_same_events(
    wanted: list[tuple[str, list[str]]], end: str, space: str, places: list[int], bom: bool
) -> None:
    if not space:  # a space at the start of a line would be taken for the optional one
        wanted = [(name, [line.lstrip(" ") for line in data]) for name, data in wanted]
    data = b"\xef\xbb\xbf" * bom + written(wanted, end, space)
    expected = [(name, "\n".join(data).encode()) for name, data in wanted]
    assert read([data]) == expected
    assert read(cut(data, places)) == expected
    assert read(cut(data, list(range(len(data))))) == expected


@given(data=st.binary(max_size=200), places=st.lists(st.integers(min_value=0), max_size=10))
def test_any_bytes_are_read_alike_in_pieces(data: bytes, places: list[int]) -> None:
    assert read(cut(data, places)) == read([data])


@given(
    text=st.text(st.sampled_from("da:t {}\n\r"), max_size=60),
    places=st.lists(st.integers(min_value=0), max_size=10),
)
def test_the_quick_way_agrees_with_the_line_by_line_one(text: str, places: list[int]) -> None:
    data = f"data: x\n\n{text}data: y\n\n".encode()
    slow = read([b": not the quick way\n\n" + data[:1], *cut(data[1:], places)])
    assert read([data]) == slow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data:x\n\n", [("", b"x")]),
        ("data:  x\n\n", [("", b" x")]),
        ("data\n\n", [("", b"")]),
        ("data:\n\n", [("", b"")]),
        (": comment\n\ndata: x\n\n: more\n", [("", b"x")]),
        ("id: 1\n\ndata: x\n\n", [("", b"x")]),
        ("event: ping\n\ndata: x\n\n", [("", b"x")]),
        ("retry: 10\nevent: error\ndata: x\n\n", [("error", b"x")]),
        ("data: a\ndata: b\n\n", [("", b"a\nb")]),
        ("data: a\n: comment\ndata: b\n\n", [("", b"a\nb")]),
        ("unknown: y\nDATA: z\ndata: x\n\n", [("", b"x")]),
        ("data: x", [("", b"x")]),
        ("data: x\n", [("", b"x")]),
        ("\n\n\ndata: x\n\n\n\n", [("", b"x")]),
        ("data: a\n\ndata: b\ndata: c\n\ndata: d\n\n", [("", b"a"), ("", b"b\nc"), ("", b"d")]),
    ],
)
def test_follows_the_format(text: str, expected: list[ServerEvent]) -> None:
    assert read([text.encode()]) == expected


def test_an_event_is_given_as_soon_as_its_last_byte_is_there() -> None:
    reader = SSEReader()
    assert reader.feed(b"data: x\r") == []
    assert reader.feed(b"\n\r") == [("", b"x")]
    assert reader.feed(b"\n") == []
    assert reader.feed(b"data: y\r\r") == [("", b"y")]


def test_a_name_belongs_to_its_own_event_only() -> None:
    reader = SSEReader()
    assert reader.feed(b"event: error\n") == []
    assert reader.feed(b"data: a\n\ndata: b\n\n") == [("error", b"a"), ("", b"b")]


def test_a_long_line_in_small_reads_takes_linear_time() -> None:
    def seconds(length: int) -> float:
        data = b"data: " + b"x" * length + b"\n\n"
        start = process_time()
        assert len(read([data[at : at + 100] for at in range(0, len(data), 100)])[0][1]) == length
        return process_time() - start

    seconds(10_000)
    assert seconds(4_000_000) < 50 * max(seconds(400_000), 0.005)  # 100 if it were quadratic
