"""Secrets stay where they belong, whoever says them back and wherever they came from."""

import json
import os
import socket
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from tests.client.servers import response, serving, stream_head
from vllmctl.client.server import server_of
from vllmctl.client.wire import Request
from vllmctl.env import Environment
from vllmctl.mock.options import MockOptions
from vllmctl.mock.wire import Request as MockRequest
from vllmctl.request.server.connection import connection
from vllmctl.request.server.secret import masked_url
from vllmctl.request.server.settings import merged, of_environment
from vllmctl.streams import discreet

KEY = "sk-test-1234567890abcdef"
PASSWORD = "hunter2-and-more"
DONE = b"data: [DONE]\n\n"
SHOWN = ("-v", "--include")


def event(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
    return b"data: " + json.dumps({"id": "c", "choices": [choice]}).encode() + b"\n\n"


def echoes(secret: str) -> dict[str, list[bytes]]:
    """Answers in which a server says ``secret`` back, one a way."""
    said = f"Incorrect API key provided: {secret}."
    error = json.dumps({"error": {"message": said, "type": secret, "code": 401}}).encode()
    page = f"<html><title>{said}</title></html>".encode()
    return {
        "message": [response(error, "401 Unauthorized")],
        "text": [response(said.encode(), "403 Forbidden")],
        "page": [response(page, "502 Bad Gateway", "Content-Type: text/html")],
        "reason": [response(b"", f"400 {said}")],
        "location": [response(b"", "307 x", f"Location: http://h.invalid/?key={secret}")],
        "head": [stream_head(f"X-Echo: {secret}", f"X-Request-Id: {secret}"), event("a"), DONE],
        "stream": [stream_head(), event("a"), b"data: " + error + b"\n\n", DONE],
        "damage": [stream_head(), event("a"), f"data: {secret}\n\n".encode()],
        "instead": [response(said.encode(), "200 OK")],
        "reasoning": [
            stream_head(),
            b'data: {"choices": [{"index": 0, "delta": {"reasoning": "%b"}}]}\n\n'
            % secret.encode(),
            event("a"),
            DONE,
        ],
    }


WAYS = ("VLLMCTL_API_KEY", "VLLM_API_KEY", "--api-key", "@file", "cmd", "env", "-H", "profile")


def given(way: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the key in one way; return the flags that it takes."""
    Path("key.txt").write_text(KEY)
    match way:
        case "VLLMCTL_API_KEY" | "VLLM_API_KEY":
            monkeypatch.setenv(way, KEY)
            return []
        case "--api-key":
            return ["--api-key", KEY]
        case "@file":
            return ["--api-key", "@key.txt"]
        case "-H":
            return ["-H", f"Authorization: Bearer {KEY}"]
        case _:
            line = {
                "cmd": "api_key_cmd = 'cat key.txt'",
                "env": "api_key_env = 'TEAM_KEY'",
                "profile": f"headers.X-Api-Key = '{KEY}'",
            }[way]
            monkeypatch.setenv("TEAM_KEY", KEY)
            Path("p.toml").write_text(f"[server]\n{line}\n")
            monkeypatch.setenv("VLLMCTL_TRUST", str(Path("p.toml").resolve()))
            return ["-p", "./p.toml"]


@pytest.mark.parametrize("way", WAYS)
def test_a_key_that_the_server_says_back_is_not_shown(vllmctl, monkeypatch, way):
    flags = given(way, monkeypatch)
    for name, script in echoes(KEY).items():
        with serving(script) as served:
            base = ("chat", "hi", "--base-url", served.url, "-m", "m", "--no-check", *SHOWN)
            done = vllmctl(*base, *flags)
        assert KEY in str(served.got[0].headers), way
        assert KEY not in done.out + done.err, (way, name, done.err)
        assert "…" in done.err, (way, name)


def test_a_password_in_an_address_is_not_shown(vllmctl):
    login = b64encode(f"me:{PASSWORD}".encode()).decode()
    for secret in (PASSWORD, login):
        for name, script in echoes(secret).items():
            with serving(script) as served:
                url = f"http://me:{PASSWORD}@127.0.0.1:{served.port}"
                done = vllmctl("chat", "hi", "--base-url", url, "-m", "m", "--no-check", *SHOWN)
            assert served.got[0].headers["authorization"] == f"Basic {login}"
            assert secret not in done.out + done.err, (name, done.err)


@pytest.mark.parametrize(
    "url",
    [
        f"http://me:{PASSWORD}@",
        f"http://me:{PASSWORD}@h:port",
        f"ftp://me:{PASSWORD}@h",
        f"http://me:{PASSWORD}/x@h",
        f"http://me:{PASSWORD}#x@h",
        f"http://me:{PASSWORD}@127.0.0.1:1",
        f"http://127.0.0.1:1/?api_key={PASSWORD}",
        f"http://me:x@{PASSWORD}@127.0.0.1:1",
    ],
)
def test_a_password_in_a_wrong_address_is_not_shown(vllmctl, url):
    for arguments in (("--base-url", url), ("--base-url", url, "-n", "-v")):
        done = vllmctl("chat", "hi", "-m", "m", "--target", "vllm", *arguments)
        assert PASSWORD not in done.out + done.err, done.err


@pytest.mark.parametrize("answer", [b"", response(b"no", "502 Bad Gateway")])
def test_the_password_of_a_proxy_is_not_shown(vllmctl, monkeypatch, answer):
    monkeypatch.setenv("VLLMCTL_API_KEY", KEY)
    with serving([answer]) as served:
        for variable in ("http_proxy", "VLLMCTL_PROXY"):
            monkeypatch.setenv(variable, f"http://me:{PASSWORD}@127.0.0.1:{served.port}")
            base = ("--base-url", "http://gpu.example:8000", "-m", "m", "--target", "vllm", "-v")
            done = vllmctl("chat", "hi", *base)
            assert done.code in (3, 5, 7)
            assert f"proxy http://…@127.0.0.1:{served.port}" in done.err
            assert PASSWORD not in done.err
            assert KEY not in done.err
            monkeypatch.delenv(variable)


def test_the_key_follows_no_redirect_to_another_server(vllmctl, monkeypatch):
    monkeypatch.setenv("VLLMCTL_API_KEY", KEY)
    with serving([stream_head(), event("a"), DONE]) as other:
        for status in ("301", "302", "303", "307", "308"):
            for place in (other.url, f"//127.0.0.1:{other.port}", "https://127.0.0.1/x"):
                with serving([response(b"", f"{status} x", f"Location: {place}")]) as served:
                    base = ("--base-url", served.url, "-m", "m", "--target", "vllm")
                    assert vllmctl("chat", "hi", *base).code in (3, 4)
    assert other.got == []


def test_a_fault_of_ours_shows_no_key_even_with_its_traceback(vllmctl, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError(f"cannot use {KEY}")

    monkeypatch.setattr("vllmctl.render.stats.write_usage", broken)
    monkeypatch.setenv("VLLMCTL_API_KEY", KEY)
    for traceback in ("", "1"):
        monkeypatch.setenv("VLLMCTL_TRACEBACK", traceback)
        done = vllmctl("chat", "hi", "-u", "--base-url", "mock:?api-key=" + KEY)
        assert done.code == 1
        assert ("Traceback" in done.err) is bool(traceback)
        assert "cannot use …" in done.err
        assert KEY not in done.err


def test_what_is_saved_holds_no_secret(vllmctl, tmp_path):
    url = f"http://me:{PASSWORD}@127.0.0.1:1"
    flags = (
        "--api-key", KEY, "-H", f"Authorization: Bearer {KEY}", "-H", f"X-Token: {KEY}",
        "-H", "X-Team: ml", "--base-url", url, "--seed", "5",
    )  # fmt: skip
    assert vllmctl("profiles", "save", "a", *flags).code == 0
    assert vllmctl("chat", "hi", "--save-profile", "b", "-n", *flags).code == 0
    saved = [path for path in tmp_path.rglob("*.toml") if path.is_file()]
    assert sorted(path.stem for path in saved) == ["a", "b"]
    for path in saved:
        text = path.read_text()
        assert "seed = 5" in text
        assert KEY not in text
        assert PASSWORD not in text


def test_a_session_and_an_answer_in_a_file_hold_no_secret(vllmctl, monkeypatch, tmp_path):
    monkeypatch.setenv("VLLMCTL_API_KEY", KEY)
    base = ("--base-url", f"mock:?api-key={KEY}", "-m", "mock", "--target", "vllm", "-v")
    assert vllmctl("chat", "hi", *base, "--session", "s", "--output", "a.txt").code == 0
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"s.jsonl", "a.txt"} <= {path.name for path in kept}
    assert all(KEY not in path.read_text() for path in kept)
    private = next(path for path in kept if path.name == "s.jsonl").parent
    assert private.stat().st_mode & 0o077 == 0


def test_a_dry_run_holds_no_secret(vllmctl, monkeypatch):
    monkeypatch.setenv("VLLMCTL_API_KEY", KEY)
    done = vllmctl("chat", "hi", "-n", "-v", "--base-url", f"http://me:{PASSWORD}@h.example")
    assert "Authorization: Bearer …" in done.err
    assert KEY not in done.out + done.err
    assert PASSWORD not in done.out + done.err


def test_nothing_that_holds_a_secret_shows_it_when_printed():
    variables = {
        "VLLMCTL_API_KEY": KEY,
        "VLLMCTL_BASE_URL": f"http://me:{PASSWORD}@h.example?api_key={KEY}",
        "VLLMCTL_PROXY": f"http://me:{PASSWORD}@p.example",
    }
    env = Environment(variables=variables)
    settings = merged(of_environment(env))
    link = connection(settings, env)
    headers = {"Authorization": f"Bearer {KEY}"}
    holders = [
        settings, link, link.api_key, server_of(link, env), server_of(link, env).proxy,
        Request("POST", "/", headers), MockRequest("POST", "/", "", headers),
        MockOptions(api_key=KEY),
    ]  # fmt: skip
    for holder in holders:
        assert KEY not in repr(holder), type(holder)
        assert PASSWORD not in repr(holder), type(holder)


def test_a_short_word_is_no_secret(tmp_path):
    with (tmp_path / "err").open("w+") as stream:
        guarded = discreet(stream)
        guarded.hide("mock", "…")
        guarded.hide("longer-one", "…")
        guarded.write("a mock and a longer-one\n")
        stream.seek(0)
        assert stream.read() == "a mock and a …\n"


@pytest.fixture
def elsewhere(monkeypatch):
    """Let hosts that end in .example be found on this machine."""
    found = socket.getaddrinfo

    def lookup(host, port, *args, **more):
        is_example = host.endswith(b".example" if isinstance(host, bytes) else ".example")
        return found("127.0.0.1" if is_example else host, port, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)


def test_a_key_in_plain_text_over_the_network_is_warned_of(vllmctl, monkeypatch, elsewhere):
    monkeypatch.setenv("VLLMCTL_API_KEY", KEY)
    with serving([stream_head(), event("a"), DONE]) as served:
        for host, warned in (("gpu.example", True), ("127.0.0.1", False)):
            url = f"http://{host}:{served.port}"
            done = vllmctl("chat", "hi", "--base-url", url, "-m", "m", "--target", "vllm")
            assert done.code == 0
            assert ("in plain text" in done.err) is warned
    assert all(got.headers["authorization"] == f"Bearer {KEY}" for got in served.got)


def test_a_cloned_project_runs_nothing_before_it_is_trusted(vllmctl, tmp_path):
    marker = tmp_path / "ran"
    Path("vllmctl.toml").write_text(f"[server]\napi_key_cmd = 'touch {marker}; echo {KEY}'\n")
    base = ("--base-url", "mock:", "-m", "mock", "--target", "vllm")
    for arguments in (("chat", "hi"), ("complete", "hi"), ("chat", "hi", "-n", "-v")):
        done = vllmctl(*arguments, *base)
        assert done.code == (0 if "-n" in arguments else 2)
        assert "not trusted" in done.err
        assert not marker.exists()
    for words in (("profiles", "list"), ("profiles", "check"), ("lint", "{}"), ("fields",)):
        vllmctl(*words)
        assert not marker.exists()
    assert vllmctl("profiles", "trust").code == 0
    done = vllmctl("chat", "hi", *base)
    assert (done.code, marker.exists()) == (0, True)
    assert KEY not in done.out + done.err


def test_a_cloned_project_sends_no_key_to_a_server_of_its_own(vllmctl, monkeypatch, elsewhere):
    monkeypatch.setenv("VLLMCTL_API_KEY", KEY)
    with serving([stream_head(), event("a"), DONE]) as served:
        Path("vllmctl.toml").write_text(
            f"[server]\nbase_url = 'http://evil.example:{served.port}'\n[request]\nmodel = 'm'\n"
        )
        done = vllmctl("chat", "hi", "--target", "vllm")
        assert done.code == 0
        assert "is not sent: project config" in done.err
        assert "authorization" not in served.got[0].headers
        vllmctl("chat", "hi", "--target", "vllm", "-H", f"Authorization: Bearer {KEY}")
        assert served.got[1].headers["authorization"] == f"Bearer {KEY}"  # the user's own word
        vllmctl("profiles", "trust")
        vllmctl("chat", "hi", "--target", "vllm")
        assert served.got[2].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("name", ["../secret.txt", "link.txt", "~/secret.txt"])
def test_a_cloned_project_reads_no_file_outside_of_it(vllmctl, tmp_path, name):
    for place in (tmp_path / "secret.txt", tmp_path / "home" / "secret.txt"):
        place.write_text(PASSWORD)
    Path("link.txt").symlink_to(tmp_path / "secret.txt")
    Path("vllmctl.toml").write_text(f"[chat]\nchat_template = '@{name}'\n")
    done = vllmctl("chat", "hi", "-n")
    assert done.code == 2
    assert PASSWORD not in done.out + done.err


def test_the_key_is_in_no_command_line_that_we_start(tmp_path):
    """What ``api_key_cmd`` prints is nowhere in the list of processes."""
    seen = tmp_path / "seen"
    (tmp_path / "p.toml").write_text(
        f"[server]\napi_key_cmd = 'echo {KEY[:8]}$PART'\nbase_url = 'mock:?ttft=2s'\n"
    )
    variables = os.environ | {"PART": KEY[8:], "VLLMCTL_TRUST": str(tmp_path)}
    command = [sys.executable, "-m", "vllmctl", "chat", "hi", "-p", "./p.toml", "-m", "mock"]
    with subprocess.Popen(
        [*command, "--target", "vllm"],
        cwd=tmp_path,
        env=variables,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    ) as running:
        assert running.stderr is not None
        running.stderr.readline()  # the mock is asked, so the key is there
        seen.write_bytes(Path(f"/proc/{running.pid}/cmdline").read_bytes())
        running.kill()
    assert KEY not in seen.read_text()


def test_an_address_of_megabytes_is_masked_at_once():
    for text in ("?token" * 100_000, "http://" + ":" * 500_000, "?&key=x" * 100_000, "@" * 500_000):
        assert len(masked_url(text)) <= len(text) + 100_001
