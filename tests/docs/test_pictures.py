"""Pictures of a terminal: what a person would see, and nothing from elsewhere."""

import re
from xml.etree import ElementTree

import pytest

from tools.docs.pictures import pictures


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return pictures()


def words(svg: str) -> list[str]:
    """The lines of a picture."""
    ElementTree.fromstring(svg)
    lines = re.findall(r"<text class=\"[^\"]*\"[^>]* y=\"([\d.]+)\"[^>]*>([^<]*)<", svg)
    found: dict[str, str] = {}
    for place, text in lines:
        found[place] = found.get(place, "") + text.replace("&#160;", " ")
    return list(found.values())


def test_they_ask_nothing_of_the_network(drawn: dict[str, str]) -> None:
    for svg in drawn.values():
        assert "@font-face" not in svg
        assert not re.search(r"(href|src|url)\W{1,3}https?:", svg)


def test_markdown_is_shown_as_it_is_in_the_end(drawn: dict[str, str]) -> None:
    lines = words(drawn["pictures/chat.svg"])
    heads = [line for line in lines if "good for" in line]
    assert len(heads) == 1
    assert not any("| way |" in line or "**" in line for line in lines)


def test_findings_have_their_colours(drawn: dict[str, str]) -> None:
    svg = drawn["pictures/lint.svg"]
    assert any("error:" in line for line in words(svg))
    assert len(set(re.findall(r"picture-lint-r\d+", svg))) > 2
