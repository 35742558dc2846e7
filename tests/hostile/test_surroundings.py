"""Variables, requests to the mock, name servers: what surrounds the program and may be anything."""

import errno
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest

from tests.hostile.processes import PATIENCE
from tools.fuzz.terminal import Terminal
from vllmctl.__main__ import run
from vllmctl.mock.options import MockOptions
from vllmctl.mock.server import MockServer

NONSENSE = (
    "",
    " ",
    "banana",
    "-1",
    "9" * 5000,
    "1e999",
    "\x1b[2J",
    "ü\udcff",
    "{}",
    "=",
    "nan",
    "~x",
)
VARIABLES = (
    "VLLMCTL_BASE_URL", "VLLMCTL_MODEL", "VLLMCTL_TARGET", "VLLMCTL_API_KEY", "VLLMCTL_CA_FILE",
    "VLLMCTL_PROXY", "VLLMCTL_RETRIES", "VLLMCTL_TIMEOUT", "VLLMCTL_IDLE_TIMEOUT",
    "VLLMCTL_CONNECT_TIMEOUT", "VLLMCTL_TRUST", "OPENAI_BASE_URL", "OPENAI_API_KEY",
    "VLLM_API_KEY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "COLUMNS", "LINES",
    "TERM", "NO_COLOR", "FORCE_COLOR", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
    "XDG_DATA_HOME", "PWD", "EDITOR", "SSL_CERT_FILE",
)  # fmt: skip


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_may_say_anything(vllmctl, monkeypatch, name):
    for value in NONSENSE:
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            for arguments in (("chat", "hi", "-n", "-v"), ("profiles", "list"), ("lint", "{}")):
                done = vllmctl(*arguments)
                assert done.code in (0, 2), (value[:20], arguments, done.err)
                assert "unexpected" not in done.err, (value[:20], arguments, done.err)


def test_a_terminal_may_say_that_it_has_any_size(vllmctl, monkeypatch):
    base = ("chat", "hi", "--base-url", "mock:?reply=**a**&reasoning=", "-m", "mock", "-q")
    for columns in ("1", "0", "-5", "9" * 5000, "abc", "99999"):
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setenv("LINES", columns)
        for arguments in ((*base, "--target", "vllm"), ("chat", "--help-all"), ("fields",)):
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdout", Terminal())
                patch.setattr(sys, "stdin", None)
                assert run(list(arguments)) == 0


LOOKUP = """
    import ctypes, socket, sys
    from vllmctl.__main__ import main

    libc, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    libc.pthread_mutex_lock(mutex)

    def deaf(*_, **__):
        print("looking", flush=True)
        libc.pthread_mutex_lock(mutex)  # waits for ever, whatever signal comes

    socket.getaddrinfo = deaf
    sys.argv = "vllmctl chat hi --base-url http://gpu.example -m m --target vllm".split()
    main()
"""


def test_ctrl_c_ends_it_while_the_system_looks_for_a_host():
    command = [sys.executable, "-c", textwrap.dedent(LOOKUP)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"looking\n"
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, err) == (128 + signal.SIGINT, b"")


GARBAGE = (
    b"", b"\r\n\r\n", b"\x16\x03\x01" + b"\0" * 100, b"GET", b"GET / HTTP/9.9\r\n\r\n",
    b"POST /v1/completions HTTP/1.1\r\nContent-Length: abc\r\n\r\n{}",
    b"POST /v1/completions HTTP/1.1\r\nContent-Length: -5\r\n\r\n{}",
    b"POST /v1/completions HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n{}",
    b"POST /v1/completions HTTP/1.1\r\nContent-Length: 10\r\n\r\n{}",
    b"POST /v1/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /v1/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    b"POST /v1/completions HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
    b"POST /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n",
    b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 4\r\n\r\n\xff\xfe{}",
)  # fmt: skip


def test_the_mock_server_survives_every_request(vllmctl, capfd):
    with MockServer(MockOptions(reply="still here", reasoning="")) as server:
        port = int(server.url.rpartition(":")[2])
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
        for data in GARBAGE:
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
                _exchange(connection, data)
        began = time.monotonic()
        done = vllmctl("chat", "hi", "--base-url", server.url, "-m", "mock", "--target", "vllm")
        assert (done.code, done.out) == (0, "still here")
        assert time.monotonic() - began < PATIENCE / 3
        for connection in slow:
            connection.close()
    assert "Traceback" not in capfd.readouterr().err


def _exchange(connection: socket.socket, data: bytes) -> None:
    """Send ``data`` and read to the end, unless the server has hung up already: it may."""
    try:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass
    except OSError as fault:
        if fault.errno not in {errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN}:
            raise


def test_a_port_that_is_taken_is_told(vllmctl):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = vllmctl("mock", "--port", port)
    assert done.code == 2
    assert port in done.err
    assert "it is in use" in done.err
