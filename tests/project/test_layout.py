"""The shape of the project: sizes, texts, and what is released with it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from vllmctl import __version__

PROJECT = Path(__file__).parent.parent.parent
PROGRAM_FOLDERS = ("vllmctl", "tools", "bench")
MOST_LINES = 400
TABLES = {"vllmctl/fields/faces.py"}
"""Modules that hold one table and nothing else, and may be longer."""

SCRIPTS = [*sorted((PROJECT / ".ci").iterdir()), *sorted((PROJECT / "tools").rglob("*.sh"))]

PLACES = ("root", "work", "home", "Users")
HOSTS = ("pypi" + ".org", "pythonhosted" + ".org")
FOREIGN = re.compile(
    rf"(?<![\w.~$}}])/({'|'.join(PLACES)})/\w|{'|'.join(re.escape(host) for host in HOSTS)}"
)


def _modules() -> list[str]:
    return [
        str(path.relative_to(PROJECT))
        for folder in PROGRAM_FOLDERS
        for path in sorted((PROJECT / folder).rglob("*.py"))
    ]


def _texts() -> list[Path]:
    """Every file of the project that is text, in a checkout or in an unpacked release."""
    if (PROJECT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True
        ).stdout.split("\0")
        paths = [PROJECT / name for name in listed if name]
    else:
        paths = [path for path in PROJECT.rglob("*") if ".venv" not in path.parts]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()]


@pytest.mark.parametrize("module", sorted(set(_modules()) - TABLES))
def test_module_is_short_enough_to_read(module: str) -> None:
    assert len((PROJECT / module).read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_files_speak_of_no_machine_and_no_registry() -> None:
    found = [
        f"{path.relative_to(PROJECT)}: {match[0]}"
        for path in _texts()
        for match in FOREIGN.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def test_changelog_has_an_entry_for_the_version() -> None:
    changelog = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[?{re.escape(__version__)}\b", changelog, re.MULTILINE)


def test_program_tells_its_version() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vllmctl", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"vllmctl {__version__}\n"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shell_script_parses(script: Path) -> None:
    subprocess.run(["bash", "-n", str(script)], check=True)
