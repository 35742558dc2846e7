import json
import os
from pathlib import Path

import pytest

from vllmctl.catalog.target import newest

ISSUE = ("Hello", "--temperature", "0.2", "--top-p", "0.9", "--min-p", "0.05", "--no-thinking")


def test_stdout_is_the_body_and_nothing_else(vllmctl):
    done = vllmctl("chat", *ISSUE, "-n")
    assert done.code == 0
    assert done.json == {
        "messages": [{"role": "user", "content": "Hello"}],
        "temperature": 0.2,
        "top_p": 0.9,
        "min_p": 0.05,
        "stream": True,
        "chat_template_kwargs": {"enable_thinking": False},
    }


def test_quiet_says_nothing(vllmctl):
    assert vllmctl("chat", "hi", "-n", "-q").err == ""


def test_a_completion(vllmctl):
    done = vllmctl("complete", "def f(", "--stop", r"\n\n", "--max-tokens", "64", "-n", "-m", "x")
    assert done.json == {
        "model": "x", "prompt": "def f(", "max_tokens": 64, "stop": ["\n\n"], "stream": True,
    }  # fmt: skip


def test_verbose_shows_origins_and_masks_secrets(vllmctl, monkeypatch):
    monkeypatch.setenv("VLLMCTL_API_KEY", "sk-topsecret-0123456789")
    done = vllmctl("chat", "hi", "--top-p", "0.9", "-H", "X-Api-Key: hush-hush-hush", "-n", "-v")
    assert "sk-topsecret-0123456789" not in done.out + done.err
    assert "hush-hush-hush" not in done.err
    assert "top_p: --top-p" in done.err
    assert "VLLMCTL_API_KEY" in done.err
    assert "/v1/chat/completions" in done.err


def test_a_number_where_another_is_meant_is_told_by_the_checks(vllmctl):
    for arguments, words in (
        (("chat", "--top-k", "0.01"), "did you mean top_p 0.01"),
        (("chat", "-o", "logprobs=5"), "fix: set logprobs to true, set top_logprobs to 5"),
        (("complete", "--logprobs", "true"), "fix: set logprobs to 1"),
    ):
        done = vllmctl(*arguments, "hi", "-n", "--target", "vllm==0.32.0")
        assert words in done.err
        assert "set by " + arguments[1] in done.err
        assert done.json


def test_verbose_shows_how_it_is_sent_and_who_said_so(vllmctl):
    Path("p.toml").write_text(
        '[server]\ntimeout = "90s"\ntarget = "vllm==0.32.0"\n[server.headers]\nX-Team = "a"\n'
        "[request.stream_options]\ninclude_usage = true\n"
    )
    done = vllmctl("chat", "hi", "-p", "./p.toml", "-H", "X-B: b", "-k", "-n", "-v")
    lines = done.err.splitlines()
    for line in (
        "timeout = 90.0  (profile p.toml (p.toml:2))",
        "insecure = true  (--insecure)",
        "target vllm==0.32.0  (profile p.toml (p.toml:3))",
        "X-Team: a  (profile p.toml (p.toml:5))",
        "X-B: b  (-H X-B)",
        "stream_options.include_usage: profile p.toml (p.toml:7)",
    ):
        assert line in lines
    assert not any(line.startswith("stream_options:") for line in lines)
    bare = vllmctl("chat", "hi", "-n", "-v").err.splitlines()
    assert f"target {newest()}  (the newest known)" in bare


def test_a_dry_run_runs_no_key_command(vllmctl, tmp_path):
    profile = tmp_path / "p.toml"
    profile.write_text(f'[server]\napi_key_cmd = "touch {tmp_path}/ran"\n')
    assert vllmctl("chat", "hi", "-n", "-v", "-p", str(profile)).code == 0
    assert not (tmp_path / "ran").exists()


def test_profiles_lie_below_flags_and_name_their_line(vllmctl, tmp_path):
    profile = tmp_path / "mine.toml"
    profile.write_text("[request]\ntemperature = 0.1\ntop_p = 0.5\n[chat]\nn = 2\n")
    done = vllmctl("chat", "hi", "-p", str(profile), "--top-p", "0.9", "-n", "-v")
    assert (done.json["temperature"], done.json["top_p"], done.json["n"]) == (0.1, 0.9, 2)
    assert "mine.toml:2)" in done.err
    assert "n" not in vllmctl("complete", "hi", "-p", str(profile), "-n").json


def test_the_configured_values_reach_the_body_and_nothing_hidden_does(vllmctl, tmp_path):
    folder = tmp_path / "home" / ".config" / "vllmctl"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("[request]\ntemperature = 0.6\ntop_p = 0.95\n")
    body = vllmctl("chat", "hi", "-n").json
    assert {k: body[k] for k in body if k not in ("messages", "stream")} == {
        "temperature": 0.6, "top_p": 0.95,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--top-p", "1.5"), 2, ["error:", "top_p", "1.5", "set by --top-p"]),
        (("--top-p", "0.9", "-o", "top_p=0"), 0, []),
        (
            ("-o", "guided_json:={}"),
            2,
            ["guided_json", "structured_outputs.json", "-o guided_json"],
        ),
        (("-o", "guided_json:={}", "--allow-unknown"), 0, ["ignored:", "guided_json"]),
        (("--top-p", "1.5", "--no-check"), 0, []),
        (("--length-penalty", "2"), 0, ["ignored:", "length_penalty"]),
        (("--length-penalty", "2", "--strict"), 2, ["ignored:", "length_penalty"]),
        (("-o", "tempreature=1"), 2, ["tempreature", "temperature"]),
    ],
)
def test_checks_decide_the_exit_code(vllmctl, arguments, code, words):
    done = vllmctl("chat", "hi", *arguments, "-n", "-q" if code == 0 and not words else "-v")
    assert done.code == code
    for word in words:
        assert word in done.err
    assert json.loads(done.out)["messages"]


def test_the_target_decides_what_is_known(vllmctl):
    arguments = ("chat", "hi", "--schema", "{}", "-m", "x", "-n")
    assert "guided_json" in vllmctl(*arguments, "--target", "vllm==0.10.2").json
    assert "structured_outputs" in vllmctl(*arguments, "--target", "0.12.0").json
    refused = vllmctl("chat", "hi", "-o", "foo=1", "-n", "--target", "0.6.3", "-m", "x")
    assert (refused.code, "error:" in refused.err) == (2, True)
    unknown = vllmctl("chat", "hi", "-n", "--target", "nope")
    assert (unknown.code, unknown.out) == (2, "")


def test_a_model_that_is_found_when_sending_is_not_missed(vllmctl):
    done = vllmctl("chat", "hi", "-n", "--target", "0.6.3")
    assert done.code == 0
    assert "no model is named" in done.err


def test_typos_are_told_and_nothing_is_printed(vllmctl):
    for arguments, words in (
        (("chat", "hi", "--temprature", "1"), ["--temprature", "--temperature"]),
        (("chta", "hi"), ["chta", "chat"]),
        (("chat", "hi", "--format", "yaml"), ["yaml", "text, markdown"]),
        (("chat", "hi", "--message", "bot:hi"), ["role:text"]),
        (("chat", "hi", "there", "-n"), ["one prompt"]),
        (("chat", "hi", "-H", "nonsense"), ["Name: value"]),
        (("chat", "hi", "--timeout", "soon", "-n"), ["--timeout", "90s"]),
    ):
        done = vllmctl(*arguments)
        assert (done.code, done.out) == (2, "")
        for word in words:
            assert word in done.err
        assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--temp", "--temperature"),
        ("--max-new-tokens", "--max-tokens"),
        ("--n-predict", "--max-tokens"),
        ("--repeat-penalty", "--repetition-penalty"),
        ("--guided-json", "--schema"),
        ("--thinking-budget", "--thinking-token-budget"),
        ("--enable-thinking", "--thinking"),
    ],
)
def test_foreign_spellings_are_answered_with_ours(vllmctl, typed, meant):
    done = vllmctl("chat", "hi", typed, "1")
    assert done.code == 2
    assert f"use {meant}" in done.err


def test_a_literal_backslash_in_a_stop_string_is_an_escape(vllmctl):
    assert vllmctl("chat", "hi", "--stop", r"\n", "-n").json["stop"] == ["\n"]
    assert vllmctl("chat", "hi", "--stop", r"\\n", "-n").json["stop"] == [r"\n"]


def test_a_long_prompt_comes_from_a_file_or_a_pipe(vllmctl, tmp_path):
    text = "word " * 40_000
    (tmp_path / "work" / "long.txt").write_text(text)
    for arguments, stdin in ((("@long.txt",), None), (("-f", "long.txt"), None), (("-",), text)):
        done = vllmctl("chat", *arguments, "-n", stdin=stdin.encode() if stdin else None)
        assert done.json["messages"][0]["content"] == text


def test_it_works_without_a_home(vllmctl, monkeypatch):
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert vllmctl("chat", "hi", "-n").code == 0
    monkeypatch.setenv("HOME", "/nonexistent")
    assert vllmctl("chat", "hi", "-n").code == 0


def test_save_profile_keeps_flags_and_no_words(vllmctl):
    saved = vllmctl("chat", "secret words", "--top-p", "0.9", "--save-profile", "mine", "-n")
    assert saved.code == 0
    shown = vllmctl("profiles", "show", "mine")
    assert "top_p = 0.9" in shown.out
    assert "secret words" not in shown.out
    assert "stream" not in shown.out
    assert vllmctl("chat", "hi", "-p", "mine", "-n").json["top_p"] == 0.9


def test_lone_surrogates_are_refused_and_else_sent_as_escapes(vllmctl):
    body = ("-d", r'{"messages": [{"role": "user", "content": "\udcff"}]}')
    refused = vllmctl("chat", *body, "-n")
    assert (refused.code, "surrogate" in refused.err) == (2, True)
    done = vllmctl("chat", *body, "-n", "--no-check")
    assert done.code == 0
    assert done.json["messages"][0]["content"] == "\udcff"


@pytest.mark.parametrize("flags", [("{}",), ("-s", "{}"), ("hi", "--user", "{}")])
def test_bytes_that_are_no_utf8_are_told_as_such(vllmctl, flags):
    said = os.fsdecode(b"caf\xe9")
    done = vllmctl("chat", *(flag.format(said) for flag in flags), "-n", "-m", "x")
    assert (done.code, done.out) == (2, "")
    assert "is not UTF-8 text (line 1, byte 3)" in done.err


@pytest.mark.parametrize("option", [("-o", "seed:="), ("-d", '{"seed":'), ("--seed", "")])
def test_a_number_of_too_many_digits_is_told_in_short(vllmctl, option):
    flag, start = option
    done = vllmctl(
        "chat", "hi", "-n", "-m", "m", flag, f"{start}{'9' * 5000}{'}' * (flag == '-d')}"
    )
    assert done.code == 2
    assert len(done.err) < 500
    assert "set_int_max_str_digits" not in done.err
