"""``chat`` and ``complete`` against servers that answer as a real one did, or wrongly."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.client.replay import captures
from tests.client.servers import response, serving, stream_head
from vllmctl.env import Environment

CHAT_STREAM = "chat-basic-stream"


def event(**chunk: object) -> bytes:
    return (
        b"data: "
        + json.dumps({"id": "c-1", "model": "m", "object": "x", **chunk}).encode()
        + b"\n\n"
    )


def piece(text: str | None = None, *, index: int = 0, finish: str | None = None, **delta: object):
    content = {} if text is None else {"content": text}
    choice = {"index": index, "delta": {**content, **delta}, "finish_reason": finish}
    return event(object="chat.completion.chunk", choices=[choice])


DONE = b"data: [DONE]\n\n"
ANSWER = (piece("Hel"), piece("lo"), piece(finish="stop"), DONE)
MODELS = response(
    json.dumps(
        {"object": "list", "data": [{"id": "tiny", "root": "/m"}, {"id": "alias", "root": "/m"}]}
    ).encode(),
    "200 OK",
    "Content-Type: application/json",
)


def stream(*events: bytes) -> list[bytes]:
    return [stream_head(), *events]


@pytest.fixture
def chat(vllmctl):
    """Send ``chat hi`` to a server that plays ``scripts``, one a connection."""

    def call(*arguments: str, scripts, command: str = "chat", model: bool = True, **more):
        with serving(*scripts) as served:
            base = ("--base-url", served.url, "--target", "vllm==0.32.0")
            named = ("-m", "tiny") if model else ()
            done = vllmctl(command, "hi", *base, *named, *arguments, **more)
        return done, served

    return call


def test_piped_output_is_the_text_and_nothing_else(chat):
    done, served = chat(scripts=[stream(*ANSWER)])
    assert (done.code, done.out, done.err) == (0, "Hello", "")
    assert served.got[0].line.startswith("POST /v1/chat/completions ")


def test_the_body_sent_is_the_body_that_a_dry_run_prints(chat, vllmctl):
    arguments = ("--temperature", "0.2", "--stop", r"\n", "-s", "Ünïcödé")
    _, served = chat(*arguments, scripts=[stream(*ANSWER)])
    dry = vllmctl("chat", "hi", "-m", "tiny", *arguments, "-n")
    assert json.loads(served.got[0].body) == dry.json


def test_the_only_model_is_found_and_its_names_count_once(chat):
    done, served = chat(scripts=[[MODELS], stream(*ANSWER)], model=False)
    assert done.code == 0
    assert [got.line.split()[1] for got in served.got] == ["/v1/models", "/v1/chat/completions"]
    assert json.loads(served.got[1].body)["model"] == "tiny"
    told, _ = chat("-v", scripts=[[MODELS], stream(*ANSWER)], model=False)
    assert "model: tiny, the server's only model, also called alias\n" in told.err


def test_several_models_are_listed(chat):
    two = json.dumps({"data": [{"id": "a"}, {"id": "b"}]}).encode()
    done, _ = chat(scripts=[[response(two)]], model=False)
    assert done.code == 2
    assert "a, b" in done.err
    assert "-m" in done.err


def test_the_server_tells_its_release_once(vllmctl, tmp_path):
    version = response(b'{"version": "0.10.2"}')
    with serving([version], stream(*ANSWER), stream(*ANSWER)) as served:
        for _ in range(2):
            done = vllmctl(
                "chat", "hi", "--base-url", served.url, "-m", "x", "--regex", "H.*", "-q"
            )
            assert done.code == 0
    assert [got.line.split()[1] for got in served.got] == [
        "/version", "/v1/chat/completions", "/v1/chat/completions",
    ]  # fmt: skip
    assert "guided_regex" in json.loads(served.got[1].body)


def test_an_unknown_server_is_judged_by_its_own_fields(vllmctl):
    known = {"messages": {"type": "array"}, "model": {"type": "string"}}
    properties = {**known, "stream": {"type": "boolean"}, "own_field": {}}
    schema = {"schema": {"type": "object", "properties": properties}}
    body = {"requestBody": {"content": {"application/json": schema}}}
    document = json.dumps({"paths": {"/v1/chat/completions": {"post": body}}}).encode()
    nothing = [response(b'{"detail": "Not Found"}', "404 Not Found")]
    base = ("chat", "hi", "-m", "x")
    with serving(nothing, [response(document)], stream(*ANSWER)) as served:
        done = vllmctl(*base, "--base-url", served.url, "-o", "own_field=1")
        assert (done.code, done.out) == (0, "Hello")
    with serving(nothing, [response(document)]) as served:
        refused = vllmctl(*base, "--base-url", served.url, "--top-p", "0.5")
    assert refused.code == 2
    assert "top_p" in refused.err


def test_a_target_that_the_server_does_not_run_is_told(vllmctl):
    with serving([response(b'{"version": "0.32.0"}')], stream(*ANSWER)) as served:
        base = ("chat", "hi", "--base-url", served.url, "-m", "x")
        assert vllmctl(*base).err == ""
        told = vllmctl(*base, "--target", "vllm==0.10.2")
    assert (
        "the server runs vllm==0.32.0, and this is checked for vllm==0.10.2 (--target)" in told.err
    )


def test_reasoning_goes_to_stderr_or_nowhere(chat):
    script = [stream(piece(reasoning="let me"), piece(reasoning_content=" think"), *ANSWER)]
    done, _ = chat(scripts=script)
    assert done.out == "Hello"
    assert re.fullmatch(r"let me think\nthought for 0\.\d+ s, 2 chunks\n", done.err)
    quiet, _ = chat("-q", scripts=script)
    assert (quiet.out, quiet.err) == ("Hello", "let me think\n")
    hidden, _ = chat("-R", scripts=script)
    assert (hidden.out, hidden.err) == ("Hello", "")


def test_how_much_was_thought_is_told_however_it_arrives(chat):
    several = b"".join([piece(reasoning="let me"), piece(reasoning=" think"), *ANSWER])
    done, _ = chat(scripts=[stream(several)])
    assert done.err == "let me think\nthought for 0.000 s, 2 chunks\n"
    one = b"".join([piece(reasoning="let me think"), *ANSWER])
    done, _ = chat(scripts=[stream(one)])
    assert done.err == "let me think\nthought: 1 chunk\n"


def test_a_cut_answer_is_told_once(chat, monkeypatch):
    monkeypatch.setattr(Environment, "is_terminal", lambda *_: True)
    script = [stream(piece("Hel"), piece(finish="length"), DONE)]
    for arguments, code in (((), 0), (("--strict",), 7)):
        done, _ = chat("--plain", *arguments, scripts=script)
        assert done.code == code
        assert done.err.count("the token limit") == 1


def test_that_there_is_no_reasoning_is_told(chat):
    done, _ = chat("--only-reasoning", scripts=[stream(*ANSWER)])
    assert (done.code, done.out) == (0, "")
    assert "note: there is no reasoning in the answer" in done.err
    assert chat("--only-reasoning", "-q", scripts=[stream(*ANSWER)])[0].err == ""


def test_several_answers_stay_apart(chat):
    script = [
        stream(
            piece("B1", index=1), piece("A1"), piece("B2", index=1), piece("A2"),
            piece(finish="stop"), piece(index=1, finish="stop"), DONE,
        )
    ]  # fmt: skip
    done, _ = chat("--n", "2", scripts=script)
    assert (done.code, done.out) == (0, "A1A2\nB1B2")


def test_usage_is_a_few_lines_on_stderr(chat):
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    done, served = chat("-u", scripts=[stream(*ANSWER[:3], event(choices=[], usage=usage), DONE)])
    assert json.loads(served.got[0].body)["stream_options"] == {"include_usage": True}
    assert done.out == "Hello"
    assert "tokens: 5 in the prompt, 2 in the answer" in done.err
    assert re.search(r"\d\.\d+ s to the first token", done.err)
    assert "finish: stop" in done.err


@pytest.mark.parametrize("name", sorted(n for n in captures() if captures()[n]["status"] == 200))
def test_every_recorded_answer_is_shown_as_json_text_and_raw(vllmctl, name):
    capture = captures()[name]
    body = capture["body"].encode()
    kind = next(v for k, v in capture["headers"].items() if k.lower() == "content-type")
    command = "chat" if "chat" in capture["path"] else "complete"
    n = capture["request"].get("n") or 1
    whole = response(body, "200 OK", f"Content-Type: {kind}")
    with serving([whole]) as served:
        base = (
            command,
            "hi",
            "--base-url",
            served.url,
            "--no-check",
            "-m",
            "x",
            "--n",
            str(n),
            "-q",
        )
        raw = vllmctl(*base, "--format", "raw")
        as_json = vllmctl(*base, "--json")
        text = vllmctl(*base)
    assert raw.out == capture["body"]
    if as_json.code == 0:
        first = as_json.json["choices"][0]
        said = first["message"].get("content") if command == "chat" else first["text"]
        assert text.out.startswith(said or "")
    assert raw.code == as_json.code == text.code


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ((piece("Hel"),), "ended before the answer was complete"),
        ((piece("Hel"), b"data: {broken\n\n"), "cannot be read"),
        (
            (piece("Hel"), b'data: {"error": {"message": "engine died", "code": 500}}\n\n', DONE),
            "engine died",
        ),
        ((piece("Hel"), piece(finish="abort"), DONE), "abort"),
    ],
)
def test_a_broken_answer_shows_what_came_and_exits_7(chat, events, words):
    done, _ = chat(scripts=[stream(*events)])
    assert (done.code, done.out) == (7, "Hel")
    assert words in done.err
    assert "request id " in done.err


def test_an_answer_that_is_not_as_asked_exits_7(chat):
    script = [stream(*ANSWER)]
    done, _ = chat("--regex", "[0-9]+", scripts=script)
    assert (done.code, done.out) == (7, "Hello")
    assert "does not keep structured_outputs.regex" in done.err
    assert "--no-verify" in done.err
    assert chat("--regex", "[0-9]+", "--no-verify", scripts=script)[0].code == 0


def test_a_cut_by_length_is_an_error_under_strict_only(chat):
    script = [stream(piece("Hel"), piece(finish="length"), DONE)]
    assert chat(scripts=script)[0].code == 0
    assert chat("--strict", scripts=script)[0].code == 7


@pytest.mark.parametrize(
    ("status", "body", "code", "words"),
    [
        ("400 Bad Request", {"error": {"message": "top_p must be in (0, 1]", "param": "top_p"}}, 4,
         ["400", "top_p must be", "set by --top-p"]),
        ("401 Unauthorized", {"error": "Unauthorized"}, 4, ["401", "VLLMCTL_API_KEY"]),
        ("404 Not Found", {"detail": "Not Found"}, 4, ["404"]),
        ("500 Internal Server Error", {"error": {"message": "boom"}}, 5, ["500", "boom"]),
        ("503 Service Unavailable", {"detail": "busy"}, 5, ["503", "busy"]),
    ],
)  # fmt: skip
def test_refusals_are_one_clear_message(chat, status, body, code, words):
    whole = response(json.dumps(body).encode(), status, "Content-Type: application/json")
    done, _ = chat("--top-p", "0.5", scripts=[[whole]])
    assert (done.code, done.out) == (code, "")
    for word in (*words, "request id"):
        assert word in done.err
    assert "Traceback" not in done.err


def test_a_refused_value_that_was_implied_names_what_implied_it(chat):
    refused = {"error": {"message": "logprobs are off", "param": "logprobs"}}
    whole = response(json.dumps(refused).encode(), "400 Bad", "Content-Type: application/json")
    done, _ = chat("--top-logprobs", "2", scripts=[[whole]])
    assert "\n  implied by top_logprobs\n" in done.err


def test_a_proxys_page_is_named_as_such(chat):
    page = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
    done, _ = chat(scripts=[[response(page, "502 Bad Gateway", "Content-Type: text/html")]])
    assert done.code == 5
    assert "502" in done.err
    assert "<html>" not in done.err


def test_nobody_there_is_exit_3_and_names_the_address(vllmctl):
    done = vllmctl("chat", "hi", "--base-url", "http://127.0.0.1:1", "-m", "x")
    assert done.code == 3
    assert "http://127.0.0.1:1" in done.err
    assert "--base-url" in done.err


def test_an_idle_server_is_exit_6(chat):
    done, _ = chat("--idle-timeout", "200ms", scripts=[[stream_head(), piece("Hel"), 3.0]])
    assert (done.code, done.out) == (6, "Hel")
    assert "--idle-timeout" in done.err


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/", "/v1/chat/completions", "//v1//"])
def test_the_address_is_forgiven(vllmctl, suffix):
    with serving(stream(*ANSWER)) as served:
        done = vllmctl("chat", "hi", "--base-url", served.url + suffix, "-m", "x", "--no-check")
    assert done.code == 0
    assert served.got[0].line.split()[1] == "/v1/chat/completions"


def test_a_unix_socket(vllmctl, tmp_path):
    path = tmp_path / "s"
    with serving(stream(*ANSWER), address=path):
        done = vllmctl("chat", "hi", "--base-url", f"unix://{path}", "-m", "x", "--no-check")
    assert (done.code, done.out) == (0, "Hello")


def test_a_loopback_server_is_reached_without_the_proxy(chat, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert chat(scripts=[stream(*ANSWER)])[0].out == "Hello"


def test_the_key_is_sent_and_never_shown(chat, monkeypatch):
    monkeypatch.setenv("VLLMCTL_API_KEY", "sk-very-secret-key-1")
    refusal = response(b'{"error":"Unauthorized"}', "401 Unauthorized")
    done, served = chat("-v", "--include", scripts=[[refusal]])
    assert served.got[0].headers["authorization"] == "Bearer sk-very-secret-key-1"
    assert "sk-very-secret-key-1" not in done.out + done.err
    assert "VLLMCTL_API_KEY" in done.err


def test_flag_beats_environment_beats_profile_for_the_server(chat, vllmctl, monkeypatch, tmp_path):
    profile = tmp_path / "p.toml"
    profile.write_text('[server]\nbase_url = "http://127.0.0.1:1"\n')
    with serving(stream(*ANSWER)) as served:
        monkeypatch.setenv("OPENAI_API_BASE", f"{served.url}/v1")
        done = vllmctl("chat", "hi", "-p", str(profile), "-m", "x", "--no-check")
    assert (done.code, done.out) == (0, "Hello")


def test_the_answer_into_a_file(chat, tmp_path):
    done, _ = chat("--output", "answer.txt", scripts=[stream(*ANSWER)])
    assert (done.code, done.out) == (0, "")
    assert Path("answer.txt").read_text() == "Hello"
    missing, served = chat("--output", "no/where.txt", scripts=[stream(*ANSWER)])
    assert (missing.code, served.got) == (2, [])


@pytest.mark.parametrize(
    ("format_", "shown"),
    [
        ("sse", lambda out: out.count("data: ") == 4 and out.endswith("data: [DONE]\n\n")),
        ("jsonl", lambda out: [json.loads(x)["id"] for x in out.splitlines()] == ["c-1"] * 3),
        ("raw", lambda out: out.encode() == b"".join(ANSWER)),
        ("json", lambda out: json.loads(out)["choices"][0]["message"]["content"] == "Hello"),
    ],
)
def test_formats(chat, format_, shown):
    done, _ = chat("--format", format_, scripts=[stream(*ANSWER)])
    assert done.code == 0
    assert shown(done.out)


def test_json_asks_for_no_stream_unless_told(chat):
    _, served = chat("--json", scripts=[stream(*ANSWER)])
    assert "stream" not in json.loads(served.got[0].body)


def test_what_would_be_refused_or_ignored_is_not_sent(chat):
    for arguments in (("--top-p", "2"), ("-o", "guided_regex=a+"), ("-o", "topk=1")):
        done, served = chat(*arguments, scripts=[stream(*ANSWER)])
        assert (done.code, served.got) == (2, [])
        assert "not sent" in done.err
    done, served = chat("-o", "topk=1", "--allow-unknown", scripts=[stream(*ANSWER)])
    assert (done.code, len(served.got)) == (0, 1)


def process(*arguments: str, **more) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "vllmctl", *arguments]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)


def test_ctrl_c_hangs_up_and_exits_130():
    with serving([stream_head(), piece("Hel"), 20.0]) as served:
        running = process(
            "chat", "hi", "--base-url", served.url, "-m", "x", "--no-check", stdout=subprocess.PIPE
        )
        assert running.stdout is not None
        assert os.read(running.stdout.fileno(), 3) == b"Hel"
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=10)
    assert running.returncode == 130
    assert b"Traceback" not in err


def test_a_reader_that_leaves_ends_it_quietly():
    many = [piece("word " * 2000) for _ in range(200)]
    with serving([stream_head(), *many, piece(finish="stop"), DONE]) as served:
        running = process(
            "chat", "hi", "--base-url", served.url, "-m", "x", "--no-check", stdout=subprocess.PIPE
        )
        assert running.stdout is not None
        os.read(running.stdout.fileno(), 3)
        running.stdout.close()
        assert running.stderr is not None
        err = running.stderr.read()
        code = running.wait(timeout=10)
    assert (code, err) == (0, b"")


def test_text_is_written_when_it_arrives():
    with serving(
        [stream_head(), piece("now"), 1.5, piece("later"), piece(finish="stop"), DONE]
    ) as s:
        running = process(
            "chat", "hi", "--base-url", s.url, "-m", "x", "--no-check", stdout=subprocess.PIPE
        )
        assert running.stdout is not None
        assert os.read(running.stdout.fileno(), 100) == b"now"
        came = time.monotonic()
        assert running.stdout.read() == b"later"
        assert time.monotonic() - came > 0.5
        assert running.wait(timeout=10) == 0


CODE = "Here:\n```python\nx = 1\n```\nand\n```\ny\n```\n"


def test_parts_of_an_answer(chat):
    code = [stream(piece(CODE), piece(finish="stop"), DONE)]
    assert chat("-x", scripts=code)[0].out == "x = 1\n"
    assert chat("--extract-all", scripts=code)[0].out == "x = 1\n\ny\n"
    thinking = [stream(piece(reasoning="hm"), *ANSWER)]
    assert chat("--only-reasoning", scripts=thinking)[0].out == "hm"
    parsed = [stream(piece('{"a":1}'), piece(finish="stop"), DONE)]
    assert chat("--parse", scripts=parsed)[0].json == {"a": 1}
    told, _ = chat("-x", "-u", scripts=[stream(*ANSWER)])
    assert (told.code, "tokens:" in told.err, "no code block" in told.err) == (7, True, True)
    for flag in ("-x", "--parse"):
        done, _ = chat(flag, scripts=[stream(*ANSWER)])
        assert (done.code, done.out) == (7, "")


def test_usage_as_json(chat):
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    script = [stream(*ANSWER[:3], event(choices=[], usage=usage), DONE)]
    done, _ = chat("--usage-json", scripts=script)
    told = json.loads(done.err)
    assert (told["usage"], told["finish_reasons"]) == (usage, ["stop"])
    assert told["first_token_s"] >= 0


LOGPROBS = {"content": [{"token": "Hel", "logprob": -0.1, "bytes": [72], "top_logprobs": []}]}


def test_log_probabilities_are_asked_for_and_shown(chat, tmp_path):
    choice = {
        "index": 0,
        "delta": {"content": "Hel"},
        "logprobs": LOGPROBS,
        "finish_reason": "stop",
    }
    script = [stream(event(object="chat.completion.chunk", choices=[choice]), DONE)]
    done, served = chat("--show-logprobs", "table", scripts=script)
    assert json.loads(served.got[0].body)["logprobs"] is True
    assert done.code == 0
    assert '"Hel"' in done.out
    assert "-0.1000" in done.out
    none, _ = chat("--show-logprobs", "table", "--no-verify", scripts=[stream(*ANSWER)])
    assert (none.code, none.out) == (0, "Hello")
    tsv, _ = chat("--show-logprobs", "tsv", scripts=script)
    assert tsv.out.startswith("choice\t")
    chat("--save-html", "p.html", "--save-svg", "p.svg", scripts=script)
    assert "<html" in Path("p.html").read_text().lower()
    assert Path("p.svg").read_text().startswith("<svg")


def test_markdown_is_for_terminals(chat):
    script = [stream(piece("# Title\n\n*word*"), piece(finish="stop"), DONE)]
    assert chat("--format", "markdown", scripts=script)[0].out == "# Title\n\n*word*"


def test_a_port_that_there_is_not_is_told_with_its_source(vllmctl, monkeypatch):
    monkeypatch.setenv("VLLMCTL_BASE_URL", "http://127.0.0.1:99999")
    done = vllmctl("chat", "hi", "-m", "m")
    assert (done.code, done.out) == (2, "")
    assert "VLLMCTL_BASE_URL: expected a port from 1 to 65535" in done.err


def test_a_word_behind_a_switch_is_told_how_no_is_said(vllmctl):
    done = vllmctl("chat", "hi", "--stream", "false", "-n")
    assert done.code == 2
    assert "--no-…" in done.err
