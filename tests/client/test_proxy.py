"""Proxies of the environment are used where they should be, and said to be."""

import base64
import socket
import ssl
import threading

import pytest

from tests.client.replay import DATA
from tests.client.servers import Step, read_request, reset, response, serving, until_hung_up
from vllmctl.client.connect import NotReachedError
from vllmctl.client.proxy import Proxy, proxy_for
from vllmctl.client.server import Limits, Server, Tls, server_of
from vllmctl.client.transport import open_exchange
from vllmctl.client.url import parse_server_url
from vllmctl.client.wire import CutError
from vllmctl.env import Environment
from vllmctl.errors import CannotConnectError, TimedOutError, UsageError
from vllmctl.record import replace
from vllmctl.request.server.connection import Connection

PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "variables", "source"),
    [
        ("http://gpu:8000", {"http_proxy": PROXY}, "http_proxy"),
        ("http://gpu:8000", {"HTTP_PROXY": PROXY}, "HTTP_PROXY"),
        ("http://gpu:8000", {"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"}, None),
        ("http://gpu:8000", {"https_proxy": PROXY}, None),
        ("https://gpu", {"https_proxy": PROXY}, "https_proxy"),
        ("https://gpu", {"ALL_PROXY": PROXY}, "ALL_PROXY"),
        ("http://gpu:8000", {"http_proxy": "", "HTTP_PROXY": PROXY}, None),
        ("http://localhost:8000/v1", {"http_proxy": PROXY}, None),
        ("http://127.0.0.1:8000", {"all_proxy": PROXY}, None),
        ("http://[::1]:8000", {"all_proxy": PROXY}, None),
        ("unix:///run/x.sock", {"all_proxy": PROXY}, None),
        ("http://gpu:8000", {"http_proxy": PROXY, "NO_PROXY": "*"}, None),
        ("http://gpu:8000", {"http_proxy": PROXY, "no_proxy": "a, gpu"}, None),
        ("http://a.lab:8000", {"http_proxy": PROXY, "no_proxy": "lab"}, None),
        ("http://a.lab:8000", {"http_proxy": PROXY, "no_proxy": ".LAB"}, None),
        ("http://alab:8000", {"http_proxy": PROXY, "no_proxy": "lab"}, "http_proxy"),
        ("http://gpu:8000", {"http_proxy": PROXY, "no_proxy": "gpu:8000"}, None),
        ("http://gpu:8000", {"http_proxy": PROXY, "no_proxy": "gpu:8001"}, "http_proxy"),
        ("http://10.1.2.3:80", {"http_proxy": PROXY, "no_proxy": "10.0.0.0/8"}, None),
        ("http://11.1.2.3:80", {"http_proxy": PROXY, "no_proxy": "10.0.0.0/8"}, "http_proxy"),
        ("http://gpu:80", {"http_proxy": PROXY, "no_proxy": "10.0.0.0/8"}, "http_proxy"),
        ("http://[fd00::1]:80", {"http_proxy": PROXY, "no_proxy": "fd00::1"}, None),
    ],
)
def test_finds_the_proxy_of_the_environment(
    url: str, variables: dict[str, str], source: str | None
) -> None:
    found = proxy_for(parse_server_url(url), variables)
    assert (found.source if found else None) == source
    assert found is None or found.url == PROXY


def test_a_proxy_is_said_with_its_source_and_without_its_password() -> None:
    said: list[str] = []
    env = Environment(variables={"http_proxy": "http://me:secret@proxy:3128"})
    server_of(Connection(base_url="http://gpu:8000"), env, said.append)
    assert said == ["through the proxy http://…@proxy:3128 (http_proxy)"]
    server_of(Connection(base_url="http://localhost:8000"), env, said.append)
    assert len(said) == 1


def test_the_proxy_setting_goes_before_the_environment() -> None:
    env = Environment(variables={"http_proxy": "http://one:1"})
    there = server_of(Connection(base_url="http://gpu", proxy="two:2"), env)
    assert there.proxy == Proxy("http://two:2", "")
    assert server_of(Connection(base_url="http://gpu", proxy=""), env).proxy is None


def through(port: int, url: str, **changes: object) -> Server:
    proxy = Proxy(f"http://me:secret@127.0.0.1:{port}", "http_proxy")
    there = Server(parse_server_url(url), {"X-Team": "ml"}, proxy=proxy)
    return replace(there, **changes)  # type: ignore[arg-type]


def test_a_plain_request_goes_through_the_proxy() -> None:
    answer = response(b'{"ok": true}', chunked=True)
    with (
        serving([answer]) as proxy,
        open_exchange(through(proxy.port, "http://gpu:8000/v1"), "POST", "/v1/x", b"{}") as got,
    ):
        assert got.read() == b'{"ok": true}'
        assert got.via == f"http://…@127.0.0.1:{proxy.port}"
        assert len(got.request_id) == 32
    (request,) = proxy.got
    assert request.line == "POST http://gpu:8000/v1/x HTTP/1.1"
    assert request.body == b"{}"
    assert request.headers["host"] == "gpu:8000"
    assert request.headers["x-team"] == "ml"
    assert request.headers["accept-encoding"] == "identity"
    credentials = base64.b64encode(b"me:secret").decode()
    assert request.headers["proxy-authorization"] == f"Basic {credentials}"


def test_tls_goes_through_a_tunnel() -> None:
    certificate = DATA / "client" / "localhost.pem"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving([response(b"hello")], tls=context) as served:

        def tunnel(connection: socket.socket) -> None:
            assert read_request(connection).line == "CONNECT localhost:8443 HTTP/1.1"
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            with socket.create_connection(("127.0.0.1", served.port)) as far:
                back = threading.Thread(target=pump, args=(far, connection))
                back.start()
                pump(connection, far)
                back.join()

        with serving([tunnel], reads=False) as proxy:
            there = through(proxy.port, "https://localhost:8443", tls=Tls(ca_file=str(certificate)))
            with open_exchange(there, "POST", "/v1/x", b"{}") as got:
                assert got.read() == b"hello"


def pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while read := source.recv(1 << 16):
            target.sendall(read)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.mark.parametrize(
    ("script", "fault", "words"),
    [
        ([response(b"12345").replace(b"Length: 5", b"Length: 9")], CutError, "cut"),
        ([reset], CannotConnectError, "through the proxy http://…@127.0.0.1"),
        ([until_hung_up], TimedOutError, "sent nothing for 0.3 s"),
        ([response(b"12345")[:-2], until_hung_up], TimedOutError, "sent nothing for 0.3 s"),
    ],
)
def test_faults_behind_a_proxy_are_told(
    script: list[Step], fault: type[Exception], words: str
) -> None:
    with serving(script) as proxy, pytest.raises(fault, match=words):
        limits = Limits(idle=0.3 if fault is TimedOutError else 30)
        with open_exchange(through(proxy.port, "http://gpu:1", limits=limits), "GET", "/x") as got:
            got.read()


def test_a_proxy_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(NotReachedError) as caught:
        open_exchange(through(port, "http://gpu:8000"), "GET", "/v1/models")
    assert f"the proxy http://…@127.0.0.1:{port} (http_proxy)" in caught.value.message
    assert "NO_PROXY=gpu" in caught.value.hint
    assert "secret" not in caught.value.message + caught.value.hint


def test_a_proxy_that_cannot_be_used_is_a_usage_error() -> None:
    there = Server(parse_server_url("http://gpu"), proxy=Proxy("ftp://x", "all_proxy"))
    with pytest.raises(UsageError, match="cannot use the proxy ftp://x"):
        open_exchange(there, "GET", "/v1/models")
