"""Findings say where each of the values came from that do not go together."""

from pathlib import Path

HEAD = ("chat", "hi", "-m", "tiny", "--target", "vllm==0.32.0", "-n")


def lines(done):
    return [line.strip() for line in done.err.splitlines() if line.startswith("  ")]


def test_values_of_several_sources_name_them_all(vllmctl):
    told = lines(vllmctl(*HEAD, "-p", "json", "--regex", "a"))
    assert told[0].startswith("response_format: set by profile json (shipped json.toml:")
    assert told[1] == "structured_outputs.regex: set by --regex"


def test_parts_of_one_value_are_told_apart(vllmctl):
    told = lines(vllmctl(*HEAD, "--regex", "a", "--choice", "b"))
    assert "structured_outputs.regex: set by --regex" in told
    assert "structured_outputs.choice: set by --choice" in told


def test_a_limit_that_another_value_sets_is_told(vllmctl):
    Path("low.toml").write_text("[request]\nmax_tokens = 3\n")
    told = lines(vllmctl(*HEAD, "-p", "./low.toml", "--min-tokens", "5"))
    assert told[:2] == [
        "min_tokens: set by --min-tokens",
        "max_tokens: set by profile low.toml (low.toml:2)",
    ]


def test_one_source_needs_no_name(vllmctl):
    assert lines(vllmctl(*HEAD, "--top-p", "3"))[0] == "set by --top-p"


def test_an_empty_prompt_is_told_with_its_source(vllmctl):
    Path("empty.txt").write_text(" \n")
    for arguments, stdin, source in (
        ([""], None, "the prompt"),
        (["-f", "empty.txt"], None, "-f empty.txt"),
        (["-"], b"", "standard input"),
        (["-d", '{"messages": [{"role": "user", "content": []}]}'], None, "-d"),
    ):
        done = vllmctl("chat", *HEAD[2:], *arguments, stdin=stdin)
        assert done.code == 0
        assert "warning: messages[0] is empty" in done.err
        assert f"set by {source}" in done.err
    assert "empty" not in vllmctl(*HEAD).err
    assert "empty" not in vllmctl("chat", "", *HEAD[2:], "--prefill", "A:").err


def test_an_empty_source_of_several_is_told_and_adds_nothing(vllmctl):
    Path("empty.txt").write_text("")
    Path("full.txt").write_text("full")
    done = vllmctl("chat", "-f", "empty.txt", "-f", "full.txt", *HEAD[2:])
    assert done.json["messages"][0]["content"] == "full"
    assert "note: -f empty.txt is empty" in done.err
    done = vllmctl("complete", "x", "-f", "empty.txt", *HEAD[2:])
    assert done.json["prompt"] == "x"
    assert "note: -f empty.txt is empty" in done.err


def test_the_user_in_an_address_shows_as_a_header_without_its_password(vllmctl):
    address = ("--base-url", "http://jane:hunter22@127.0.0.1:9")
    for arguments in ((*HEAD, "-v"), ("chat", "hi", "-m", "tiny", "-v")):
        done = vllmctl(*arguments, *address)
        assert "Authorization: Basic …  (user of --base-url)" in done.err
        assert "hunter22" not in done.err
    own = vllmctl(*HEAD, "-v", *address, "-H", "authorization: Bearer sk-1234567890")
    assert "Basic" not in own.err
    assert "sk-1234567890" not in own.err
