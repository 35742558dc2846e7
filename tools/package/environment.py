"""Virtual environments that hold what is put there and nothing else."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Self

from tools.package.requirements import supported


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment in ``folder``."""

    folder: Path

    @classmethod
    def create(cls, folder: Path, python: str) -> Self:
        """Make the environment anew with that interpreter; the pip that fills it is ours."""
        line = [python, "-m", "venv", "--clear", "--without-pip", str(folder)]
        subprocess.run(line, check=True)
        return cls(folder)

    def install(self, *arguments: str) -> list[str]:
        """Install what pip's ``arguments`` name; return what it says of extras that are none.

        Raises CalledProcessError.
        """
        its = ["--python", str(self.folder / "bin" / "python"), "--disable-pip-version-check"]
        done = subprocess.run(
            [sys.executable, "-m", "pip", *its, "install", "-q", "--no-compile", *arguments],
            check=True,
            stderr=subprocess.PIPE,
            text=True,
        )
        return [line for line in done.stderr.splitlines() if "does not provide the extra" in line]

    def run(self, program: str, *arguments: str) -> None:
        """Run one of its programs; raises CalledProcessError."""
        subprocess.run([self.folder / "bin" / program, *arguments], check=True)


def interpreters() -> Iterator[tuple[str, str | None]]:
    """Yield each supported release of Python and its interpreter, ``None`` if it isn't here."""
    for release in supported():
        yield release, next(filter(_works, _candidates(release)), None)


def _candidates(release: str) -> Iterator[str]:
    """Yield paths that may be the interpreter: on the PATH, or kept by pyenv or uv."""
    name = f"python{release}"
    if on_path := which(name):
        yield on_path
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    uv = Path.home() / ".local" / "share" / "uv" / "python"
    for folder, pattern in ((pyenv, f"{release}.*"), (uv, f"cpython-{release}.*")):
        yield from map(str, sorted(folder.glob(f"{pattern}/bin/{name}")))


def _works(interpreter: str) -> bool:
    line = [interpreter, "-c", "import ssl, venv"]
    return subprocess.run(line, capture_output=True, check=False).returncode == 0
