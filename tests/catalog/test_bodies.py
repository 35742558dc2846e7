"""Where an endpoint takes several bodies, one of them must fit."""

from typing import Any

import pytest

from vllmctl.catalog.bodies import bodies
from vllmctl.catalog.load import endpoint, endpoint_names
from vllmctl.catalog.schema import check_types
from vllmctl.catalog.target import newest, parse_target

HI = [{"role": "user", "content": "hi"}]


def said(name: str, body: dict[str, Any], release: str = "0.33.0") -> list[str]:
    faults = check_types(endpoint(name, parse_target(release)), {"model": "m", **body}).faults
    return [f"{fault.path}: {fault.message}" for fault in faults]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("embeddings", {"input": "a"}),
        ("embeddings", {"messages": HI}),
        ("embeddings", {"input": [HI]}),
        ("embeddings", {"input": "a", "messages": 5}),
        ("pooling", {"data": {}}),
        ("score", {"queries": "a", "items": ["b"]}),
        ("score", {"text_1": "a", "text_2": "b", "queries": "ignored"}),
        ("classify", {"messages": HI}),
        ("tokenize", {"prompt": "a", "messages": HI, "tools": "ignored"}),
    ],
)
def test_one_fitting_body_is_enough(name: str, body: dict[str, Any]) -> None:
    assert said(name, body) == []


@pytest.mark.parametrize(
    ("name", "body", "faults"),
    [
        ("embeddings", {}, ["input: this field or messages is required"]),
        ("pooling", {}, ["input: this field or messages or data is required"]),
        ("score", {"queries": "a"}, ["documents: this field or items is required"]),
        ("tokenize", {"messages": 5}, ["messages: expected a list, got 5"]),
        ("tokenize", {"prompt": 5}, ["prompt: expected a string, got 5"]),
        (
            "score",
            {},
            ["queries: this field is required", "documents: this field is required"],
        ),
        ("embeddings", {"input": "a", "priority": "x"}, ['priority: expected an integer, got "x"']),
    ],
)
def test_faults_are_those_of_the_body_that_lacks_least(
    name: str, body: dict[str, Any], faults: list[str]
) -> None:
    assert said(name, body) == faults


def test_bodies_come_with_their_release() -> None:
    def names(name: str, release: str) -> list[str]:
        return [body.name for body in bodies(endpoint(name, parse_target(release)))]

    assert names("embeddings", "0.5.0") == ["EmbeddingCompletionRequest"]
    assert names("pooling", "0.10.1") == ["PoolingCompletionRequest", "PoolingChatRequest"]
    assert "ScoreQueriesItemsRequest" not in names("score", "0.15.1")
    assert "ScoreQueriesItemsRequest" in names("score", "0.16.0")
    assert said("score", {"text_1": "a"}, "0.9.2") == ["text_2: this field is required"]


def test_an_ordinary_endpoint_has_one_body_with_every_field() -> None:
    facts = endpoint("chat.completions", newest())
    (only,) = bodies(facts)
    assert (only.name, only.required) == ("", ("messages",))
    assert only.fields == set(facts.fields)


def test_every_endpoint_has_a_body_and_every_field_is_in_one() -> None:
    for name in endpoint_names(newest()):
        facts = endpoint(name, newest())
        assert set().union(*(body.fields for body in bodies(facts))) == set(facts.fields)
