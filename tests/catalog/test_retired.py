from typing import Any

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.retired import replacement
from vllmctl.catalog.target import parse_target


def find(release: str, name: str, of: str = "chat.completions") -> Any:
    return replacement(endpoint(of, parse_target(release)), name)


@pytest.mark.parametrize("kind", ["json", "regex", "choice", "grammar"])
def test_guided_fields_moved_into_structured_outputs(kind: str) -> None:
    found = find("0.33.0", f"guided_{kind}")
    assert (found.to, found.how) == (f"structured_outputs.{kind}", "move")
    assert (found.since, found.gone_since) == ("0.11.0", "0.12.0")


def test_before_the_move_the_new_form_names_the_old_one() -> None:
    found = find("0.10.2", "structured_outputs.json")
    assert (found.to, found.how) == ("guided_json", "move")
    assert find("0.10.2", "guided_json") is None


@pytest.mark.parametrize("name", ["best_of", "early_stopping", "logits_processors"])
def test_a_dropped_field_has_no_successor_and_says_why(name: str) -> None:
    found = find("0.33.0", name)
    assert (found.to, found.how) == (None, "drop")
    assert found.note


def test_a_field_that_still_works_under_its_old_name_is_an_alias() -> None:
    found = find("0.33.0", "max_tokens")
    assert (found.to, found.how, found.gone_since) == ("max_completion_tokens", "alias", None)


def test_completions_know_nothing_of_chat_names() -> None:
    assert find("0.33.0", "max_tokens", "completions") is None


def test_an_ordinary_field_has_no_replacement() -> None:
    assert find("0.33.0", "temperature") is None
    assert find("0.33.0", "top_k: -1") is None
