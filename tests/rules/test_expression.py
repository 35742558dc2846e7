"""The declarative form of rules."""

from typing import Any

import pytest

from vllmctl.catalog.files import read_endpoint
from vllmctl.rules.expression import blamed, compile_test, lookup, needed


@pytest.mark.parametrize(
    ("expression", "body", "holds"),
    [
        (["set", "a"], {"a": 0}, True),
        (["set", "a"], {"a": None}, False),
        (["present", "a"], {"a": None}, True),
        (["present", "a"], {}, False),
        (["null", "a"], {"a": None}, True),
        (["null", "a"], {}, False),
        (["truthy", "a"], {"a": "no"}, True),
        (["truthy", "a"], {"a": []}, False),
        (["eq", "a", []], {"a": []}, True),
        (["eq", "a", 0], {}, False),
        (["in", "a", ["x"]], {"a": "x"}, True),
        (["in", "a", ["x"]], {"a": {}}, False),
        (["lt", "a", 1], {"a": 0}, True),
        (["lt", "a", 1], {"a": "0"}, False),
        (["le", "a", 1], {"a": 1}, True),
        (["gt", "a", 0], {"a": True}, True),
        (["ge", "a", 1], {"a": 1.0}, True),
        (["gt_field", "a", "b"], {"a": 2, "b": 1}, True),
        (["gt_field", "a", "b"], {"a": 2}, False),
        (["lt_field", "a", "b"], {"a": 1, "b": 2}, True),
        (["ge_field", "a", "b"], {"a": 2, "b": 2}, True),
        (["count_set_gt", ["a.x", "a.y"], 1], {"a": {"x": 1, "y": 2}}, True),
        (["count_set_gt", ["a.x", "a.y"], 1], {"a": {"x": 1, "y": None}}, False),
        (["count_set_eq", ["a", "b"], 0], {}, True),
        (["is_string", "a"], {"a": ""}, True),
        (["is_object", "a"], {"a": {}}, True),
        (["contains", "a", ""], {"a": ["x", ""]}, True),
        (["len_gt", "a", 2], {"a": "xyz"}, True),
        (["list_len_gt", "a", 2], {"a": "xyz"}, False),
        (["any_lt", "a", 0], {"a": [1, -1]}, True),
        (["regex", "a", "^x"], {"a": "xy"}, True),
        (["depth_gt", "a", 1], {"a": {"b": {}}}, True),
        (["depth_gt", "a", 1], {"a": '{"b": {}}'}, True),
        (["depth_gt", "a", 1], {"a": "{"}, False),
        (["keys_not_int", "a"], {"a": {" 5 ": 1, "+6": 1}}, False),
        (["keys_not_int", "a"], {"a": {"x": 1}}, True),
        (["not_in_list", "a", "b[].c"], {"a": 1, "b": [{"c": 2}]}, True),
        (["not_in_list", "a", "b[].c"], {"a": 2, "b": [{"c": 2}]}, False),
        (["and", ["set", "a"], ["not", ["set", "b"]]], {"a": 1}, True),
        (["or", ["set", "a"], ["set", "b"]], {"b": 1}, True),
    ],
)
def test_operators(expression: list[Any], body: dict[str, Any], holds: bool) -> None:
    assert compile_test(expression)(body) is holds


def test_unknown_operator_is_an_error() -> None:
    with pytest.raises(ValueError, match="nope"):
        compile_test(["nope", "a"])


@pytest.mark.parametrize(
    ("expression", "body", "paths"),
    [
        (["or", ["lt", "a", 0], ["gt", "b", 1]], {"a": 1, "b": 2}, ["b"]),
        (["and", ["set", "a"], ["not", ["set", "b"]]], {"a": 1}, ["a"]),
        (["count_set_gt", ["s.x", "s.y"], 1], {"s": {"x": 1, "y": 1}}, ["s"]),
        (["not", ["set", "a"]], {}, []),
    ],
)
def test_blame_falls_on_what_makes_it_hold(
    expression: list[Any], body: dict[str, Any], paths: list[str]
) -> None:
    assert list(blamed(expression, body)) == paths


@pytest.mark.parametrize(
    ("expression", "fields"),
    [
        (["and", ["set", "a.x"], ["gt", "b", 1]], {"a", "b"}),
        (["or", ["set", "a"], ["set", "b"]], set()),
        (["not", ["set", "a"]], set()),
        (["or", ["lt", "a", 1], ["gt", "a", 2]], {"a"}),
    ],
)
def test_needed_fields(expression: list[Any], fields: set[str]) -> None:
    assert needed(expression) == fields


@pytest.mark.parametrize("of", ["chat.completions", "completions", "embeddings", "responses"])
def test_no_expression_holds_without_the_fields_that_it_needs(of: str) -> None:
    for rule in read_endpoint("vllm", of)["rules"].values():
        if rule.get("check") is not None and needed(rule["check"]):
            assert not compile_test(rule["check"])({})


def test_lookup_walks_objects_and_lists() -> None:
    body = {"a": {"b": 1}, "t": [{"f": {"n": "x"}}, {"f": {}}, 5]}
    assert lookup(body, "a.b") == 1
    assert lookup(body, "a.c") is None
    assert lookup(body, "t[].f.n") == ["x"]
