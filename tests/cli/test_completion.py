import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


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


def test_models_are_those_that_answered_lately(offered, vllmctl):
    assert offered("chat", "-m", "") == []
    assert vllmctl("chat", "hi", "--base-url", "mock:?model=qwen&model=other", "-q").code == 0
    assert offered("chat", "-m", "q") == ["qwen"]
    assert offered("complete", "--model", "") == ["qwen"]


def test_profile_commands(offered):
    assert offered("profiles", "s") == ["show", "save"]
    assert offered("profiles", "show", "gre") == ["greedy"]
    assert "--temperature" in offered("profiles", "save", "x", "--temp")


def test_files_are_left_to_the_shell(offered):
    assert offered("chat", "not") == []
    assert offered("chat", "-f", "not") == []
    assert offered("nope", "--x") == []


def test_broken_profiles_disturb_nobody(offered, tmp_path):
    (tmp_path / "work" / "vllmctl.toml").write_text("[[[")
    assert "greedy" in offered("chat", "-p", "")


def run_shell(*command: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout


def test_bash_completes():
    script = 'eval "$(vllmctl completion bash)"; COMP_WORDS=(vllmctl chat --top-l); COMP_CWORD=2; '
    assert (
        run_shell("bash", "-c", script + '_vllmctl; echo "${COMPREPLY[@]}"') == "--top-logprobs\n"
    )


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes():
    script = "vllmctl completion fish | source; complete -C 'vllmctl chat --top-l'"
    assert run_shell("fish", "-c", script).startswith("--top-logprobs")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_the_zsh_script_loads():
    script = 'autoload -U compinit && compinit -u; eval "$(vllmctl completion zsh)"; '
    assert run_shell("zsh", "-f", "-c", script + "print $_comps[vllmctl]") == "_vllmctl\n"


def test_another_shell_is_told_which_there_are(vllmctl):
    done = vllmctl("completion", "tcsh")
    assert (done.code, done.out) == (2, "")
    assert "powershell" in done.err
