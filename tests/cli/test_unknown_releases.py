"""One rule for releases that are not known: the nearest older one stands in, and is told."""

from pathlib import Path

import pytest

BODY = '{"prompt": "hi"}'
COMMANDS = (
    ("chat", "hi", "-n"),
    ("complete", "hi", "-n"),
    ("explain", "n"),
    ("fields",),
    ("lint", BODY),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize(("asked", "stand_in"), [("99.0", "0.33.0"), ("0.10.99", "0.10.2")])
def test_another_release_stands_in_and_a_note_says_so(vllmctl, command, asked, stand_in):
    for text in (asked, f"vllm=={asked}"):
        done = vllmctl(*command, "--target", text)
        assert done.code == 0
        assert done.err.count(f"note: vllm {asked} is not known; vllm=={stand_in} stands in") == 1
        assert "note:" not in done.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("text", ["nosuch", "vllm==nosuch", "0.0.1"])
def test_nonsense_is_refused_with_its_origin(vllmctl, command, text):
    done = vllmctl(*command, "--target", text)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --target: ")
    assert "vllm==0.32.0" in done.err or "0.1.0 to" in done.err


@pytest.mark.parametrize("command", [COMMANDS[0], COMMANDS[-1]], ids=lambda words: words[0])
def test_the_same_holds_for_the_environment_and_a_config(vllmctl, monkeypatch, command):
    Path("vllmctl.toml").write_text('[server]\ntarget = "nosuch"\n')
    done = vllmctl(*command)
    assert done.code == 2
    assert "vllmctl.toml:2" in done.err
    Path("vllmctl.toml").write_text('[server]\ntarget = "99"\n')
    assert "vllm 99 is not known" in vllmctl(*command).err
    monkeypatch.setenv("VLLMCTL_TARGET", "nosuch")
    assert vllmctl(*command).err.startswith("error: VLLMCTL_TARGET: ")


def test_releases_to_compare_are_told_too(vllmctl):
    done = vllmctl("fields", "--diff", "0.10.99", "99")
    assert done.code == 0
    assert "vllm 0.10.99 is not known" in done.err
    assert "vllm 99 is not known" in done.err
    assert vllmctl("fields", "--since", "nosuch").err.startswith("error: --since: ")


def test_a_linted_profile_tells_it_of_its_own_target(vllmctl):
    Path("p.toml").write_text('[server]\ntarget = "99"\n[chat]\ntop_p = 1\n')
    done = vllmctl("lint", "-p", "./p.toml")
    assert done.code == 0
    assert "vllm 99 is not known; vllm==0.33.0 stands in" in done.out


@pytest.mark.parametrize("command", [("fields",), ("explain", "top_k")])
def test_the_environment_names_the_release_for_facts_too(vllmctl, monkeypatch, command):
    told = vllmctl(*command, "--target", "0.10.2").out
    monkeypatch.setenv("VLLMCTL_TARGET", "0.10.2")
    assert vllmctl(*command).out == told
    assert "0.10.2" in told


@pytest.mark.parametrize(
    ("target", "words"),
    [("", "empty"), ("vllm>=0.11,<0.14", "is a range")],
)
@pytest.mark.parametrize(
    "command",
    [("fields",), ("explain", "top_k"), ("mock",), ("profiles", "save", "x", "--seed", "1"),
     ("chat", "hi", "-n")],
    ids=lambda words: words[0],
)  # fmt: skip
def test_what_is_no_release_is_told_alike(vllmctl, command, target, words):
    done = vllmctl(*command, "--target", target)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --target: ")
    assert words in done.err
