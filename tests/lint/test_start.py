"""A quick command must not import what it does not need."""

import pytest

from tests.imports import run_and_list


@pytest.mark.parametrize("arguments", [["--help"], ['{"prompt": "x"}'], ["--fix", '{"prompt": 1}']])
def test_lint_imports_nothing_heavy(arguments: list[str]) -> None:
    _, imported = run_and_list(["lint", *arguments], codes=(0, 2))
    assert "vllmctl.lint.linter" in imported
    assert not imported & {"httpx", "rich", "pydantic", "asyncio", "typer", "tomllib"}
