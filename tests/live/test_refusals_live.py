"""What vllmctl refuses, the real server refuses too, for the same field."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.program import run_here
from tests.live.samples import ENDPOINTS, PROJECT
from vllmctl.exitcodes import ExitCode

TABLE = PROJECT / "tests" / "data" / "live" / "refused.toml"


def _folded(words: str) -> str:
    """The server says "Stream options", the program stream_options or --stream-options."""
    return words.lower().replace("_", " ").replace("-", " ")


def _cases() -> Iterator[Any]:
    for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["request"]:
        for command in ENDPOINTS if row["command"] == "both" else [row["command"]]:
            arguments = [command, "Hello", *row["flags"]]
            yield pytest.param(arguments, _folded(row["names"]), id=" ".join(arguments))


@pytest.mark.parametrize(("arguments", "names"), list(_cases()))
def test_vllmctl_refuses_without_a_server(arguments: list[str], names: str) -> None:
    done = run_here([*arguments, "--dry-run"])
    assert done.returncode == ExitCode.USAGE, done.stdout
    assert names in _folded(done.stderr)


@pytest.mark.live
@pytest.mark.parametrize(("arguments", "names"), list(_cases()))
def test_server_refuses_it_too(arguments: list[str], names: str, live_url: str) -> None:
    done = run_here([*arguments, "--no-check", "--base-url", live_url])
    assert done.returncode == ExitCode.CLIENT_ERROR, done.stderr
    assert names in _folded(done.stderr)
