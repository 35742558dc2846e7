"""Small made-up releases for the catalogue's maker to read."""

import json
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tools.catalogue import known_sites, rule_sites
from tools.catalogue.modules import Sources
from tools.catalogue.source_tree import SourceTree

Write = Callable[[str, Mapping[str, str]], Path]


def _dedented(files: Mapping[str, str]) -> dict[str, str]:
    return {path: textwrap.dedent(text).lstrip() for path, text in files.items()}


@pytest.fixture
def sources() -> Callable[[Mapping[str, str]], Sources]:
    """Makes a release out of files (``vllm/a.py``) that need not exist on disk."""
    return lambda files: Sources(SourceTree("1.0.0", _dedented(files)))


@pytest.fixture
def write_release(tmp_path: Path) -> Write:
    """Writes a release's files into a folder of its name and returns the folder."""

    def write(name: str, files: Mapping[str, str]) -> Path:
        for path, text in _dedented(files).items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def rule_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Replaces the table that tells how rules are found, and forgets the known refusals."""
    known = tmp_path / "known_sites.json"
    known.write_text("{}", encoding="utf-8")
    monkeypatch.setattr(known_sites, "KNOWN_SITES", known)

    def replace(signs: Any) -> None:
        path = tmp_path / "rule_sites.json"
        path.write_text(json.dumps(signs), encoding="utf-8")
        monkeypatch.setattr(rule_sites, "RULE_SITES", path)

    return replace
