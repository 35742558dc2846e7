"""What a wrong option is told: the right one, or where it belongs."""

import pytest


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("chat --temp 1", "use --temperature"),
        ("chat --max-new-tokens 1", "use --max-tokens"),
        ("chat --guided-json x", "use --schema: guided_json was in vLLM until 0.11.2"),
        ("chat --suffix x", "--suffix belongs to `vllmctl complete`"),
        ("chat --proxy http://p", "proxy is a key of [server] in a profile"),
        ("chat --token x", "api_key_env is a key of [server] in a profile"),
        ("chat --cacert x", "use --ca-file"),
        ("chat --key-file x", "use --key"),
        ("chat --max-time 5", "use --timeout"),
        ("chat --system-prompt x", "use --system"),
        ("chat --headers x", "use --header"),
        ("chat --proxi x", "-o proxi=… sends any field"),
        ("chat -Z", "a prompt that starts with - goes after --: vllmctl chat -- '-Z'"),
        ("complete --tools x", "--tools belongs to `vllmctl chat`"),
        ("complete --no_parallel_tool_calls", "belongs to `vllmctl chat`"),
        ("profiles save x -u", "-u belongs to `vllmctl chat`"),
        ("profiles save x --json", "--json belongs to `vllmctl chat`"),
        ("profiles save x --temp 1", "use --temperature"),
        ("profiles list -Z", "vllmctl profiles list --help-all lists every option"),
        ("mock --temp 1", "vllmctl mock --help-all lists every option"),
        ("lint --temperature 1", "--temperature belongs to `vllmctl chat`"),
        ("fields --nestd", "did you mean --nested?"),
    ],
)
def test_a_wrong_option_is_told_the_right_one(vllmctl, words, hint):
    done = vllmctl(*words.split())
    assert (done.code, done.out) == (2, "")
    assert hint in done.err


@pytest.mark.parametrize("words", ["profiles list", "mock --list-faults", "completion bash"])
def test_every_command_takes_a_color(vllmctl, words):
    assert vllmctl(*words.split(), "--color", "never").code == 0
    done = vllmctl(*words.split(), "--color", "pink")
    assert (done.code, "auto, always, never" in done.err) == (2, True)
