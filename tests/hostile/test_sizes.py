"""Very large and very deep things: bounded memory, bounded time, and a word about it."""

import json
import resource
import socket
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.client.servers import serving, stream_head
from tests.hostile.processes import finished

MIB = 1 << 20
PIECE = b'data: {"choices": [{"index": 0, "delta": {"content": "%b"}}]}\n\n'
END = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
GZIP = stream_head("Content-Encoding: gzip")


def memory(mebibytes: int) -> Callable[[], None]:
    """Let a process have so much memory, its own libraries included."""
    limit = mebibytes * MIB
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def chat(script, mebibytes: int, *arguments: str):
    with serving(script) as served:
        base = ("chat", "hi", "-m", "m", "--target", "vllm", "--no-check", "--base-url", served.url)
        return finished(*base, *arguments, preexec_fn=memory(mebibytes))


def sent(*parts: bytes) -> Callable[[socket.socket], None]:
    def send(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)

    return send


def packed(parts: Iterator[bytes]) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*map(packer.compress, parts), packer.flush()])


def test_an_answer_of_a_hundred_megabytes_streams_through():
    many = sent(*[PIECE % (b"word " * 20_000)] * 1000, END)
    done = chat([stream_head(), many], 500)
    assert (done.code, len(done.out), done.err) == (0, 100_000_000, "")


def test_one_line_of_a_hundred_megabytes_is_no_trouble():
    text = [b"x" * MIB] * 100
    done = chat([stream_head(), sent(PIECE[:-10] + b"", *[]), sent(END)], 500)
    assert done.code == 7  # a line that is broken off is told
    line = sent(b'data: {"choices": [{"index": 0, "delta": {"content": "', *text, b'"}}]}\n\n', END)
    done = chat([stream_head(), line], 900)
    assert (done.code, len(done.out)) == (0, 100 * MIB)


@pytest.mark.parametrize(
    "filling",
    [b"\n" * MIB, b"\r" * MIB, b": x\n\n" * (MIB // 5), b"data: \n\n" * (MIB // 8)],
    ids=["newlines", "returns", "comments", "empty events"],
)
def test_megabytes_of_nothing_cost_no_memory(filling):
    done = chat([stream_head(), sent(*[filling] * 16, PIECE % b"a", END)], 200)
    assert (done.code, done.out, done.err) == (0, "a", "")


def test_millions_of_damaged_events_cost_no_memory():
    filling = b"data: {x\n\n" * (MIB // 10)
    done = chat([stream_head(), sent(*[filling] * 4, PIECE % b"a", END)], 200)
    assert (done.code, done.out) == (7, "a")
    assert f"{4 * (MIB // 10)} of the stream's events cannot be read" in done.err


def test_thousands_of_choices_make_a_few_remarks():
    event = b'data: {"choices": [{"index": %d, "delta": {"content": "w"}}]}\n\n'
    done = chat([stream_head(), sent(*(event % index for index in range(5000)), END)], 300)
    assert done.code == 0
    assert len(done.err.splitlines()) < 50


@pytest.mark.parametrize(
    "filling", [b" " * MIB, b"x" * MIB, b"\n" * MIB], ids=["spaces", "letters", "newlines"]
)
def test_an_answer_that_unpacks_to_too_much_is_refused(filling):
    start = b'data: {"choices": [{"index": 0, "delta": {"content": "'
    bomb = packed(iter([start if filling[:1] == b"x" else b"", *[filling] * 100]))
    done = chat([GZIP, sent(bomb)], 400)
    assert done.code == 7
    assert "unpacks to more than 200 times its size" in done.err


def test_a_plain_answer_may_be_packed_well():
    done = chat([GZIP, sent(packed(iter([PIECE % (b"word " * 2_000_000), END])))], 400)
    assert (done.code, len(done.out)) == (0, 10_000_000)


@pytest.mark.parametrize(
    "body", [b"[" * MIB, b'{"a":' * MIB, b'{"choices":[' + b"[" * MIB], ids=range(3)
)
def test_an_answer_that_nests_without_end_is_told(body):
    head = b"HTTP/1.1 %b\r\nContent-Type: application/json\r\n\r\n"
    done = chat([head % b"200 OK", sent(body)], 300)
    assert done.code == 7
    assert "not JSON" in done.err
    done = chat([stream_head(), sent(b"data: " + body + b"\n\n", PIECE % b"a", END)], 300)
    assert (done.code, done.out) == (7, "a")
    done = chat([head % b"400 Bad Request", sent(body)], 300)
    assert done.code == 4
    assert len(done.err) < 5000


@pytest.mark.parametrize(
    "start", [b"X: y\r\n", b"y", b"HTTP/1.1 100 Continue\r\n\r\n"], ids=["lines", "line", "interim"]
)
def test_a_head_without_end_is_refused(start):
    head = b"" if start.startswith(b"HTTP") else b"HTTP/1.1 200 OK\r\nA: "
    done = chat([sent(head, *[start * (MIB // len(start))] * 4)], 200)
    assert done.code == 3


@pytest.mark.parametrize(
    "text",
    [
        b"<title>" * MIB, b"<script>" * MIB, b"<" * MIB, b" " * 8 * MIB, b"<h1" * MIB,
        b'{"error": {"message": "' + b" " * 4 * MIB + b'x"}}',
        b'{"error": {"message": "' + b"(parameter=" * (MIB // 2) + b'", "param": "a"}}',
        b'{"error": {"message": "' + b"{'type': 'loc': (" * (MIB // 2) + b'"}}',
        b'{"error": {"message": "' + b"{\\\"error\\\":" * (MIB // 2) + b'"}}',
        b'{"error": {"message": "2 validation errors: ' + b"\\n  x [type=" * (MIB // 2) + b'"}}',
        b'{"error": "x", "param": "' + b"a." * MIB + b'"}',
        b'{"detail": [' + b'{"msg": "x", "loc": ["body", "a"]},' * (MIB // 8) + b"{}]}",
    ],
    ids=range(12),
)  # fmt: skip
def test_an_error_of_megabytes_is_told_at_once(text):
    html = [b"HTTP/1.1 502 x\r\nContent-Type: text/html\r\n\r\n", sent(text)]
    done = chat(html, 700)
    assert done.code == 5
    assert len(done.err) < 10_000


def test_a_body_of_a_hundred_megabytes_goes_through(tmp_path):
    path = tmp_path / "body.json"
    path.write_text(json.dumps({"model": "m", "prompt": "x" * 100 * MIB}))
    done = finished("complete", "-d", f"@{path}", "-n", preexec_fn=memory(900))
    assert done.code == 0
    assert len(done.out) > 100 * MIB
    done = finished("lint", str(path), preexec_fn=memory(900))
    assert (done.code, done.out) == (0, "")


@pytest.mark.parametrize(
    "content", ["[" * MIB + "]" * MIB, '{"a":' * MIB + "1" + "}" * MIB], ids=["lists", "objects"]
)
def test_a_file_that_nests_without_end_is_told(tmp_path, content):
    path = tmp_path / "deep.json"
    path.write_text(content)
    for arguments in (
        ("chat", "-d", f"@{path}", "-n"),
        ("chat", "hi", "--schema", f"@{path}", "-n"),
        ("chat", "hi", "-o", f"vllm_xargs:=@{path}", "-n"),
        ("lint", str(path)),
        ("lint", str(path), "--fix"),
        ("lint", "--lines", str(path)),
    ):
        done = finished(*arguments, preexec_fn=memory(400))
        assert done.code == 2, (arguments, done.err)
        assert "deep" in done.out + done.err, (arguments, done.out + done.err)
        assert "unexpected" not in done.err


def test_a_very_long_command_line(tmp_path):
    stops = [word for number in range(20_000) for word in ("--stop", str(number))]
    done = finished("chat", "hi", "-n", "-q", *stops)
    assert len(done.json["stop"]) == 20_000
    done = finished("chat", "x" * 130_000, "-n", "-q")
    assert done.json["messages"][0]["content"] == "x" * 130_000
    for name in (
        "-" * 100_000,
        "--" + "x" * 100_000,
        "-" + "v" * 100_000,
        "--top-p=" + "1" * 99_999,
    ):
        done = finished("chat", "hi", name, "-n", "-q")
        assert (done.code, "unexpected" in done.err) in ((2, False), (0, False)), name[:9]


def test_a_name_that_is_too_long_for_a_file(tmp_path):
    name = "x" * 5000
    for arguments in (
        ("chat", "hi", "-f", name), ("chat", f"@{name}"), ("chat", "hi", "-p", f"./{name}.toml"),
        ("chat", "hi", "-p", name), ("chat", "hi", "--output", name), ("lint", name),
        ("chat", "hi", "--base-url", "https://127.0.0.1:1", "--ca-file", name),
        ("chat", "hi", "--output", f"{name}/x"),
        ("profiles", "show", name), ("profiles", "trust", name), ("lint", "-p", f"{name}/a.toml"),
        ("profiles", "save", f"./{name}.toml"), ("chat", "hi", "--base-url", f"unix:///{name}"),
        ("chat", "hi", "--base-url", f"http://{name}"), ("mock", "--reply", f"@{name}"),
        ("mock", "--record", name),
    ):  # fmt: skip
        base = (
            () if "--base-url" in arguments or arguments[0] != "chat" else ("--base-url", "mock:")
        )
        done = finished(*arguments, *base, cwd=tmp_path, HOME=str(tmp_path))
        assert done.code in (2, 3), (arguments[0], arguments[1][:9], done.err[-300:])
        assert "unexpected" not in done.err, arguments[0]
    assert [path.name for path in Path(tmp_path).iterdir()] in ([], [".cache"])


@pytest.mark.parametrize("depth", [100, 255, 300, 600, 900, 1000])
@pytest.mark.parametrize("shape", ["[]", '{"a":1}'], ids=["lists", "objects"])
def test_json_of_any_depth_is_taken_or_refused_in_words(vllmctl, depth, shape):
    opening, closing = shape[: -1 - ("1" in shape)], shape[-1]
    deep = opening * depth + "1" + closing * depth
    mock = ("--base-url", f"mock:?reply={deep}&reasoning=", "-m", "mock", "--target", "vllm")
    for arguments in (
        ("chat", "hi", "-n", "-o", f"vllm_xargs:={deep}"),
        ("chat", "-n", "-d", f'{{"messages": {deep}}}'),
        ("chat", "hi", "-n", "--schema", deep),
        ("chat", "hi", "-n", "--messages", deep),
        ("chat", "hi", "-n", "-o", f"vllm_xargs:={deep}", "--save-profile", "x"),
        ("chat", "hi", *mock, "--no-check", "-o", f"response_format:={deep}"),
        ("chat", "hi", *mock, "--parse"),
        ("chat", "hi", *mock, "--no-check", "--schema", "{}"),
        ("lint", f'{{"messages": {deep}}}', "--fix"),
        ("lint", f'{{"prompt": "x", "foo": {deep}}}', "--json"),
    ):
        done = vllmctl(*arguments)
        assert done.code in (0, 2, 4, 7), (arguments[0], done.err[-300:])
        assert "unexpected" not in done.err, (arguments[0], done.err[-300:])


def test_a_path_of_any_length_is_taken_or_refused_in_words(vllmctl):
    for parts in (50, 100, 101, 5000, 100_000):
        path = "a." * parts + "a"
        for arguments in (("-o", f"{path}=1"), ("--unset", path), ("-o", f"{path}:={{}}")):
            done = vllmctl("chat", "hi", "-n", "-q", *arguments)
            assert done.code in (0, 2)
            assert "unexpected" not in done.err


def test_not_enough_memory_is_told(tmp_path):
    path = tmp_path / "body.json"
    path.write_text(json.dumps({"model": "m", "prompt": "x" * 200 * MIB}))
    done = finished("complete", "-d", f"@{path}", "-n", preexec_fn=memory(300))
    assert done.code == 1
    assert done.err == "error: there is not enough memory for this\n"
