"""Running the command line in this process, as a shell would see it."""

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from vllmctl.__main__ import run


@dataclass
class Outcome:
    """What a run left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


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
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
        err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
        with piped.open("rb") as source, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(source) if stdin is not None else None)
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = run(list(arguments))
            out.flush()
            err.flush()
        return Outcome(int(code), out.buffer.getvalue().decode(), err.buffer.getvalue().decode())

    return call
