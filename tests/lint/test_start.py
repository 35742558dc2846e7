"""A quick command must not import what it does not need."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("arguments", [["--help"], ['{"prompt": "x"}'], ["--fix", '{"prompt": 1}']])
def test_lint_imports_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "vllmctl", "lint", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 2), done.stderr
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "vllmctl.lint.linter" in imported
    assert not imported & {"httpx", "rich", "pydantic", "asyncio", "typer", "tomllib"}
