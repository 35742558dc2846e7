"""Running the command line in this process, as a shell would see it."""

import io
import sys
from pathlib import Path

import pytest

from tests.outcome import Outcome, stream, written
from vllmctl.__main__ import run


@pytest.fixture
def vllmctl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Run a command in an empty folder with an empty home; ``stdin`` are piped bytes."""
    home = tmp_path / "home"
    folder = tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(home))

    def call(*arguments: str, stdin: bytes | None = None) -> Outcome:
        piped = tmp_path / "stdin"
        piped.write_bytes(stdin or b"")
        out, err = stream(), stream()
        with piped.open("rb") as source, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(source) if stdin is not None else None)
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = run(list(arguments))
        return Outcome(int(code), written(out), written(err))

    return call
