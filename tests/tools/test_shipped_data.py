"""The maker's tables and the data that ship with the project fit together."""

import json
import re
from itertools import chain, pairwise
from pathlib import Path

import pytest

from tools.catalogue.data_format import dump
from tools.catalogue.guide import guide
from tools.catalogue.rule_sites import RULE_SITES
from tools.catalogue.shipped import facts_at, read_shipped
from tools.catalogue.versions import newer

DATA = Path(__file__).parents[2] / "vllmctl" / "catalog" / "data"
VLLM = DATA / "vllm"


@pytest.mark.parametrize("path", sorted(VLLM.glob("*.json")), ids=lambda path: path.stem)
def test_data_files_are_in_the_makers_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert dump(json.loads(text)) == text


def test_releases_can_be_read() -> None:
    shipped = read_shipped(VLLM)
    for release in [*shipped.releases[::9], shipped.releases[-1]]:
        assert "prompt" in facts_at(shipped, release).endpoints["completions"].fields


def test_releases_are_in_the_order_of_their_versions() -> None:
    releases = read_shipped(VLLM).releases
    assert all(newer(later, earlier) for earlier, later in pairwise(releases))


def test_signs_are_those_of_the_catalogues_rules() -> None:
    endpoints = read_shipped(VLLM).endpoints.values()
    rules = {rule for endpoint in endpoints for rule in endpoint["rules"]}
    signs = json.loads(RULE_SITES.read_text(encoding="utf-8"))
    assert signs.keys() <= rules
    for given in signs.values():
        pairs = given.get("code", ())
        for pattern in chain(given.get("messages", ()), *pairs):
            re.compile(pattern)


def test_guide_speaks_of_known_endpoints() -> None:
    endpoints = read_shipped(VLLM).endpoints.keys()
    assert guide().models.keys() | guide().handlers.keys() <= endpoints
