"""Reported troubles with command lines, each with what an excellent client does.

The numbers are those of the collected cases; cases of bodies, streams and profiles are
tested where those are judged, read and merged.
"""

import re

import pytest


def test_a037_a_newline_in_a_stop_string_can_be_typed(vllmctl):
    body = vllmctl("chat", "--stop", r"\n", "-m", "example-model", "hi", "-n").json
    assert body["stop"] == ["\n"]


def test_a040_prompts_are_literal_unless_escapes_are_asked_for(vllmctl):
    arguments = ("complete", "-m", "example-model", r"line1\nline2", "-n")
    assert vllmctl(*arguments).json["prompt"] == r"line1\nline2"
    assert vllmctl(*arguments, "-e").json["prompt"] == "line1\nline2"
    kept = vllmctl("complete", "-m", "example-model", "-", "-n", stdin=b"def f(\n")
    assert kept.json["prompt"] == "def f(\n"
    assert "ends with a newline" in kept.err


def test_a054_a_template_given_by_its_file_name_is_told(vllmctl, tmp_path):
    arguments = ("chat", "--chat-template", "./my.jinja", "-m", "example-model", "hi", "-n")
    assert "looks like the name of a file" in vllmctl(*arguments).err
    (tmp_path / "work" / "my.jinja").write_text("{{ messages }}")
    good = vllmctl(*(a.replace("./my", "@my") for a in arguments))
    assert good.json["chat_template"] == "{{ messages }}"
    assert "looks like" not in good.err


@pytest.mark.parametrize("option", ["-o", "--option"])
def test_a093_quotes_eaten_by_the_shell_are_suspected(vllmctl, option):
    text = "chat_template_kwargs={enable_thinking:false}"
    done = vllmctl("chat", option, text, "-m", "example-model", "hi")
    assert (done.code, done.out) == (2, "")
    for words in ("shell", "@file", "@-", "-o a.b=value"):
        assert words in done.err
    good = vllmctl("chat", "-o", "chat_template_kwargs.enable_thinking=false", "hi", "-n")
    assert good.json["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"?\r\n", "?\r\n"),
        ("é".encode(), "é"),
        ("é".encode("utf-8-sig"), "é"),
        ("é".encode("utf-16"), "é"),
        ("é".encode("utf-16-be"), None),
    ],
)
def test_a095_piped_text_is_read_whatever_mark_it_has(vllmctl, raw, text):
    if text is None:
        raw = b"\xfe\xff" + raw
        text = "é"
    done = vllmctl("chat", "-m", "example-model", "-", "-n", stdin=raw)
    assert done.json["messages"][0]["content"] == text


def test_a097_every_prompt_and_value_may_come_from_a_file_or_a_pipe(vllmctl, tmp_path):
    (tmp_path / "work" / "p").write_text("x" * 40_000)
    (tmp_path / "work" / "m.json").write_text('[{"role": "user", "content": "y"}]')
    assert len(vllmctl("complete", "@p", "-n").json["prompt"]) == 40_000
    assert vllmctl("chat", "--messages", "@m.json", "-n").json["messages"][0]["content"] == "y"
    piped = vllmctl("chat", "-d", "@-", "-n", stdin=b'{"messages": [], "seed": 1}')
    assert piped.json["seed"] == 1
    assert "@FILE" in vllmctl("chat", "--help").out


def test_d012_placeholder_keys_and_the_source_of_the_key_are_told(vllmctl, monkeypatch):
    monkeypatch.setenv("VLLM_API_KEY", "changeme")
    done = vllmctl("chat", "hi", "-n", "-v")
    assert "VLLM_API_KEY" in done.err
    assert re.search(r"placeholder|looks like", done.err)


def test_d014_secrets_are_masked_in_every_form(vllmctl, tmp_path):
    profile = tmp_path / "a.toml"
    profile.write_text('[server]\napi_key = "sk-test-1234567890"\n')
    for arguments in (
        ("profiles", "show", str(profile)),
        ("profiles", "show", str(profile), "--format", "json"),
        ("profiles", "show", str(profile), "--origin"),
        ("profiles", "check", str(profile)),
        ("chat", "hi", "-p", str(profile), "-n", "-v"),
        ("chat", "hi", "-p", str(profile), "--base-url", "http://127.0.0.1:1", "-v"),
    ):
        done = vllmctl(*arguments)
        assert "sk-test-1234567890" not in done.out + done.err, arguments


def test_d022_a_profile_by_path_needs_no_home(vllmctl, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "/nonexistent")
    profile = tmp_path / "c.toml"
    profile.write_text("[request]\nseed = 3\n")
    assert vllmctl("chat", "-p", str(profile), "hi", "-n").json["seed"] == 3
