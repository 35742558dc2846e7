from typing import Any

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.openapi import fitted
from vllmctl.catalog.schema import check_types
from vllmctl.catalog.target import newest, parse_target

HI = [{"role": "user", "content": "hi"}]


def document(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    body = {"$ref": "#/components/schemas/Body"}
    path = {"post": {"requestBody": {"content": {"application/json": {"schema": body}}}}}
    return {
        "paths": {"/v1/chat/completions": path},
        "components": {"schemas": {"Body": {"properties": properties, "required": required or []}}},
    }


def fit(properties: dict[str, Any], **more: Any) -> Any:
    return fitted(endpoint("chat.completions", newest()), document(properties, **more))


def test_the_document_decides_which_fields_exist() -> None:
    found = fit({"messages": {}, "temperature": {}, "guided_json": {}})
    assert set(found.fields) == {"messages", "temperature", "guided_json"}
    assert found.absent["top_k"].since
    assert (
        found.fields["temperature"] is endpoint("chat.completions", newest()).fields["temperature"]
    )


def test_a_field_of_a_fork_is_typed_by_the_document() -> None:
    own = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": 3}
    listed = {"type": "array", "items": {"type": "string", "const": "a"}}
    found = fit({"messages": {}, "fork_depth": own, "fork_list": listed}, required=["fork_list"])
    assert found.fields["fork_depth"].nullable
    assert found.fields["fork_depth"].default == 3
    check = check_types(found, {"messages": HI, "fork_depth": 0})
    assert [fault.path for fault in check.faults] == ["fork_list", "fork_depth"]
    check = check_types(found, {"messages": HI, "fork_depth": None, "fork_list": ["b"]})
    assert [fault.path for fault in check.faults] == ["fork_list[0]"]


def test_nested_objects_that_are_known_stay_known() -> None:
    options = {"$ref": "#/components/schemas/StreamOptions"}
    found = fit({"messages": {}, "fork_options": options, "fork_object": {"$ref": "#/x/Other"}})
    body = {"messages": HI, "fork_options": {"include_usage": 5}, "fork_object": 5}
    assert [f.path for f in check_types(found, body).faults] == ["fork_options.include_usage"]


@pytest.mark.parametrize("text", [{}, {"paths": {}}, {"paths": {"/v1/chat/completions": None}}])
def test_a_document_that_tells_nothing_fits_nothing(text: dict[str, Any]) -> None:
    assert fitted(endpoint("chat.completions", parse_target("0.32.0")), text) is None
