"""Every profile that ships with the program is taken by the real server."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.program import run
from tests.live.samples import ENDPOINTS, PROJECT
from vllmctl.exitcodes import ExitCode

pytestmark = pytest.mark.live


def _cases() -> Iterator[tuple[str, str]]:
    for path in sorted((PROJECT / "profiles").glob("*.toml")):
        for command in _commands(path):
            yield command, path.stem


def _commands(path: Path) -> list[str]:
    """The commands that a profile speaks to: those it has a section of, else both."""
    sections = tomllib.loads(path.read_text(encoding="utf-8"))
    return [command for command in ENDPOINTS if command in sections] or list(ENDPOINTS)


@pytest.mark.parametrize(("command", "profile"), list(_cases()))
def test_server_takes_every_shipped_profile(command: str, profile: str, live_url: str) -> None:
    where = ["--base-url", live_url, "--max-tokens", "16", "--format", "json", "--no-verify"]
    done = run([command, "Hello", "-p", profile, *where])
    assert done.returncode == ExitCode.DONE, done.stderr
    assert json.loads(done.stdout)["choices"]
