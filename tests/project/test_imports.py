"""What the quick ways through the program may not import."""

import pytest

from tests.imports import run_and_list

HEAVY = {"httpx", "rich", "pydantic", "asyncio"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--version"], "vllmctl "),
        (["--help"], "chat"),
        (["chat", "--help"], "--temperature"),
        (["complete", "--help-all"], "--echo"),
        (["chat", "Hello", "--top-p", "0.9", "--no-thinking", "--dry-run"], '"top_p"'),
        (["__complete", "chat", "--temper"], "--temperature"),
        (["complete", "Hello", "--top-k", "5", "--dry-run"], '"top_k"'),
    ],
    ids=" ".join,
)
def test_quick_ways_import_nothing_heavy(arguments: list[str], says: str) -> None:
    answer, imported = run_and_list(arguments)
    assert says in answer
    assert imported & HEAVY == set()


def test_version_imports_no_command_line_library() -> None:
    _, imported = run_and_list(["--version"])
    assert imported & {"typer", "click", "pydantic_core", "json"} == set()
