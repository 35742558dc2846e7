"""Tool calls are put together however their deltas name them."""

from typing import Any

import pytest

from vllmctl.client.tool_calls import ToolCalls


def delta(index: Any, id_: Any, name: Any, arguments: Any) -> dict[str, Any]:
    return {"index": index, "id": id_, "function": {"name": name, "arguments": arguments}}


def put_together(*deltas: dict[str, Any]) -> list[tuple[str, str, str]]:
    calls = ToolCalls()
    for one in deltas:
        calls.take([one])
    return [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls.as_list()]


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        ([delta(0, "a", "f", ""), delta(0, None, None, "{}")], [("a", "f", "{}")]),
        ([delta(0, "a", "f", "{"), delta(0, "a", "f", "}")], [("a", "f", "{}")]),
        ([delta(0, "a", "f", "{"), delta(0, "new each time", None, "}")], [("a", "f", "{}")]),
        (
            [delta(0, "a", "f", "{}"), delta(0, "b", "g", "[]"), delta(0, "b", None, "1")],
            [("a", "f", "{}"), ("b", "g", "[]1")],
        ),
        (
            [delta(None, "a", "f", "{"), delta(None, None, None, "}"), delta(None, "b", "g", "")],
            [("a", "f", "{}"), ("b", "g", "")],
        ),
        (
            [delta(None, "a", "f", ""), delta(None, "b", "g", ""), delta(None, "a", None, "{}")],
            [("a", "f", "{}"), ("b", "g", "")],
        ),
        (
            [delta(None, None, "f", "{}"), delta(None, None, "g", "[]")],
            [("no-id-0", "f", "{}"), ("no-id-1", "g", "[]")],
        ),
        ([delta(0, "a", "get_", ""), delta(0, None, "it", "{}")], [("a", "get_it", "{}")]),
        ([delta(0, "a", "f", {"x": "é"})], [("a", "f", '{"x": "é"}')]),
        ([delta(1, "b", "g", ""), delta(0, "a", "f", "")], [("a", "f", ""), ("b", "g", "")]),
        ([{"id": "a"}, {"index": 0, "function": {"name": "f"}}], [("a", "f", "")]),
    ],
)
def test_deltas_become_calls(
    deltas: list[dict[str, Any]], expected: list[tuple[str, str, str]]
) -> None:
    assert put_together(*deltas) == expected


def test_what_is_new_is_given_once() -> None:
    calls = ToolCalls()
    assert calls.take([delta(0, "a", "f", "")]) == [(0, "a", "f", "")]
    assert calls.take([delta(0, "a", "f", "{}")]) == [(0, None, None, "{}")]
    assert calls.take(None) == []
    assert calls.take([5]) == []
