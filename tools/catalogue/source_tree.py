"""Opens a release: a source distribution, a wheel, or a folder with ``vllm/`` in it."""

import re
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_VERSION_IN_NAME = re.compile(r"^(?:vllm\w*-)?v?(\d+(?:\.\w+)*?)(?=\+|-|\.tar\.gz$|\.whl$|$)")
_VERSION_LINE = re.compile(r"^Version: *(\S+)", re.MULTILINE)
_SOURCE = re.compile(r"(?:^|/)(vllm/(?!third_party/|vllm_flash_attn/).*\.py)$")
_OTHER_SUBTREES = re.compile(r"^vllm/model_executor/(models|layers|kernels)/")


class ReleaseError(Exception):
    """The release cannot be read; the message says why and what would help."""


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The Python sources of one release by path (``vllm/sampling_params.py``)."""

    release: str
    files: dict[str, str]


def open_release(path: Path, release: str | None = None) -> SourceTree:
    """Return the sources at ``path``; ``release`` overrides the version found there.

    Raises:
        ReleaseError: nothing to read there, no vLLM in it, or no version to be found.
    """
    try:
        files = {name: text for name, text in _texts(path) if not _OTHER_SUBTREES.match(name)}
    except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise ReleaseError(f"{path} cannot be read: {error}") from error
    if not files:
        raise ReleaseError(f"{path} holds no vllm/*.py")
    version = release or _version(path)
    if version is None:
        raise ReleaseError(f"{path} does not tell its release; give it with --release")
    return SourceTree(version, dict(sorted(files.items())))


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_dir():
        return _from_folder(path)
    if path.name.endswith(".whl"):
        return _from_wheel(path)
    if path.name.endswith((".tar.gz", ".tgz")):
        return _from_archive(path)
    raise ReleaseError(f"{path} is no .tar.gz, no .whl and no folder")


def _from_folder(path: Path) -> Iterator[tuple[str, str]]:
    for file in sorted((path / "vllm").rglob("*.py")):
        name = file.relative_to(path).as_posix()
        if _SOURCE.match(name):
            yield name, file.read_text(encoding="utf-8")


def _from_wheel(path: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            if _SOURCE.match(name):
                yield name, wheel.read(name).decode("utf-8")


def _from_archive(path: Path) -> Iterator[tuple[str, str]]:
    with tarfile.open(path) as archive:
        for member in archive:
            found = _SOURCE.match(member.name.partition("/")[2])
            stream = archive.extractfile(member) if found and member.isfile() else None
            if found and stream is not None:
                yield found[1], stream.read().decode("utf-8")


def _version(path: Path) -> str | None:
    named = _VERSION_IN_NAME.match(path.name)
    if named:
        return named[1]
    notes = path / "PKG-INFO"
    told = _VERSION_LINE.search(notes.read_text(encoding="utf-8")) if notes.is_file() else None
    return told[1] if told else None
