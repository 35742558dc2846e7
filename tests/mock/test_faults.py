"""Each kind of fault does on the wire what it says, to streams and to whole answers."""

import gzip
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.mock.asking import (
    HELLO,
    NO_THINKING,
    Reply,
    app,
    chat,
    complete,
    connected,
    event_data,
    options,
    post,
    read_all,
    serving,
    streamed_text,
)
from vllmctl.errors import UsageError
from vllmctl.mock.app import MockApp
from vllmctl.mock.faults import KINDS, FaultPlan, parse_fault

SAID = "one two three four five six seven eight"
DONE = b"data: [DONE]\n\n"


def faulty(fault: str) -> MockApp:
    return app(fault=fault, reply=SAID)


def stream(fault: str, **fields: Any) -> Reply:
    return chat(faulty(fault), stream=True, **NO_THINKING, **fields)


def whole(fault: str, **fields: Any) -> Reply:
    return chat(faulty(fault), **NO_THINKING, **fields)


def raw(fault: str, *, streams: bool, timeout: float = 10) -> tuple[bytes, bytes, str]:
    """Head and body as they come over a socket, and how the connection ended."""
    body = {"messages": HELLO, "stream": streams, **NO_THINKING}
    data, end = b"", "closed"
    with serving(fault=fault, reply=SAID) as url, connected(url) as sock:
        sock.settimeout(timeout)
        sock.sendall(post(body, more="Connection: close\r\n"))
        try:
            while read := sock.recv(65536):
                data += read
        except ConnectionResetError:
            end = "reset"
        except TimeoutError:
            end = "silent"
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest, end


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("streams", [True, False])
def test_every_kind_ends_in_bounded_time(kind: str, streams: bool) -> None:
    value = {"slow-first-byte": "=0.1", "slow-headers": "=0.001", "stall": "=0.1"}.get(kind, "")
    began = time.monotonic()
    head, _, _ = raw(kind + value, streams=streams)
    assert head.startswith(b"HTTP/1.1 ")
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("streams", [True, False])
def test_the_first_byte_is_slow(streams: bool) -> None:
    assert raw("slow-first-byte=5", streams=streams, timeout=0.3) == (b"", b"", "silent")


def test_headers_trickle_in() -> None:
    began = time.monotonic()
    head, _, _ = raw("slow-headers=0.005", streams=True)
    assert time.monotonic() - began > len(head) * 0.005


@pytest.mark.parametrize("streams", [True, False])
def test_stalls_in_mid_answer(streams: bool) -> None:
    _, rest, end = raw("stall=5", streams=streams, timeout=0.5)
    assert end == "silent"
    assert rest
    assert DONE not in rest


@pytest.mark.parametrize(("fault", "ending"), [("cut-fin=300", "closed"), ("cut-rst=300", "reset")])
@pytest.mark.parametrize("streams", [True, False])
def test_the_connection_is_cut(fault: str, ending: str, streams: bool) -> None:
    _, rest, end = raw(fault, streams=streams)
    assert end == ending
    if end == "closed":
        assert len(b"".join(parts(rest)) if streams else rest) == 300


def parts(body: bytes) -> list[bytes]:
    """The chunks of a chunked body, as far as they came."""
    found = []
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size, 16)
        found.append(body[:length])
        body = body[length + 2 :]
    return found


def test_every_byte_is_sent_alone() -> None:
    _, rest, _ = raw("split-bytes", streams=True)
    pieces = parts(rest)
    assert {len(piece) for piece in pieces} == {0, 1}
    assert b"".join(pieces).endswith(DONE)


def test_all_is_sent_at_once() -> None:
    _, rest, _ = raw("coalesced", streams=True)
    pieces = parts(rest)
    assert len(pieces) == 2
    assert pieces[0].endswith(DONE)


def test_an_idle_connection_is_closed() -> None:
    with serving(fault="close-idle=0.1", reply=SAID) as url, connected(url) as sock:
        sock.sendall(post({"messages": HELLO}))
        answer = read_all(sock)
    assert b"connection: close" not in answer.lower()
    assert answer.endswith(b"}")


@pytest.mark.parametrize(
    ("fault", "end"), [("cr", b"\r"), ("crlf", b"\r\n")]
)  # fmt: skip
def test_lines_end_otherwise(fault: str, end: bytes) -> None:
    data = stream(fault).data
    assert data.replace(end, b"\n").endswith(DONE)
    assert data.count(end + end) == len(event_data(data.replace(end, b"\n")))


def test_the_stream_has_no_end_sign() -> None:
    assert b"[DONE]" not in stream("no-done").data
    assert stream("no-done").events[-1]["choices"][0]["finish_reason"] == "stop"


def test_comments_come_between_the_events() -> None:
    data = stream("keep-alive-comments").data
    assert data.startswith(b": keep-alive\n\ndata: ")
    assert data.count(b": keep-alive\n\n") == data.count(b"data: ")


@pytest.mark.parametrize(("fault", "done"), [("error-event=2", False), ("error-then-done=2", True)])
def test_a_stream_ends_with_an_error(fault: str, done: bool) -> None:
    reply = stream(fault)
    assert reply.status == 200
    assert len(reply.events) == 3
    assert reply.events[-1]["error"]["code"] == 500
    assert reply.data.endswith(DONE) is done
    assert whole(fault).status == 500


def test_the_server_aborts() -> None:
    reply = stream("abort=3", stream_options={"include_usage": True})
    reasons = [choice["finish_reason"] for e in reply.events for choice in e["choices"]]
    assert reasons == [None, None, None, "abort"]
    assert streamed_text(reply) == "one two"
    assert reply.events[-1]["usage"]
    assert reply.data.endswith(DONE)
    assert whole("abort").json["choices"][0]["finish_reason"] == "abort"


def test_json_breaks_off() -> None:
    broken = event_data(stream("malformed-chunk=2").data)
    with pytest.raises(ValueError, match="Unterminated|Expecting"):
        json.loads(broken[2])
    assert json.loads(broken[3])
    with pytest.raises(ValueError, match="Unterminated|Expecting"):
        assert whole("malformed-chunk").json


def test_the_role_is_repeated() -> None:
    deltas = [event["choices"][0]["delta"] for event in stream("duplicate-role").events]
    assert {delta["role"] for delta in deltas} == {"assistant"}


def test_content_is_null() -> None:
    deltas = [event["choices"][0]["delta"] for event in stream("null-content").events]
    assert deltas[0] == {"role": "assistant", "content": None}
    assert deltas[-1] == {"content": None}
    assert whole("null-content").json["choices"][0]["message"]["content"] is None
    assert complete(faulty("null-content")).json["choices"][0]["text"] is None


def test_the_index_is_missing() -> None:
    for reply in (stream("missing-index"), whole("missing-index")):
        answers = reply.events if b"data: " in reply.data else [reply.json]
        assert not any("index" in choice for one in answers for choice in one["choices"])


def test_one_line_is_huge() -> None:
    data = stream("huge-line=2000000").data
    assert max(map(len, data.split(b"\n"))) > 2_000_000
    assert len(whole("huge-line=5000").json["choices"][0]["message"]["content"]) == 5000


def test_is_compressed() -> None:
    for reply, end in ((stream("gzip"), DONE), (whole("gzip"), b"}")):
        assert reply.headers["content-encoding"] == "gzip"
        assert gzip.decompress(reply.data).endswith(end)


def test_the_content_type_is_wrong() -> None:
    assert stream("wrong-content-type").headers["content-type"] == "application/json"
    assert whole("wrong-content-type").headers["content-type"] == "text/plain"


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("change", [100, -20])
def test_the_length_is_wrong(streams: bool, change: int) -> None:
    head, rest, end = raw(f"wrong-content-length={change}", streams=streams)
    length = int(head.lower().partition(b"content-length: ")[2].split()[0])
    assert length == len(rest) + change
    assert end == "closed"


STATUSES: dict[str, tuple[int, Callable[[Reply], bool]]] = {
    "html-502": (502, lambda reply: reply.data.startswith(b"<html>")),
    "429=7": (429, lambda reply: reply.headers["retry-after"] == "7"),
    "503": (503, lambda reply: reply.headers["retry-after"] == "1"),
    "401-string": (401, lambda reply: reply.json == {"error": "Unauthorized"}),
    "redirect=http://x:1/y": (307, lambda reply: reply.headers["location"] == "http://x:1/y"),
}


@pytest.mark.parametrize("fault", STATUSES)
def test_something_else_answers(fault: str) -> None:
    status, fits = STATUSES[fault]
    for reply in (stream(fault), whole(fault)):
        assert reply.status == status
        assert fits(reply)


def test_pages_stay_well() -> None:
    with serving(fault="html-502") as url, connected(url) as sock:
        sock.sendall(b"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert read_all(sock).startswith(b"HTTP/1.1 200")


def test_faults_can_be_joined() -> None:
    mock = MockApp(options(fault=["crlf", "no-done"], reply=SAID))
    data = chat(mock, stream=True).data
    assert b"\r\n\r\n" in data
    assert b"[DONE]" not in data


@pytest.mark.parametrize(("rate", "hit"), [("0.5", 10), ("0.25", 5), ("1", 20), ("0", 0)])
def test_the_rate_is_kept_evenly(rate: str, hit: int) -> None:
    mock = MockApp(options(fault=f"html-502:{rate}"))
    statuses = [chat(mock).status for _ in range(20)]
    assert statuses.count(502) == hit
    assert statuses == [chat(mock).status for _ in range(20)]


def test_faults_of_some_requests_do_not_hide_each_other() -> None:
    mock = MockApp(options(fault=["503:0.3", "html-502:0.1", "no-done:0.5"]))
    replies = [chat(mock, stream=True) for _ in range(200)]
    ends = [reply.status if reply.status != 200 else b"[DONE]" in reply.data for reply in replies]
    assert [ends.count(end) for end in (503, 502, False)] == pytest.approx([60, 20, 100], abs=1)


def test_faults_of_every_request_never_wait() -> None:
    mock = MockApp(options(fault=["gzip", "429:0.5"]))
    replies = [chat(mock) for _ in range(20)]
    assert [reply.status for reply in replies].count(429) == 10
    assert all(reply.data.startswith(b"\x1f\x8b") for reply in replies)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("stall", FaultPlan("stall", "3600", 1)),
        ("stall=2", FaultPlan("stall", "2", 1)),
        ("stall:0.1", FaultPlan("stall", "3600", 0.1)),
        ("cut-rst=10:0.5", FaultPlan("cut-rst", "10", 0.5)),
        ("redirect=http://x:8000/", FaultPlan("redirect", "http://x:8000/", 1)),
        ("redirect=http://x:8000/:0.5", FaultPlan("redirect", "http://x:8000/", 0.5)),
    ],
)
def test_reads_a_fault(text: str, plan: FaultPlan) -> None:
    assert parse_fault(text) == plan


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stal", "no fault 'stal'"),
        ("stall=x", "wants a number"),
        ("stall=nan", "wants a number"),
        ("cr=1", "takes no value"),
        ("cr:2", "from 0 to 1"),
    ],
)
def test_refuses_what_is_no_fault(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_fault(text)
