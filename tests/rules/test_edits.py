"""Edits of a body."""

from typing import Any

import pytest

from vllmctl.rules.edits import apply
from vllmctl.rules.finding import Edit


def _done(body: Any, *edits: Edit) -> tuple[Any, list[str]]:
    changes = apply(body, edits, "why")
    return body, [str(change) for change in changes]


@pytest.mark.parametrize(
    ("body", "edit", "after"),
    [
        ({"a": 1}, Edit("set", "a", 2), {"a": 2}),
        ({}, Edit("set", "a.b", 2), {"a": {"b": 2}}),
        ({"a": None}, Edit("set", "a.b", 2), {"a": {"b": 2}}),
        ({"a": 5}, Edit("set", "a.b", 2), {"a": 5}),
        ({"m": [{"c": 1}]}, Edit("set", "m[0].c", 2), {"m": [{"c": 2}]}),
        ({"a": 1, "b": 2}, Edit("remove", "a"), {"b": 2}),
        ({"a": {"b": 1}, "c": 1}, Edit("remove", "a.b"), {"c": 1}),
        ({"a": [1, 2, 3]}, Edit("remove", "a[1]"), {"a": [1, 3]}),
        ({"a": {"5 x": 1, "b": 1}}, Edit("remove", 'a["5 x"]'), {"a": {"b": 1}}),
        ({"a.b": 1, "a": {"b": 2}}, Edit("remove", "a.b"), {"a": {"b": 2}}),
        ({"w": {"a": 1}, "b": 2}, Edit("move", "w.a", to="a"), {"b": 2, "a": 1}),
        ({"a": 1}, Edit("set", "a", 1), {"a": 1}),
        ({"a": 1}, Edit("remove", "b.c[4].d"), {"a": 1}),
        ({"a": [1]}, Edit("set", "a[3]", 1), {"a": [1]}),
        ({"a": []}, Edit("set", "a.b", 2), {"a": {"b": 2}}),
        ({"a": [1]}, Edit("set", "a.b", 2), {"a": [1]}),
        ({"a": [1, 2]}, Edit("set", "a[1]", 3), {"a": [1, 3]}),
        ({"a": {"5": 1}}, Edit("set", 'a["5"]', 2), {"a": {"5": 2}}),
        ({"b": 1}, Edit("remove", "a.b"), {"b": 1}),
        ({"a": 1}, Edit("move", "a", to="b.c"), {"b": {"c": 1}}),
        ({"a": {"b": 1, "c": 2}}, Edit("move", "a.b", to="d"), {"a": {"c": 2}, "d": 1}),
        ({"b": 1}, Edit("move", "a", to="c"), {"b": 1}),
    ],
)
def test_edit_does_what_it_says(body: Any, edit: Edit, after: Any) -> None:
    assert _done(body, edit)[0] == after


def test_new_name_takes_the_place_of_the_old_one() -> None:
    body = {"a": 1, "b": 2, "c": 3}
    apply(body, [Edit("move", "b", to="x.y")], "")
    assert list(body.items()) == [("a", 1), ("x", {"y": 2}), ("c", 3)]


def test_true_is_not_one() -> None:
    body = {"a": True}
    assert apply(body, [Edit("set", "a", 1)], "")
    assert body["a"] is not True


def test_loss_is_told_unless_something_is_set_instead() -> None:
    assert _done({"a": 3}, Edit("remove", "a"))[1] == ["removed a (was 3); lost: why"]
    assert _done({"a": {}}, Edit("remove", "a"))[1] == ["removed a (was {})"]
    done = _done({"a": 3}, Edit("set", "b", 3), Edit("remove", "a"))[1]
    assert done == ["set b to 3", "removed a (was 3)"]


def test_secrets_are_not_told() -> None:
    assert _done({"api_key": "sk-1"}, Edit("remove", "api_key"))[1][0].startswith(
        "removed api_key (was …)"
    )
    assert "was 5" in _done({"max_tokens": 5}, Edit("set", "max_tokens", 1))[1][0]
