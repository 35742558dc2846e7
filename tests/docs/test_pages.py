"""The pages' commands run as written, and their output is what the program says now."""

import difflib

import pytest

from tools.docs.__main__ import PROJECT, pages
from tools.docs.blocks import SHELLS, blocks
from tools.docs.refresh import refreshed

PAGES = [str(path.relative_to(PROJECT)) for path in pages()]


@pytest.mark.parametrize("page", PAGES)
def test_output_is_up_to_date(page: str) -> None:
    text = (PROJECT / page).read_text(encoding="utf-8")
    now = refreshed(text)
    difference = "\n".join(difflib.unified_diff(text.split("\n"), now.split("\n"), lineterm=""))
    assert now == text, f"run `python -m tools.docs`:\n{difference}"


@pytest.mark.parametrize("page", PAGES)
def test_what_is_not_run_has_a_reason(page: str) -> None:
    for block in blocks((PROJECT / page).read_text(encoding="utf-8")):
        if block.language in SHELLS and not block.is_run:
            assert len(block.note.split()) > 2, f"line {block.start}"
        elif block.language in ("", "bash", "shell", "zsh"):
            assert not [line for line in block.lines if line.startswith(("vllmctl ", "$ "))]


def test_pages_have_commands_to_run() -> None:
    texts = [(PROJECT / page).read_text(encoding="utf-8") for page in PAGES]
    steps = [
        step for text in texts for block in blocks(text) if block.is_run for step in block.steps
    ]
    assert len(steps) > 80
