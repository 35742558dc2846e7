"""Pictures of a terminal: what a person would see, and nothing from elsewhere."""

import re
from xml.etree import ElementTree

import pytest

from tools.docs.__main__ import PICTURES
from tools.docs.pictures import lines_of, pictures


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return pictures()


def words(svg: str) -> list[str]:
    """The lines of a picture, which is one."""
    ElementTree.fromstring(svg)
    return lines_of(svg)


def test_those_that_are_kept_show_what_the_program_prints(drawn: dict[str, str]) -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    assert kept.keys() == drawn.keys()
    for name, svg in drawn.items():
        assert words(kept[name]) == words(svg), "python -m tools.docs draws it again"


def test_they_ask_nothing_of_the_network(drawn: dict[str, str]) -> None:
    for svg in drawn.values():
        assert "@font-face" not in svg
        assert not re.search(r"(href|src|url)\W{1,3}https?:", svg)


def test_markdown_is_shown_as_it_is_in_the_end(drawn: dict[str, str]) -> None:
    lines = words(drawn["chat.svg"])
    heads = [line for line in lines if "good for" in line]
    assert len(heads) == 1
    assert not any("| way |" in line or "**" in line for line in lines)


def test_findings_have_their_colours(drawn: dict[str, str]) -> None:
    svg = drawn["lint.svg"]
    assert any("error:" in line for line in words(svg))
    assert len(set(re.findall(r"picture-lint-r\d+", svg))) > 2


def test_choices_stand_side_by_side(drawn: dict[str, str]) -> None:
    lines = words(drawn["choices.svg"])
    assert any(line.count("answer ") == 3 for line in lines)


def test_heat_has_its_colours(drawn: dict[str, str]) -> None:
    svg = drawn["heat.svg"]
    assert any("London" in line for line in words(svg))
    assert len(set(re.findall(r'fill="(#[0-9a-f]{6})"', svg))) > 3
