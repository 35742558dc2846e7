import pytest

from vllmctl.catalog.target import newest


@pytest.fixture
def offered(vllmctl):
    """The candidates for the last of ``words``."""

    def of(*words: str) -> list[str]:
        done = vllmctl("__complete", *words)
        assert (done.code, done.err) == (0, "")
        return [line.split("\t")[0] for line in done.out.splitlines()]

    return of


def test_commands_options_and_values(offered):
    assert "chat" in offered("")
    assert offered("comp") == ["complete", "completion"]
    assert offered("chat", "hi", "--top-") == ["--top-p", "--top-k", "--top-logprobs"]
    assert "--no-thinking" in offered("chat", "--no-")
    assert offered("chat", "--format", "js") == ["json", "jsonl"]
    assert offered("chat", "--format=js") == ["--format=json", "--format=jsonl"]
    assert offered("chat", "--reasoning-effort", "m") == ["minimal", "medium", "max"]
    assert offered("chat", "-o", "top_p") == ["top_p="]
    assert offered("chat", "--unset", "top_p") == ["top_p"]
    assert offered("chat", "-p", "gre") == ["greedy"]
    assert offered("chat", "--target", "vllm==0.32.")[0] == "vllm==0.32.0"
    assert "sampling" in offered("chat", "--help-panel", "")
    assert offered("complete", "--suff") == ["--suffix"]


def test_keys_are_those_of_the_release_that_is_named(offered):
    assert offered("chat", "-o", "guided_r") == []
    old = ("--target", "vllm==0.10.2")
    assert offered("chat", *old, "-o", "guided_r") == ["guided_regex="]
    assert offered("complete", *old, "--unset", "guided_r") == ["guided_regex"]
    assert offered("complete", *old, "-o", "suffi") == ["suffix="]
    assert offered("profiles", "save", "x", "--for", "complete", *old, "-o", "best") == ["best_of="]
    assert offered("chat", "--target", "server", "-o", "top_p") == ["top_p="]
    assert offered("chat", "--target", "nonsense", "-o", "top_p") == ["top_p="]


def test_sessions_are_those_that_are_kept(offered, vllmctl):
    assert offered("chat", "--session", "") == []
    for name in ("trip", "work"):
        done = vllmctl("chat", "hi", "--session", name, "--base-url", "mock:", "-q")
        assert done.code == 0
    assert offered("chat", "--session", "") == ["work", "trip"]
    assert offered("chat", "--session=t") == ["--session=trip"]


def test_models_are_those_that_answered_lately(offered, vllmctl):
    assert offered("chat", "-m", "") == []
    assert vllmctl("chat", "hi", "--base-url", "mock:?model=qwen&model=other", "-q").code == 0
    assert offered("chat", "-m", "q") == ["qwen"]
    assert offered("complete", "--model", "") == ["qwen"]


def test_profile_commands(offered, vllmctl):
    assert offered("profiles", "s") == ["show", "save"]
    assert offered("profiles", "show", "gre") == ["greedy"]
    assert offered("profiles", "edit", "gre") == ["greedy"]
    assert "--temperature" in offered("profiles", "save", "x", "--temp")
    assert offered("profiles", "save", "x", "--for", "complete", "--suf") == ["--suffix"]
    assert offered("profiles", "show", "greedy", "--fo") == ["--for", "--format"]
    assert offered("profiles", "list", "--format", "j") == ["json"]


def test_only_own_profiles_can_be_removed(offered, vllmctl):
    assert offered("profiles", "rm", "") == []
    vllmctl("profiles", "save", "mine", "--seed", "1")
    assert offered("profiles", "rm", "") == ["mine"]
    assert offered("profiles", "rm", "--where", "") == ["user", "project"]


@pytest.mark.parametrize(
    ("words", "among"),
    [
        (("explain", "top_"), {"top_p", "top_k", "top_logprobs"}),
        (("explain", "stream_options."), {"stream_options.include_usage"}),
        (("explain", "messages.media_u"), {"messages.media_url"}),
        (("explain", "json.b"), {"json.bom"}),
        (("explain", "--top-"), {"--top-p"}),
        (("explain", "--no-th"), {"--no-thinking"}),
        (("explain", "top_k", "--endpoint", "comp"), {"complete", "completions"}),
        (("explain", "--target", "fur"), {"furiosa"}),
        (("fields", "em"), {"embeddings"}),
        (("fields", "--schema", "pro"), {"profile"}),
        (("fields", "--diff", "0.10."), {"0.10.2"}),
        (("fields", "--diff", "0.10.2", "0.1"), {"0.11.0"}),
        (("fields", "--since", "0.10."), {"0.10.2"}),
        (("fields", "--format", ""), {"text", "json", "jsonl"}),
        (("lint", "--target", "s"), {"server"}),
        (("lint", "--endpoint", "c"), {"chat", "complete"}),
        (("lint", "--format", "g"), {"github"}),
        (("lint", "-p", "gre"), {"greedy"}),
        (("mock", "--fault", "cut"), {"cut-fin", "cut-rst"}),
        (("mock", "--target", "vllm==0.10."), {"vllm==0.10.2"}),
        (("completion", ""), {"bash", "zsh", "fish", "powershell"}),
        (("help", "comp"), {"complete", "completion"}),
        (("--v",), {"--version"}),
        (("chat", "--run-tools", ""), {"ask", "auto", "never"}),
    ],
    ids=" ".join,
)
def test_every_command_offers_what_it_takes(offered, words, among):
    assert among <= set(offered(*words))
    assert all(value.startswith(words[-1]) for value in offered(*words))


def test_words_of_o_go_down_to_values(offered):
    assert offered("chat", "-o", "stream_options.") == [
        "stream_options.include_usage=", "stream_options.continuous_usage_stats=",
    ]  # fmt: skip
    assert offered("chat", "-o", "chat_template_kwargs.") == [
        "chat_template_kwargs.enable_thinking="
    ]
    assert offered("chat", "-o", "tool_choice=") == [
        "tool_choice=none", "tool_choice=auto", "tool_choice=required",
    ]  # fmt: skip
    assert offered("chat", "-o", "echo=t") == ["echo=true"]
    assert offered("chat", "-o", "echo:=f") == ["echo:=false"]
    assert offered("chat", "-o", "temperature=") == []
    assert offered("chat", "--unset", "stream_options.inc") == ["stream_options.include_usage"]


def test_files_stand_behind_an_at_sign_anywhere(offered, tmp_path):
    work = tmp_path / "work"
    (work / "schemas").mkdir()
    (work / "schemas" / "one.json").write_text("{}")
    (work / ".hidden").write_text("")
    assert offered("chat", "--schema", "@") == ["@schemas/"]
    assert offered("chat", "--schema", "@schemas/o") == ["@schemas/one.json"]
    assert offered("chat", "-o", "tools=@sch") == ["tools=@schemas/"]
    assert offered("chat", "@sch") == ["@schemas/"]
    assert offered("chat", "@none/") == []


def test_each_word_is_offered_once_and_all_releases_are_known(offered):
    for words in (("explain", "t"), ("fields", ""), ("chat", "-o", "")):
        found = offered(*words)
        assert len(found) == len(set(found)) > 5
    assert offered("chat", "--target", str(newest())) == [str(newest())]


def test_a_fault_before_the_cursor_disturbs_nobody(offered):
    assert offered("chat", "--nope", "x", "--top-p", "1", "--top-l") == ["--top-logprobs"]
    assert offered("chat", "--", "--top") == []


def test_files_are_left_to_the_shell(offered):
    assert offered("chat", "not") == []
    assert offered("chat", "-f", "not") == []
    assert offered("nope", "--x") == []


def test_broken_profiles_disturb_nobody(offered, tmp_path):
    (tmp_path / "work" / "vllmctl.toml").write_text("[[[")
    assert "greedy" in offered("chat", "-p", "")


def test_another_shell_is_told_which_there_are(vllmctl):
    done = vllmctl("completion", "tcsh")
    assert (done.code, done.out) == (2, "")
    assert "powershell" in done.err
