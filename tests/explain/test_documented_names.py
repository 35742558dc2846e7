"""Every name in the documents that people come from has an answer."""

import tomllib
from pathlib import Path

import pytest

LIST = Path(__file__).parent.parent / "data" / "explain" / "documented_names.toml"
DOCUMENTS = tomllib.loads(LIST.read_text(encoding="utf-8"))["document"]
CHAT, COMPLETE = "chat.completions", "completions"
PLACES = {"both": [CHAT, COMPLETE], "chat": [CHAT], "complete": [COMPLETE]}


def sent():
    for document in DOCUMENTS:
        for kind, endpoints in PLACES.items():
            for name in document.get(kind, ()):
                yield pytest.param(
                    name, document["target"], endpoints, id=f"{document['title']}: {name}"
                )


def unsent():
    for document in DOCUMENTS:
        for name, instead in document.get("unsent", {}).items():
            yield pytest.param(name, document["target"], instead, id=f"{document['title']}: {name}")


def every():
    found = set()
    for document in DOCUMENTS:
        unsent = document.get("unsent", {})
        for name in (*document.get("both", ()), *document.get("chat", ()), *unsent):
            found.add((name, document["target"]))
    return sorted(found)


@pytest.mark.parametrize(("name", "target", "endpoints"), list(sent()))
def test_it_says_where_a_field_can_be_sent(asked, name, target, endpoints):
    found = asked(name, target)
    here = [place.endpoint for place in found.places if place.is_here]
    assert found.sendable
    assert [place for place in here if place in (CHAT, COMPLETE)] == endpoints
    assert all(endpoint in found.verdict for endpoint in endpoints)
    assert found.meaning
    assert found.flag
    assert found.example.startswith("vllmctl ")


@pytest.mark.parametrize(("name", "target", "instead"), list(unsent()))
def test_it_says_what_cannot_be_sent_and_what_can(asked, name, target, instead):
    found = asked(name, target)
    assert not found.sendable
    assert found.instead == instead
    assert found.verdict.startswith(("Cannot be sent", "Removed", "A key of", "Of furiosa"))


def test_it_says_what_is_read_from_undeclared_keys(asked):
    found = asked("kv_transfer_params", "furiosa")
    assert found.sendable
    assert "remote_prefiller" in found.meaning[0]


@pytest.mark.parametrize(("name", "target"), every())
def test_every_answer_fits_a_page_of_sixty_columns(printed, name, target):
    done = printed("explain", name, "--target", target, variables={"COLUMNS": "60"})
    assert done.code == 0
    assert [line for line in done.lines if len(line) > 60 and not _is_one_word(line)] == []


def _is_one_word(line):
    return len(line.split()) <= 1
