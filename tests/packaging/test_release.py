"""The release: the same bytes each time, from a checkout or from its own source distribution."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools.package.build import build
from tools.package.requirements import DEVELOPERS, extras, lowest, supported

EPOCH = "1700000000"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source distribution."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", EPOCH)
        return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def unpacked(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked in another place at another time."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(built[1]) as tar:
        tar.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    for path in source.rglob("*"):
        os.utime(path, (1, 1))
    return source


def test_source_distribution_builds_the_same_bytes_again(
    built: tuple[Path, Path], unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    again = build(tmp_path, unpacked)
    assert [path.name for path in again] == [path.name for path in built]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in built]


def test_dates_are_those_of_the_epoch(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[1]) as tar:
        assert {member.mtime for member in tar} == {int(EPOCH)}


def test_wheel_works_without_its_source(built: tuple[Path, Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(built[0]).extractall(site)
    variables = {**os.environ, "PYTHONPATH": str(site)}
    where = "import vllmctl; print(vllmctl.__file__)"
    listed = _python("-m", "vllmctl", "profiles", "list", folder=tmp_path, variables=variables)
    assert _python("-c", where, folder=tmp_path, variables=variables).startswith(str(site))
    assert "greedy" in listed


def test_wheel_says_that_it_is_typed(built: tuple[Path, Path]) -> None:
    names = zipfile.ZipFile(built[0]).namelist()
    assert "vllmctl/py.typed" in names


def test_every_dependency_has_a_lowest_release_that_can_be_named() -> None:
    assert lowest()
    assert all(re.fullmatch(r"[\w.-]+==\d+(\.\d+)*", line) for line in lowest())


def test_all_is_all_that_adds_to_the_program() -> None:
    named = extras()
    (everything,) = named.pop("all")
    chosen = re.fullmatch(r"vllm-request\[(.+)\]", everything)
    assert chosen
    assert set(chosen[1].split(",")) == named.keys() - DEVELOPERS


def test_named_releases_of_python_begin_with_the_oldest_allowed(project: Path) -> None:
    text = (project / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={supported()[0]}"' in text


def _python(*arguments: str, folder: Path, variables: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout
