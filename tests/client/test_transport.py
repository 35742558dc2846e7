"""Requests reach the server, and every fault on the way is told as what it is."""

import gzip
import json
import random
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import pytest

from tests.client.replay import DATA
from tests.client.servers import (
    Step,
    reset,
    response,
    serving,
    stream_head,
    until_hung_up,
)
from vllmctl.client.connect import NotReachedError
from vllmctl.client.decoding import decoded
from vllmctl.client.patience import ConnectTimedOutError
from vllmctl.client.server import Limits, Server, Tls
from vllmctl.client.transport import open_exchange
from vllmctl.client.url import parse_server_url
from vllmctl.client.wire import CutError
from vllmctl.errors import (
    CannotConnectError,
    IncompleteAnswerError,
    TimedOutError,
    UsageError,
    VllmctlError,
)
from vllmctl.record import replace

OK = response(b'{"ok": true}', "200 OK", "Content-Type: application/json")
PATH = "/v1/chat/completions"


def server(url: str, **changes: object) -> Server:
    return replace(Server(parse_server_url(url)), **changes)  # type: ignore[arg-type]


def answer_of(url: str, **changes: object) -> bytes:
    with open_exchange(server(url, **changes), "POST", PATH, b"{}") as got:
        return got.read()


def fault_of(url: str, **changes: object) -> VllmctlError:
    with pytest.raises(VllmctlError) as caught:
        answer_of(url, **changes)
    return caught.value


def test_time_is_used_while_the_server_thinks() -> None:
    used, thought = threading.Event(), []
    with (
        serving([lambda _: thought.append(used.wait(10)), OK]) as served,
        open_exchange(server(served.url), "POST", PATH, b"{}", meanwhile=used.set) as got,
    ):
        assert got.status == 200
    assert thought == [True]


def test_sends_the_body_as_it_is_with_the_headers_needed() -> None:
    body = b'{"a":1.0}'
    with serving([OK]) as served:
        there = server(served.url + "/v1/", headers={"Authorization": "Bearer k", "X-Team": "ml"})
        with open_exchange(there, "POST", PATH, body, {"user-agent": "test"}) as got:
            assert got.status == 200
            assert json.loads(got.read()) == {"ok": True}
    (request,) = served.got
    assert request.line == "POST /v1/chat/completions HTTP/1.1"
    assert request.body == body
    sent_id = request.headers.pop("x-request-id")
    assert len(sent_id) == 32
    assert got.request_id == sent_id
    assert request.headers == {
        "host": f"127.0.0.1:{served.port}",
        "user-agent": "test",
        "accept": "*/*",
        "accept-encoding": "identity",
        "connection": "close",
        "content-type": "application/json",
        "content-length": "9",
        "authorization": "Bearer k",
        "x-team": "ml",
    }


def test_a_get_has_no_body() -> None:
    with serving([OK]) as served, open_exchange(server(served.url), "GET", "/version") as got:
        assert got.read() == b'{"ok": true}'
    assert not {"content-length", "content-type"} & served.got[0].headers.keys()


def test_the_users_request_id_is_kept_and_the_servers_own_is_told() -> None:
    with serving([OK], [response(b"", "200 OK", "X-Request-Id: theirs")]) as served:
        there = server(served.url, headers={"x-request-id": "mine"})
        with open_exchange(there, "GET", "/version") as got:
            assert got.request_id == "mine"
        with open_exchange(there, "GET", "/version") as got:
            assert got.request_id == "theirs"
    assert [request.headers["x-request-id"] for request in served.got] == ["mine", "mine"]


def test_a_unix_socket_is_a_server(tmp_path: Path) -> None:
    path = tmp_path / "vllm.sock"
    with serving([OK], address=path) as served:
        assert answer_of(f"unix://{path}") == b'{"ok": true}'
        assert answer_of(f"unix://{path}:/team/v1") == b'{"ok": true}'
    assert [request.line.split()[1] for request in served.got] == [PATH, "/team" + PATH]
    assert served.got[0].headers["host"] == "localhost"


@pytest.mark.parametrize(
    "answer",
    [
        response(b"hello"),
        response(b"hello", chunked=True),
        stream_head() + b"hello",
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + response(b"hello"),
        b"HTTP/1.0 200\nContent-Length: 5\n\nhello",
        response(gzip.compress(b"hello"), "200 OK", "Content-Encoding: gzip"),
        response(zlib.compress(b"hello"), "200 OK", "Content-Encoding: deflate", chunked=True),
        response(zlib.compress(b"hello", wbits=-15), "200 OK", "Content-Encoding: deflate"),
        response(
            gzip.compress(zlib.compress(b"hello")), "200 OK", "Content-Encoding: deflate, gzip"
        ),
    ],
)
@pytest.mark.parametrize("slow", [False, True], ids=["at once", "byte by byte"])
def test_every_way_to_frame_a_body_is_read(answer: bytes, slow: bool) -> None:
    script: list[Step] = [answer[at : at + 1] for at in range(len(answer))] if slow else [answer]
    with serving(script) as served:
        assert answer_of(served.url) == b"hello"


@pytest.mark.parametrize("wbits", [-15, 15, 31])
def test_what_the_decoder_still_holds_belongs_to_the_text(wbits: int) -> None:
    kind = "gzip" if wbits == 31 else "deflate"
    for size in range((1 << 20) - 300, (1 << 20) + 300, 7):
        text = random.Random(size).randbytes(64) * (size // 64 + 1)
        packed = zlib.compress(text[:size], wbits=wbits)
        assert b"".join(decoded(iter([packed, b""]), kind)) == text[:size]


def test_text_is_handed_on_as_it_arrives_also_when_compressed() -> None:
    packer = zlib.compressobj(wbits=31)
    first = packer.compress(b"one") + packer.flush(zlib.Z_SYNC_FLUSH)
    rest = packer.compress(b"two") + packer.flush()
    hold = threading.Event()
    script: list[Step] = [
        stream_head("Content-Encoding: gzip") + first,
        lambda _: hold.wait(5),
        rest,
    ]
    with serving(script) as served, open_exchange(server(served.url), "POST", PATH) as got:
        reads = got.chunks()
        assert next(reads) == b"one"
        hold.set()
        assert b"".join(reads) == b"two"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([response(b"12345").replace(b"Length: 5", b"Length: 9")], "after 5 of 9 bytes"),
        ([response(b"12345", chunked=True).removesuffix(b"0\r\n\r\n")], "cut before"),
        ([stream_head("Transfer-Encoding: chunked") + b"zz\r\n123"], "framing"),
        ([stream_head("Transfer-Encoding: chunked") + b"3\r\n123\r\n", 0.05, reset], "reset"),
        ([stream_head() + b"123", 0.05, reset], "reset"),
        ([response(b"123", "200 OK", "Content-Encoding: gzip")], "not the gzip data"),
        ([response(gzip.compress(b"x" * 99)[:-9], "200 OK", "Content-Encoding: gzip")], "gzip"),
        ([response(b"123", "200 OK", "Content-Encoding: br")], "'br'"),
    ],
)
def test_a_cut_body_is_incomplete(script: list[Step], words: str) -> None:
    with serving(script) as served:
        error = fault_of(served.url)
    assert isinstance(error, IncompleteAnswerError)
    assert words in error.message


def test_what_came_before_a_cut_is_handed_on() -> None:
    script: list[Step] = [stream_head() + b"123", 0.05, reset]
    with (
        serving(script) as served,
        open_exchange(server(served.url), "POST", PATH) as got,
    ):
        reads = got.chunks()
        assert next(reads) == b"123"
        with pytest.raises(CutError):
            next(reads)


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    limits = Limits(sources={"base_url": "profile lab"})
    error = fault_of(f"http://localhost:{port}", limits=limits)
    assert isinstance(error, NotReachedError)
    assert error.exit_code == 3
    assert f"http://localhost:{port}" in error.message
    assert f"127.0.0.1 port {port}: connection refused" in error.message
    assert "--base-url" in error.hint
    assert "profile lab" in error.hint


def test_every_address_of_a_host_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def both(host: str, port: int, **kinds: int) -> list:
        v6 = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port, 0, 0))
        return [v6, *real("127.0.0.1", port, **kinds)]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with serving([OK]) as served:
        assert answer_of(f"http://localhost:{served.port}") == b'{"ok": true}'
    error = fault_of(f"http://localhost:{served.port}")
    assert "::1 port" in error.message
    assert "127.0.0.1 port" in error.message


def test_unknown_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> list:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    error = fault_of("http://gpu-box:8000")
    assert isinstance(error, NotReachedError)
    assert error.message == "cannot find the host 'gpu-box': Name or service not known"


def test_a_host_is_not_looked_for_longer_than_a_connection_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: ended.wait())
    error = fault_of("http://gpu-box:8000", limits=Limits(connect=0.05))
    ended.set()
    assert isinstance(error, ConnectTimedOutError)
    assert error.message.startswith("no connection to http://gpu-box:8000/")
    assert "within 0.05 s" in error.message


def test_a_host_is_found_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("vllmctl.client.lookup._thread.start_new_thread", refuse)
    with serving([OK]) as served:
        assert answer_of(f"http://localhost:{served.port}") == b'{"ok": true}'


def test_missing_unix_socket(tmp_path: Path) -> None:
    error = fault_of(f"unix://{tmp_path}/no.sock")
    assert isinstance(error, NotReachedError)
    assert "no such file" in error.message


@pytest.mark.parametrize(
    ("script", "words", "advice"),
    [
        ([b"SSH-2.0-OpenSSH_9.2\r\n"], "does not speak HTTP", "another program"),
        ([b"\x15\x03\x01\x00\x02\x02\x46"], "does not speak HTTP", "https://127.0.0.1"),
        ([], "without an answer", "log"),
        ([reset], "without an answer (connection reset by peer)", "log"),
        ([b"HTTP/1.1 200 OK\r\nContent"], "without an answer", "log"),
        ([b"HTTP/1.1 abc\r\n\r\n"], "does not speak HTTP", "another program"),
    ],
)
def test_no_http_answer(script: list[Step], words: str, advice: str) -> None:
    with serving(script) as served:
        error = fault_of(served.url)
    assert isinstance(error, CannotConnectError)
    assert words in error.message
    assert advice in error.hint


def test_a_refusal_that_comes_before_all_is_sent_is_read() -> None:
    def refuse(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(response(b"too large", "413 Content Too Large"))
        time.sleep(0.2)

    with serving([refuse], reads=False) as served:
        there = server(served.url)
        with open_exchange(there, "POST", PATH, b"x" * 20_000_000) as got:
            assert got.status == 413


def test_stall_before_the_head_runs_into_the_idle_limit() -> None:
    limits = Limits(idle=0.2, sources={"idle_timeout": "--idle-timeout"})
    with serving([until_hung_up]) as served:
        start = time.monotonic()
        error = fault_of(served.url, limits=limits)
    assert 0.15 < time.monotonic() - start < 10
    assert isinstance(error, TimedOutError)
    assert "sent nothing for 0.2 s (--idle-timeout)" in error.message
    assert "--idle-timeout" in error.hint


def test_stall_in_the_stream_runs_into_the_idle_limit_after_what_came() -> None:
    script: list[Step] = [stream_head() + b"data: 1\n\n", until_hung_up]
    with (
        serving(script) as served,
        open_exchange(server(served.url, limits=Limits(idle=0.2)), "POST", PATH) as got,
    ):
        reads = got.chunks()
        assert next(reads) == b"data: 1\n\n"
        with pytest.raises(TimedOutError, match="sent nothing for 0.2 s"):
            next(reads)


def test_slow_bytes_run_into_the_total_limit_only() -> None:
    script: list[Step] = [stream_head()]
    for _ in range(40):
        script += [b":\n", 0.05]
    with serving(script) as served:
        error = fault_of(served.url, limits=Limits(idle=3, total=0.4))
    assert isinstance(error, TimedOutError)
    assert "did not finish within 0.4 s" in error.message
    assert "--timeout" in error.hint


def test_without_limits_a_slow_server_is_waited_for() -> None:
    with serving([0.5, stream_head(), 0.5, b"late"]) as served:
        assert answer_of(served.url) == b"late"


def test_connecting_has_a_limit_of_its_own() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        taken = [socket.socket() for _ in range(4)]
        for one in taken:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        limits = Limits(connect=0.2)
        error = fault_of(f"http://127.0.0.1:{full.getsockname()[1]}", limits=limits)
        for one in taken:
            one.close()
    assert isinstance(error, TimedOutError)
    assert "no connection" in error.message
    assert "--connect-timeout" in error.hint


def test_leaving_closes_the_connection() -> None:
    with serving([stream_head() + b"data: 1\n\n", until_hung_up]) as served:
        with open_exchange(server(served.url), "POST", PATH) as got:
            next(got.chunks())
        assert served.hung_up.wait(10)


INTERRUPTED = """
import sys
from vllmctl.client.server import Server
from vllmctl.client.transport import open_exchange
from vllmctl.client.url import parse_server_url
try:
    with open_exchange(Server(parse_server_url(sys.argv[1])), "POST", "/v1/x", b"{}") as got:
        for read in got.chunks():
            print("read", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("streaming", [True, False])
def test_ctrl_c_hangs_up_at_once(streaming: bool) -> None:
    asked = threading.Event()
    head: list[Step] = [stream_head() + b"x"] if streaming else []
    script: list[Step] = [lambda _: asked.set(), *head, until_hung_up]
    with (
        serving(script) as served,
        subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED, served.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdout
        assert asked.wait(60)
        if streaming:
            assert process.stdout.readline() == b"read\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"interrupted\n"
        assert served.hung_up.wait(10), "the process lives on, its connection must not"
        process.communicate(timeout=60)


def test_tries_again_when_nobody_is_there_yet() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    said: list[str] = []
    error = fault_of(f"http://127.0.0.1:{port}", retries=1, notify=said.append)
    assert isinstance(error, NotReachedError)
    assert len(said) == 1
    assert "trying again in 0.5 s (1 of 1)" in said[0]


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_waits_as_long_as_a_busy_server_asks(status: str) -> None:
    said: list[str] = []
    with serving([response(b"", status, "Retry-After: 0.3")], [OK]) as served:
        start = time.monotonic()
        assert answer_of(served.url, retries=2, notify=said.append) == b'{"ok": true}'
    assert time.monotonic() - start >= 0.3
    assert said == [f"the server says {status}; trying again in 0.3 s (1 of 2)"]
    assert len({request.headers["x-request-id"] for request in served.got}) == 1


@pytest.mark.parametrize(
    ("answer", "retries"),
    [
        (response(b"", "429 Too Many Requests"), 0),
        (response(b"", "503 Busy", "Retry-After: 3600"), 3),
        (response(b"", "400 Bad Request"), 3),
        (response(b"", "500 Internal Server Error"), 3),
    ],
)
def test_does_not_try_again(answer: bytes, retries: int) -> None:
    with serving([answer], [OK]) as served:
        with open_exchange(server(served.url, retries=retries), "POST", PATH) as got:
            assert got.status >= 400
        assert len(served.got) == 1


def test_does_not_try_again_once_the_request_is_out() -> None:
    with serving([reset], [OK]) as served:
        assert isinstance(fault_of(served.url, retries=3), CannotConnectError)
        assert len(served.got) == 1


def test_does_not_wait_past_the_total_limit() -> None:
    busy = response(b"", "503 Busy", "Retry-After: 30")
    limits = Limits(total=20)
    with (
        serving([busy]) as served,
        open_exchange(server(served.url, retries=1, limits=limits), "POST", PATH) as got,
    ):
        assert got.status == 503


def redirect(status: int, location: str) -> bytes:
    return response(b"", f"{status} Moved", f"Location: {location}")


def test_follows_a_redirect_that_stays_and_keeps_the_request() -> None:
    said: list[str] = []
    with serving([redirect(307, "/other/v1/x?a=1")], [OK]) as served:
        there = server(served.url, notify=said.append)
        with open_exchange(there, "POST", PATH, b"{}") as got:
            assert got.read() == b'{"ok": true}'
            assert got.url == f"{served.url}/other/v1/x?a=1"
    assert [request.line.split()[1] for request in served.got] == [PATH, "/other/v1/x?a=1"]
    assert served.got[1].body == b"{}"
    assert "redirects to" in said[0]


@pytest.mark.parametrize(
    "location", ["http://elsewhere.example/v1", "http://localhost:1/", "//x/y"]
)
def test_takes_the_key_to_no_other_host(location: str) -> None:
    with serving([redirect(308, location)]) as served:
        there = server(served.url, headers={"Authorization": "Bearer secret"})
        with open_exchange(there, "POST", PATH, b"{}") as got:
            assert got.status == 308
    assert len(served.got) == 1


@pytest.mark.parametrize("status", [301, 302, 303])
def test_does_not_turn_a_post_into_a_get(status: int) -> None:
    with serving([redirect(status, "/x")], [OK]) as served:
        with open_exchange(server(served.url), "POST", PATH, b"{}") as got:
            assert got.status == status
        with open_exchange(server(served.url), "GET", PATH) as got:
            assert got.status == 200


def test_a_ring_of_redirects_ends() -> None:
    with serving([redirect(307, "/x")]) as served:
        with open_exchange(server(served.url), "POST", PATH, b"{}") as got:
            assert got.status == 307
        assert len(served.got) == 6


@pytest.fixture
def certificate() -> Path:
    """A self-signed certificate for localhost, with its key in the same file."""
    return DATA / "client" / "localhost.pem"


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    """What a server with ``certificate`` needs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_tls_with_an_authority_of_its_own(certificate: Path, tls: ssl.SSLContext) -> None:
    with serving([OK], tls=tls) as served:
        url = f"https://localhost:{served.port}"
        assert answer_of(url, tls=Tls(ca_file=str(certificate))) == b'{"ok": true}'
        assert answer_of(url, tls=Tls(insecure=True)) == b'{"ok": true}'


def test_an_unknown_authority_is_told_and_not_tried_again(tls: ssl.SSLContext) -> None:
    said: list[str] = []
    with serving([OK], tls=tls) as served:
        error = fault_of(f"https://localhost:{served.port}", retries=3, notify=said.append)
    assert isinstance(error, CannotConnectError)
    assert "self-signed certificate" in error.message
    assert "--ca-file" in error.hint
    assert "SSL_CERT_FILE" in error.hint
    assert said == []


def test_a_certificate_for_another_name_is_told(certificate: Path, tls: ssl.SSLContext) -> None:
    with serving([OK], tls=tls) as served:
        error = fault_of(f"https://127.0.0.1:{served.port}", tls=Tls(ca_file=str(certificate)))
    assert "127.0.0.1" in error.message
    assert "valid for" in error.message


def test_a_certificate_of_ones_own_is_shown(certificate: Path, tls: ssl.SSLContext) -> None:
    tls.load_verify_locations(certificate)
    tls.verify_mode = ssl.CERT_REQUIRED
    mine = Tls(ca_file=str(certificate), cert_file=str(certificate))
    with serving([OK], tls=tls) as served:
        url = f"https://localhost:{served.port}"
        assert answer_of(url, tls=mine) == b'{"ok": true}'
        error = fault_of(url, tls=Tls(ca_file=str(certificate)))
    assert isinstance(error, CannotConnectError)
    assert "--cert FILE" in error.hint


def test_https_to_a_plain_server_names_http() -> None:
    with serving([b"HTTP/1.1 400 Bad Request\r\n\r\n"], reads=False) as served:
        error = fault_of(f"https://127.0.0.1:{served.port}")
    assert isinstance(error, CannotConnectError)
    assert f"try http://127.0.0.1:{served.port}" in error.hint


def test_http_to_a_tls_server_names_https(tls: ssl.SSLContext) -> None:
    with serving([OK], tls=tls) as served:
        error = fault_of(served.url)
    assert isinstance(error, CannotConnectError)
    assert f"https://127.0.0.1:{served.port}" in error.hint


@pytest.mark.parametrize(
    "tls", [Tls(ca_file="/no/such.pem"), Tls(cert_file=__file__), Tls(ca_file=__file__)]
)
def test_a_certificate_file_that_is_none_is_a_usage_error(tls: Tls) -> None:
    error = fault_of("https://127.0.0.1:1", tls=tls)
    assert isinstance(error, UsageError)
    assert (tls.ca_file or tls.cert_file or "") in error.message


def test_the_key_is_never_shown() -> None:
    there = server("http://name:password@host", headers={"Authorization": "Bearer secret"})
    assert "secret" not in repr(there)
    assert "password" not in repr(there)
    assert "password" not in there.url.full("/v1/models")
