"""Reported troubles with answers (b…) and configuration (d…), through the whole program.

Lower layers test how they are read; here it is the exit code, stdout, and the words on stderr.
"""

import json
import os
import tomllib
from pathlib import Path

import pytest

from tests.client.replay import cases
from tests.client.servers import response, serving, stream_head
from tests.client.test_reported_cases import reads_of
from tests.hostile.processes import finished
from vllmctl.mock.options import MockOptions
from vllmctl.mock.server import MockServer

_TABLE = Path(__file__).parent.parent / "data" / "hostile" / "cases.toml"
TABLE = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
ANSWER = [
    stream_head(),
    b'data: {"choices": [{"index": 0, "delta": {"content": "ok"}, "finish_reason": "stop"}]}\n\n',
    b"data: [DONE]\n\n",
]
SENDS = ("-m", "m", "--target", "vllm")


def head_of(given) -> bytes:
    headers = given.get("headers") or {"content-type": given.get("content_type", "")}
    kept = {name: value for name, value in headers.items() if name.lower() != "content-length"}
    lines = [f"HTTP/1.1 {given.get('status', 200)} X", *(f"{n}: {v}" for n, v in kept.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def test_every_case_of_an_answer_is_in_the_table():
    assert set(TABLE) == {
        name for name, case in cases().items() if case["input"]["form"] in ("sse", "http")
    }


@pytest.mark.parametrize("name", TABLE)
def test_an_odd_answer(vllmctl, name):
    expected, case = TABLE[name], cases()[name]
    several = ("--n", "2") if name == "b077" else ()
    with serving([head_of(case["input"]), *reads_of(case)]) as served:
        base = (expected.get("command", "chat"), "hi", "--base-url", served.url, "-m", "m", "-u")
        done = vllmctl(*base, "--no-check", "--no-verify", *several)
    assert done.code == expected["code"], done.err
    assert len(done.out) == expected.get("length", len(done.out))
    assert done.out == expected.get("text", done.out)
    for words in expected.get("says", ()):
        assert words in done.err
    assert ("error: " in done.err) is bool(done.code)
    assert done.err.count("request id ") == bool(done.code)
    assert "None" not in done.err


def test_b059_a_busy_server_is_asked_again_as_it_wishes(vllmctl, monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr("vllmctl.client.transport.sleep", slept.append)
    busy = response(b"{}", "429 Too Many Requests", "Retry-After: 7")
    with serving([busy], ANSWER) as served:
        done = vllmctl("chat", "hi", "--base-url", served.url, *SENDS, "--retries", "2")
    assert (done.code, done.out, slept) == (0, "ok", [7.0])
    assert "trying again in 7 s (1 of 2)" in done.err
    for status in ("400 x", "401 x", "404 x", "422 x", "500 x"):
        with serving([response(b"{}", status)], ANSWER) as served:
            done = vllmctl("chat", "hi", "--base-url", served.url, *SENDS, "--retries", "2")
        assert done.code in (4, 5)
        assert len([got for got in served.got if "chat" in got.line]) == 1


@pytest.mark.parametrize(
    "form", ["{}/", "{}/v1", "{}/v1/", "{}//v1//", "{}/v1/chat/completions", "{}/v1/models"]
)
def test_b063_b065_b066_addresses_as_people_write_them(vllmctl, form):
    with serving(ANSWER) as served:
        url = form.format(served.url)
        assert vllmctl("chat", "hi", "--base-url", url, *SENDS).code == 0
        bare = url.removeprefix("http://")
        assert vllmctl("chat", "hi", "--base-url", bare, *SENDS).code == 0
        prefixed = url.replace(served.url, f"{served.url}/team-a")
        assert vllmctl("chat", "hi", "--base-url", prefixed, *SENDS).code == 0
    paths = [got.line.split()[1] for got in served.got]
    assert paths == ["/v1/chat/completions"] * 2 + ["/team-a/v1/chat/completions"]


def test_b067_b071_this_machine_is_reached_whatever_proxies_and_resolvers_say(vllmctl, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    with serving(ANSWER) as served:
        for host in ("localhost", "127.0.0.1"):
            url = f"http://{host}:{served.port}"
            assert vllmctl("chat", "hi", "--base-url", url, *SENDS).out == "ok"
    done = vllmctl("chat", "hi", "--base-url", "http://localhost:1", *SENDS)
    assert done.code == 3
    assert "127.0.0.1 port 1: connection refused" in done.err


def test_b069_an_unknown_authority_is_named_and_not_tried_again(vllmctl, project):
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(project / "tests/data/client/localhost.pem")
    with serving(ANSWER, tls=context, reads=False) as served:
        url = f"https://localhost:{served.port}"
        done = vllmctl("chat", "hi", "--base-url", url, *SENDS, "--retries", "3")
    assert done.code == 3
    for words in ("cannot trust", "--ca-file", "SSL_CERT_FILE"):
        assert words in done.err
    assert "trying again" not in done.err


def test_b075_a_slow_first_token_is_waited_for_unless_limited(vllmctl):
    slow = [1.2, *ANSWER]
    with serving(slow) as served:
        base = ("chat", "hi", "--base-url", served.url, *SENDS)
        assert vllmctl(*base, "--connect-timeout", "500ms").out == "ok"
        for flag, time in (("--idle-timeout", "200ms"), ("--timeout", "0.3")):
            done = vllmctl(*base, flag, time)
            assert done.code == 6
            assert flag in done.err


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (  # d001
            'base_url = "http://localhost:9000/v1"\nkind = "vllm"\nmdoel = "m"\n'
            "[default]\ntemperature = 0.2\n",
            ["vllmctl.toml:1: base_url", "belongs in [server]", "vllmctl.toml:3: mdoel", "model",
             "vllmctl.toml:4: default", "[request]"],
        ),
        ("[server]\ntimeout_sec = 900\nverify = false\n", ["timeout_sec", "insecure"]),  # d003
        ('[request]\nseed = 1\n[request]\nseed = 2\n', ["vllmctl.toml:3", "line 1"]),  # d004
        ('[request]\nmax_tokens = "8000"\n', ["vllmctl.toml:2", 'the string "8000"']),  # d006
        ("[server]\nbase_url = 8000\n", ["vllmctl.toml:2", "expected a string"]),  # d008
        ('[server]\ntimeout = "banana"\n', ["vllmctl.toml:2", "90s", "2m"]),  # d009
    ],
    ids=["d001", "d003", "d004", "d006", "d008", "d009"],
)  # fmt: skip
def test_a_wrong_configuration_stops_everything(vllmctl, toml, words):
    Path("vllmctl.toml").write_text(toml)
    with serving(ANSWER) as served:
        done = vllmctl("chat", "hi", "--base-url", served.url, *SENDS)
        assert served.got == []
    assert (done.code, done.out) == (2, "")
    for each in words:
        assert each in done.err


def test_d010_the_environment_beats_files_and_nobody_writes_defaults(
    vllmctl, monkeypatch, tmp_path
):
    config = tmp_path / "home" / ".config" / "vllmctl"
    config.mkdir(parents=True)
    text = '[server]\nbase_url = "http://127.0.0.1:1"\n'
    (config / "config.toml").write_text(text)
    with serving(ANSWER) as served:
        monkeypatch.setenv("OPENAI_API_BASE", f"{served.url}/v1")
        done = vllmctl("chat", "hi", *SENDS, "-v")
        assert done.out == "ok"
        assert "(OPENAI_API_BASE)" in done.err
    assert (config / "config.toml").read_text() == text
    assert [path.name for path in config.iterdir()] == ["config.toml"]


def test_d012_a_refused_key_is_named_by_its_source(vllmctl, monkeypatch):
    monkeypatch.setenv("VLLM_API_KEY", "changeme")
    with MockServer(MockOptions(api_key="another", models=("m",))) as server:
        done = vllmctl("chat", "hi", "--base-url", server.url, *SENDS)
    assert done.code == 4
    assert "VLLM_API_KEY, which looks like a placeholder" in done.err


def test_d013_what_the_profile_says_is_what_is_sent(vllmctl):
    Path("vllmctl.toml").write_text("[request]\ntemperature = 0.6\ntop_p = 0.95\n")
    dry = vllmctl("chat", "hi", *SENDS, "-n").json
    with serving(ANSWER) as served:
        vllmctl("chat", "hi", "--base-url", served.url, *SENDS)
    assert json.loads(served.got[0].body) == dry
    assert dry.keys() == {"model", "messages", "temperature", "top_p", "stream"}


def test_d016_a_key_that_others_can_read_is_told_once(vllmctl):
    path = Path("vllmctl.toml")
    path.write_text('[server]\napi_key = "sk-test-1234567890"\n')
    path.chmod(0o644)
    done = vllmctl("chat", "hi", "--base-url", "mock:", "-m", "mock", "--target", "vllm")
    assert done.code == 0
    assert done.err.count("chmod 600") == 1
    assert "sk-test" not in done.err


def test_d017_d019_paths_start_where_they_are_written(vllmctl, tmp_path, monkeypatch):
    folder = tmp_path / "work" / "sub"
    folder.mkdir()
    (tmp_path / "work" / "t.jinja").write_text("{{ messages }}")
    (tmp_path / "work" / "vllmctl.toml").write_text('[chat]\nchat_template = "@t.jinja"\n')
    monkeypatch.chdir(folder)
    assert vllmctl("chat", "hi", "-n").json["chat_template"] == "{{ messages }}"
    (tmp_path / "work" / "t.jinja").unlink()
    missing = vllmctl("chat", "hi", "-n")
    assert missing.code == 2
    assert str(tmp_path / "work" / "t.jinja") in missing.err
    (tmp_path / "work" / "vllmctl.toml").unlink()
    for words in (("--output", "~/a.txt"), ("--ca-file", "~/ca.pem"), ("-p", "~/p.toml")):
        vllmctl("chat", "hi", *words, "--base-url", "mock:", "-m", "mock", "--target", "vllm")
    assert (tmp_path / "home" / "a.txt").exists()
    assert list(folder.iterdir()) == []


HOMES = {
    "unset": None, "empty": "", "missing": "/nonexistent/home", "a file": "/dev/null",
    "read-only": "/proc/1", "relative": "there",
}  # fmt: skip


@pytest.mark.parametrize("name", HOMES)
def test_d020_d022_without_a_usable_home_all_works_that_needs_none(vllmctl, monkeypatch, name):
    home = HOMES[name]
    monkeypatch.delenv("HOME") if home is None else monkeypatch.setenv("HOME", home)
    Path("c.toml").write_text("[request]\nseed = 3\n")
    for arguments in (
        ("chat", "hi", "--base-url", "mock:"), ("chat", "hi", "-p", "./c.toml", "-n"),
        ("chat", "hi", "-p", "greedy", "-n"), ("profiles", "list"), ("profiles", "check"),
        ("lint", "./c.toml"), ("explain", "top_k"), ("__complete", "chat", "-p", ""),
    ):  # fmt: skip
        done = vllmctl(*arguments)
        assert done.code == 0, (arguments, done.err)
    for arguments in (("profiles", "save", "x", "--seed", "1"), ("profiles", "path")):
        done = vllmctl(*arguments)
        assert done.code == (0 if name == "read-only" and "path" in arguments else 2), arguments
        assert "unexpected" not in done.err
    assert [path.name for path in Path.cwd().iterdir()] == ["c.toml"]


def test_d024_what_is_saved_can_be_read_again(vllmctl, tmp_path):
    texts = ['say "hi"', "C:\\certs\\new.pem", "a'b'''c", '"""', "tab\tline\n", "\x7f\x1f", "ü😀"]
    for text in texts:
        option = f"stop:={json.dumps([text])}"
        saved = vllmctl("profiles", "save", "win", "--force", "-o", option, "--user", text)
        assert saved.code == 0, saved.err
        body = vllmctl("chat", "hi", "-p", "win", "-n").json
        assert (body["stop"], body["user"]) == ([text], text)


def test_a_folder_that_was_removed_is_no_trouble(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()

    def remove() -> None:
        gone.rmdir()

    for arguments in (("chat", "hi", "-n"), ("profiles", "list"), ("lint", '{"prompt": "x"}')):
        gone.mkdir(exist_ok=True)
        done = finished(*arguments, cwd=gone, preexec_fn=remove, PYTHONPATH=str(Path.cwd()))
        assert done.code == 0, done.err


def test_files_that_vanish_or_are_none_are_told(vllmctl, tmp_path, monkeypatch):
    Path("folder").mkdir()
    Path("link").symlink_to("nowhere")
    Path("circle").symlink_to("circle")
    os.mkfifo("pipe")
    for name in ("folder", "link", "circle", "missing"):
        for arguments in (
            ("-f", name), (f"@{name}",), ("-s", f"@{name}"), ("-d", f"@{name}"),
            ("-p", f"./{name}"), ("-o", f"user=@{name}"), ("--api-key", f"@{name}"),
        ):  # fmt: skip
            done = vllmctl("chat", "hi", *arguments, "--base-url", "mock:")
            assert done.code == 2, (arguments, done.err)
            assert name in done.err
        done = vllmctl("lint", name)
        assert done.code == 2
    monkeypatch.setenv("EDITOR", "rm -f")
    Path("vllmctl.toml").write_text("[profiles.a.request]\nseed = 1\n")
    done = vllmctl("profiles", "edit", "a")
    assert done.code == 2
    assert "unexpected" not in done.err
