"""A user with a home and a project in temporary folders."""

from pathlib import Path
from textwrap import dedent

import pytest

from vllmctl.env import Environment


class User:
    """Somebody whose files a test writes; the current folder is ``project/deep``."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "project"
        self.cwd = self.project / "deep"
        self.config = self.home / ".config" / "vllmctl"
        self.cwd.mkdir(parents=True)
        self.home.mkdir()
        self.variables = {"HOME": str(self.home)}

    @property
    def env(self) -> Environment:
        return Environment(variables=self.variables, cwd=self.cwd)

    def write(self, path: Path | str, text: str) -> Path:
        """Write ``text``; a relative path starts at the project, ``~`` at the config folder."""
        if isinstance(path, str) and path.startswith("~/"):
            path = self.config / path[2:]
        path = self.project / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
        return path


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)
