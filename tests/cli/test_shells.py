"""TAB in real shells; those that are not installed are skipped."""

import shutil

import pytest

from tests.cli.shells import Shell

LINES = {
    "vllmctl chat --top-l": ["chat", "--top-logprobs"],
    "vllmctl chat --format=jsonl": ["chat", "--format=jsonl"],
    "vllmctl chat --target vllm==0.33": ["chat", "--target", "vllm==0.33.0"],
    "vllmctl chat -o tool_choice=req": ["chat", "-o", "tool_choice=required"],
    "vllmctl chat -o top_p": ["chat", "-o", "top_p="],
    "vllmctl chat -p gre": ["chat", "-p", "greedy"],
    'vllmctl chat -p "gre': ["chat", "-p", "greedy"],
    "vllmctl chat --schema @sch": ["chat", "--schema", "@schema.json"],
    "vllmctl chat -f sch": ["chat", "-f", "schema.json"],
    "vllmctl mock --fault cut-f": ["mock", "--fault", "cut-fin"],
    "vllmctl explain messages.media_ur": ["explain", "messages.media_url"],
    "vllmctl profiles show gre": ["profiles", "show", "greedy"],
}


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_tab_completes_the_word(name, tmp_path):
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed")
    (tmp_path / "schema.json").write_text("{}")
    with Shell(name, tmp_path) as shell:
        for line, words in LINES.items():
            assert shell.words(line) == ["vllmctl", *words], line
