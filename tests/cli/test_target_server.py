"""``explain`` and ``fields`` of the server itself, be it a release or a fork."""

from collections.abc import Callable, Iterator

import pytest

from tests.cli.flagless import Flagless, flagless
from tests.outcome import Outcome

Run = Callable[..., Outcome]

FIELDS = {
    "messages": {"type": "array", "items": {}},
    "fork_level": {"type": "integer", "minimum": 0, "default": 3, "description": "How deep."},
}
FORK = {
    "paths": {
        "/v1/chat/completions": {
            "post": {
                "requestBody": {"content": {"application/json": {"schema": {"properties": FIELDS}}}}
            }
        }
    }
}


@pytest.fixture
def fork() -> Iterator[Flagless]:
    with flagless("") as server:
        server.pages |= {"/version": {"version": "0.32.1.dev5+fork"}, "/openapi.json": FORK}
        yield server


def asked(server: Flagless) -> tuple[str, ...]:
    return "--target", "server", "--base-url", server.url


def test_fields_are_those_that_a_fork_tells(fork: Flagless, vllmctl: Run) -> None:
    told = vllmctl("fields", *asked(fork), "--format", "json")
    assert [one["name"] for one in told.json] == ["messages", "fork_level"]


def test_a_fork_has_no_path_that_it_does_not_tell(fork: Flagless, vllmctl: Run) -> None:
    told = vllmctl("fields", "complete", *asked(fork))
    assert told.code == 2
    assert "has no" in told.err


def test_a_field_of_a_fork_alone_is_explained(fork: Flagless, vllmctl: Run) -> None:
    told = vllmctl("explain", "fork_level", *asked(fork))
    assert told.code == 0
    assert fork.url in told.out
    assert "at least 0" in told.out


def test_a_field_that_a_fork_lacks_is_said_to_be_ignored(fork: Flagless, vllmctl: Run) -> None:
    told = vllmctl("explain", "top_k", *asked(fork))
    assert "answers 200 and ignores it" in told.out


def test_what_a_fork_changes_is_told(fork: Flagless, vllmctl: Run) -> None:
    told = vllmctl("fields", "--diff", "0.32.0", *asked(fork), "--format", "json")
    assert [one["name"] for one in told.json["added"]] == ["fork_level"]


def test_a_server_of_a_known_release_has_its_fields(vllmctl: Run) -> None:
    with flagless("") as server:
        here = vllmctl("fields", *asked(server), "--format", "json")
    there = vllmctl("fields", "--target", "0.32.0", "--format", "json")
    assert here.json == there.json


def test_options_of_the_connection_can_still_be_explained(vllmctl: Run) -> None:
    assert "whole request" in vllmctl("explain", "--timeout").out
    assert vllmctl("explain", "--base-url").code == 0


@pytest.mark.parametrize(
    "words", [("explain", "fork_level"), ("fields",), ("fields", "--diff", "0.32.0", "server")]
)
def test_who_names_a_server_asks_about_it(words: tuple[str, ...], fork: Flagless, vllmctl: Run):
    told = vllmctl(*words, "--base-url", fork.url)
    assert (told.code, told.err) == (0, "")
    assert "fork_level" in told.out
    assert fork.url in told.out


def test_lint_for_a_server_that_is_named_alone(fork: Flagless, vllmctl: Run) -> None:
    body = '{"messages": [{"role": "user", "content": "hi"}], "top_k": 1}'
    told = vllmctl("lint", body, "--base-url", fork.url, "--json")
    assert [found["path"] for found in told.json["findings"]] == ["top_k"]


def test_a_release_is_taken_where_both_are_named(fork: Flagless, vllmctl: Run) -> None:
    told = vllmctl("explain", "top_k", "--target", "0.32.0", "--base-url", fork.url)
    assert "(field, vllm==0.32.0)" in told.out
