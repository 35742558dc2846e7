"""What a built release holds."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Path:
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=project,
        capture_output=True,
        check=True,
    )
    return folder


def test_wheel_holds_the_package_with_its_facts_and_profiles(built: Path, project: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    facts = (project / "vllmctl" / "catalog" / "data").rglob("*.json")
    profiles = {f"vllmctl/profiles/{path.name}" for path in (project / "profiles").glob("*.toml")}
    assert profiles
    assert profiles <= names
    assert {str(path.relative_to(project)) for path in facts} <= names
    assert "vllmctl/py.typed" in names


def test_wheel_holds_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    folders = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {folder.partition("-")[0] for folder in folders} == {"vllmctl", "vllm_request"}


def test_source_distribution_can_be_tested_and_built(built: Path, project: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    tests = {str(path.relative_to(project)) for path in (project / "tests").rglob("test_*.py")}
    assert tests <= names
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", ".ci/run"} <= names
    assert not [name for name in names if name.endswith(".pyc")]
