"""What models, servers and files say cannot control a terminal, in any format."""

import json
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.client.servers import response, serving, stream_head
from tests.hostile.screens import Screen
from tools.fuzz.terminal import Terminal, check_harmless
from vllmctl.__main__ import run
from vllmctl.mock.options import MockOptions
from vllmctl.mock.server import MockServer

EVIL = (
    "a\x1b]0;title\x07b\x1b]52;c;cGFzdGU=\x1b\\c\x1b[2J\x1b[1;1Hd\x9b31me\x9d8;;http://x\x9c"
    "f\rg\x08\x08h\x00i\x7fj\u202ek\u2066l\u200fm\x1bPq\x1b\\n\x1b[?1049ho"
)
FORMATS = ("text", "markdown", "json", "jsonl", "sse", "raw")
PARTS = (
    ("--plain",), ("-x",), ("--parse",), ("--only-reasoning",), ("-u",), ("--usage-json",),
    ("--show-logprobs", "heat"), ("--show-logprobs", "table"), ("--show-logprobs", "tsv"),
    ("--color", "always"), ("--n", "2"), ("-v", "--include"),
)  # fmt: skip


@pytest.fixture
def shown(vllmctl, monkeypatch):
    """Run a command on a terminal; return the code, and what its streams show there."""

    def call(*arguments: str) -> tuple[int, str]:
        out, err = Terminal(), Terminal()
        with monkeypatch.context() as patch:
            for name, stream in (("stdin", None), ("stdout", out), ("stderr", err)):
                patch.setattr(sys, name, stream)
            code = run(list(arguments))
        return code, out.text + err.text

    return call


def chat_script(**choice: object) -> list[bytes]:
    body = {"id": EVIL, "model": EVIL, "choices": [{"index": 0, **choice}], "usage": {EVIL: EVIL}}
    return [response(json.dumps(body).encode(), "200 OK", "Content-Type: application/json")]


def stream_script(*deltas: dict[str, object]) -> list[bytes]:
    choices = [{"index": 0, "delta": delta} for delta in deltas]
    choices[-1] |= {"finish_reason": EVIL, "stop_reason": EVIL}
    chunks = [json.dumps({"choices": [choice]}).encode() for choice in choices]
    return [stream_head(), *(b"data: %b\n\n" % chunk for chunk in chunks), b"data: [DONE]\n\n"]


CALL = {"index": 0, "id": EVIL, "function": {"name": EVIL, "arguments": json.dumps({EVIL: EVIL})}}
TOKEN = {"token": EVIL, "logprob": -0.5, "bytes": None, "top_logprobs": []}
LOGPROBS = {"content": [TOKEN | {"top_logprobs": [TOKEN]}]}
ANSWERS = {
    "content": stream_script({"content": EVIL}),
    "markdown": stream_script({"content": f"# {EVIL}\n\n- `{EVIL}`\n\n```{EVIL}\n{EVIL}\n```\n"}),
    "table": stream_script({"content": f"| {EVIL} | b |\n|---|---|\n| [x]({EVIL}) | d |\n\n"}),
    "cut": stream_script({"content": EVIL[:9]}, {"content": EVIL[9:11]}, {"content": EVIL[11:]}),
    "reasoning": stream_script({"reasoning": EVIL}, {"content": "x"}),
    "refusal": stream_script({"refusal": EVIL}),
    "call": stream_script({"tool_calls": [CALL]}),
    "whole": chat_script(
        message={"content": EVIL, "reasoning": EVIL, "tool_calls": [CALL]},
        finish_reason=EVIL,
        logprobs=LOGPROBS,
    ),
    "json": chat_script(message={"content": json.dumps(EVIL)}, finish_reason="stop"),
    "bytes": [stream_head(), b"data: \x1b]0;t\x07\xc2\x9b\n\n", b"\x1b[2J", b"\n\n"],
    "error": [response(json.dumps({"error": {"message": EVIL, "type": EVIL}}).encode(), "400 x")],
    "text": [response(EVIL.encode(), "500 x")],
    "page": [response(f"<title>{EVIL}</title>".encode(), "502 x", "Content-Type: text/html")],
    "in stream": [stream_head(), b"data: %b\n\n" % json.dumps({"error": EVIL}).encode()],
    "head": [
        stream_head("X-Evil: \x1b]0;t\x07\x9b", "X-Request-Id: \x1b[2J\u202e", "Server: \x1b")
    ],
    "status": [b"HTTP/1.1 400 \x1b]0;t\x07\r\nContent-Length: 0\r\n\r\n"],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_in_every_format(shown, name):
    with serving(ANSWERS[name]) as served:
        base = ("chat", "hi", "--base-url", served.url, "-m", "m", "--no-check", "--no-verify")
        for form in FORMATS:
            _, text = shown(*base, "--format", form, "-v", "--include")
            check_harmless(text)
        for part in PARTS:
            check_harmless(shown(*base, *part)[1])
        assert len(served.got) == len(FORMATS) + len(PARTS)


def test_json_stays_json_on_a_terminal(shown):
    with serving(ANSWERS["whole"]) as served:
        base = ("chat", "hi", "--base-url", served.url, "-m", "m", "--no-check", "-q")
        for form in ("json", "raw"):
            _, text = shown(*base, "--format", form)
            answer, _ = json.JSONDecoder().raw_decode(text)
            assert answer["choices"][0]["message"]["content"] == EVIL


def test_what_cannot_be_shown_is_named(shown):
    with serving(stream_script({"content": "a\x1b[2J\u202eb"})) as served:
        _, text = shown("chat", "hi", "--base-url", served.url, "-m", "m", "--no-check", "--plain")
    assert "a␛[2J\\u202eb" in text


def test_a_pipe_gets_the_very_characters(vllmctl):
    with serving(stream_script({"content": EVIL})) as served:
        done = vllmctl("chat", "hi", "--base-url", served.url, "-m", "m", "--no-check", "-q")
    assert done.out == EVIL


def test_names_of_models(shown):
    models = {"object": "list", "data": [{"id": EVIL}, {"id": f"{EVIL}2"}]}
    listed = response(json.dumps(models).encode(), "200 OK", "Content-Type: application/json")
    unknown = response(
        json.dumps({"error": {"message": f"The model `{EVIL}` does not exist."}}).encode(), "404 x"
    )
    with serving([listed]) as served:
        base = ("chat", "hi", "--base-url", served.url, "--target", "vllm")
        code, text = shown(*base)
        check_harmless(text)
        assert code == 2
    with serving([unknown], [listed]) as served:
        base = ("chat", "hi", "--base-url", served.url, "--target", "vllm")
        check_harmless(shown(*base, "-m", EVIL.replace("\0", ""))[1])


def test_files_profiles_and_words_of_the_command_line(shown, monkeypatch):
    evil = EVIL.replace("\0", "").replace("/", "")
    quoted = json.dumps(EVIL).replace("\\u0000", "")
    Path(f"{evil}.toml").write_text("[request]\ntemperatur = 1\n")
    Path(f"{evil}.json").write_text(json.dumps({"prompt": "x", EVIL: EVIL}))
    Path("vllmctl.toml").write_text(
        f"description = {quoted}\n[profiles.{quoted}]\ndescription = {quoted}\n"
        f"[profiles.p.request]\nuser = {quoted}\n[profiles.q]\n{quoted} = {quoted}\n"
        f"[profiles.r.server]\nbase_url = {quoted}\n"
    )
    for arguments in commands_about(evil):
        code, text = shown(*arguments)
        try:
            check_harmless(text)
        except AssertionError as fault:
            raise AssertionError((arguments, text)) from fault
        assert code in (0, 2, 3), (arguments, text)
        assert "unexpected" not in text, (arguments, text)


def test_what_a_shell_is_offered(vllmctl, monkeypatch, tmp_path):
    quoted = json.dumps(EVIL).replace("\\u0000", "")
    Path("vllmctl.toml").write_text(f"[profiles.{quoted}.request]\nseed = 1\n[profiles.good]\n")
    cache = tmp_path / "home" / ".cache" / "vllmctl"
    cache.mkdir(parents=True)
    (cache / "models.json").write_text(json.dumps([EVIL, "a\tb\nc", "good"]))
    for words in (("chat", "-p", ""), ("profiles", "show", ""), ("chat", "-m", "")):
        done = vllmctl("__complete", *words)
        assert "good\t" in done.out
        check_harmless(done.out)
        assert all(line.count("\t") == 1 for line in done.out.splitlines())


def commands_about(evil: str) -> list[tuple[str, ...]]:
    """Every place of a command line where ``evil`` can stand."""
    file, body = f"{evil}.json", json.dumps({"prompt": EVIL, "stop": [EVIL], "topp": EVIL})
    return [
        ("profiles", "list"), ("profiles", "list", "--format", "json"), ("profiles", "check"),
        ("profiles", "show", "p"), ("profiles", "show", "p", "--origin"),
        ("profiles", "show", evil),
        ("profiles", "show", "p", "--resolved"), ("profiles", "check", f"./{evil}.toml"),
        ("profiles", "path", evil), ("profiles", "rm", evil), ("profiles", "trust", evil),
        ("profiles", "save", evil), ("profiles", evil),
        *(("chat", "hi", *words) for words in (
            ("-p", "p", "-n", "-v"), ("-p", "q"), ("-p", "r"), ("-p", evil),
            ("-p", f"./{evil}.toml"),
            ("-o", f"{evil}=1", "-n"), ("--top-p", evil), ("--output", f"{evil}/x"),
            ("--base-url", f"http://{evil}"), ("--base-url", f"mock:?{evil}=1"), ("--target", evil),
            ("-H", evil), ("--color", evil), ("--unset", evil), (f"--{evil}",), ("-\x1b",),
        )),
        ("chat", evil, "-n"), ("chat", "-f", evil), ("chat", f"@{evil}"), (evil,),
        *(("lint", *words) for words in (
            (file,), (file, "--json"), (file, "--format", "jsonl"), (file, "--format", "github"),
            (file, "--fix"), (evil,), ("-p", f"./{evil}.toml"), (body, "--color", "always"),
            (f"curl -d '{evil}' http://h",),
        )),
        ("explain", evil), ("fields", evil), ("fields", "--search", evil), ("completion", evil),
        ("mock", "--fault", evil), ("mock", evil),
    ]  # fmt: skip


def left_behind(seen: bytes) -> list[str]:
    """What a terminal is still asked to do: colours, a hidden cursor, another screen."""
    text = seen.decode("utf-8", "replace")
    styles = re.findall(r"\x1b\[([\d;]*)m", text)
    modes = re.findall(r"\x1b\[\?(\d+)([hl])", text)
    left = [f"style {styles[-1]}"] if styles and styles[-1] not in ("", "0") else []
    last = dict(modes)
    hidden = {"25": "h", "1049": "l", "2026": "l", "7": "h"}
    return left + [f"mode {m}" for m, state in last.items() if hidden.get(m, "l") != state]


@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_a_real_terminal_is_left_as_it_was(format):
    reply = f"# Title\n\n| a | b |\n|---|---|\n| {EVIL} | x |\n\n- **bold** `code`\n"
    with MockServer(MockOptions(reply=reply, reasoning=EVIL, seed=1)) as server:
        screen = Screen("chat", "hi", "--base-url", server.url, "-m", "mock", "--format", format)
        seen = screen.read_until(None)
        screen.close()
    assert screen.process.returncode == 0
    check_harmless(seen.decode())
    assert left_behind(seen) == []
    assert seen.endswith(b"\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGWINCH])
def test_a_real_terminal_is_left_as_it_was_by_signals(number):
    options = MockOptions(reply="**bold and long** " * 40, reasoning="thinking", tps=20, seed=1)
    with MockServer(options) as server:
        screen = Screen("chat", "hi", "--base-url", server.url, "-m", "mock", "--max-tokens", "40")
        screen.read_until(b"bo")
        screen.process.send_signal(number)
        seen = screen.read_until(None)
        screen.close()
    assert screen.process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}.get(number, 0)
    assert b"Traceback" not in seen
    assert left_behind(seen) == []
