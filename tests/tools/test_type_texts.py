from typing import Any

import pytest

from tools.catalogue.type_texts import Names, parse_type, with_limits

INTEGER, STRING = {"type": "integer"}, {"type": "string"}


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("integer | null", {**INTEGER, "nullable": True}),
        ("any | null", {"nullable": True}),
        ("array<array<integer>>", array(array(INTEGER))),
        (
            "string | array<string | integer>",
            {"anyOf": [STRING, array({"anyOf": [STRING, INTEGER]})]},
        ),
        ("object<integer>", {"type": "object", "additionalProperties": INTEGER}),
        ("string(base64)", {**STRING, "format": "base64"}),
        (
            "enum(none, auto) | Choice | null",
            {
                "anyOf": [{"enum": ["none", "auto"], **STRING}, {"$ref": "#/models/Choice"}],
                "nullable": True,
            },
        ),
        ("enum(0, 1)", {"enum": [0, 1], **INTEGER}),
        ("enum(false) / enum(true)", {"enum": [False, True], "type": "boolean"}),
        ("enum(30m)", {"enum": ["30m"], **STRING}),
        ("array<Param>", array({"x-external": "lib.Param"})),
        ("array<Callable[[int], T]>", array({"x-python": "Callable[[int], T]"})),
        (
            "array<integer> | null / integer | null",
            {"anyOf": [array(INTEGER), INTEGER], "nullable": True},
        ),
    ],
)
def test_type_texts_become_schemas(text: str, schema: Any) -> None:
    assert parse_type(text, Names({"Choice"}, {"Param": "lib.Param"})) == schema


def test_limits_land_on_the_type_that_they_speak_of() -> None:
    union = {"anyOf": [STRING, array(INTEGER)]}
    limits = {"maxItems": "env STOPS (default 4)", "items.minimum": 0}
    stops = {"env": "STOPS", "default": 4}
    assert with_limits(union, limits) == {
        "anyOf": [STRING, {**array({**INTEGER, "minimum": 0}), "maxItems": stops}]
    }


def test_limits_replace_those_that_were_there() -> None:
    assert with_limits({**INTEGER, "minimum": 5}, {}) == INTEGER
