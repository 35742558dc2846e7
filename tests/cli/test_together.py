import pytest

HEAD = ("chat", "hi", "-m", "tiny", "--target", "vllm==0.32.0", "-n", "-q")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--extract", "--json"),
        ("--extract", "--extract-all"),
        ("--parse", "--only-reasoning"),
        ("--show-logprobs", "heat", "--format", "jsonl"),
        ("--only-reasoning", "--hide-reasoning"),
        ("--usage", "--usage-json"),
        ("--session", "a", "--continue"),
        ("--output", "x.json"),
    ],
    ids=" ".join,
)
def test_settings_that_contradict_each_other_are_named(vllmctl, arguments):
    done = vllmctl(*HEAD, *arguments)
    assert (done.code, done.out) == (2, "")
    assert "do not go together" in done.err
    assert arguments[0] in done.err


def test_one_question_may_be_answered_twice_alike(vllmctl):
    assert vllmctl(*HEAD, "--json", "--format", "json").code == 0
    assert vllmctl(*HEAD, "--extract", "--format", "text").code == 0
    done = vllmctl(*HEAD, "--json", "--format", "sse")
    assert done.code == 2
    assert "--json and --format sse" in done.err


@pytest.mark.parametrize(
    ("arguments", "partner"),
    [(("--alternatives", "2"), "--show-logprobs"), (("--max-turns", "2"), "--run-tools")],
)
def test_a_setting_that_nothing_reads_names_its_partner(vllmctl, arguments, partner):
    done = vllmctl(*HEAD, *arguments)
    assert (done.code, done.out) == (2, "")
    assert f"{arguments[0]} does nothing by itself" in done.err
    assert partner in done.err


def test_full_goes_with_a_dry_run(vllmctl):
    assert "--dry-run" in vllmctl("chat", "hi", "--base-url", "mock:", "--full").err


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "top_k"),
        ("fields",),
        ("profiles", "list"),
        ("profiles", "show", "greedy"),
        ("lint", '{"prompt": "hi", "model": "m"}'),
    ],
    ids=" ".join,
)
def test_json_is_the_same_as_format_json(vllmctl, command):
    short, long = vllmctl(*command, "--json"), vllmctl(*command, "--format", "json")
    assert (short.code, short.out) == (0, long.out)
    assert short.json
    assert vllmctl(*command, "--json", "--format", "text").code == 2
