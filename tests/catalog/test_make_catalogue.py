import json
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module", autouse=True)
def tools(project: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(project / "tools"))
        yield
    for name in ("make_catalogue", "catalogue_types"):
        sys.modules.pop(name, None)


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
        ("array<Param>", array({"x-external": "lib.Param"})),
        (
            "array<integer> | null / integer | null",
            {"anyOf": [array(INTEGER), INTEGER], "nullable": True},
        ),
    ],
)
def test_type_texts_become_schemas(text: str, schema: Any) -> None:
    from catalogue_types import Names, parse_type

    assert parse_type(text, Names({"Choice": {}}, {"Param": "lib.Param"})) == schema


def test_limits_land_on_the_type_that_they_speak_of() -> None:
    from catalogue_types import with_limits

    union = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}
    limits = {"maxItems": "env STOPS (default 4)", "items.minimum": 0}
    assert with_limits(union, limits) == {
        "anyOf": [
            {"type": "string"},
            {
                "type": "array",
                "items": {"type": "integer", "minimum": 0},
                "maxItems": {"env": "STOPS", "default": 4},
            },
        ]
    }
    assert with_limits({"type": "integer", "minimum": 5}, {}) == {"type": "integer"}


def field(**facts: Any) -> dict[str, Any]:
    base = {"type": "integer", "schema": INTEGER, "default": 0, "since": "1", "until": "current"}
    return {**base, "description": "", "source": "", **facts}


def states(facts: dict[str, Any], corrections: tuple[Any, ...] = ()) -> Any:
    from make_catalogue import Maker

    maker = Maker({"versions": ["1", "2", "3", "4"], "models": {}}, corrections)
    return maker._field("size", facts)["states"]


def test_older_states_are_rebuilt_from_the_changes() -> None:
    changes = [
        {"at": "2", "what": "type", "from": "string | null", "to": "integer"},
        {"at": "2", "what": "default", "from": "required", "to": 0},
        {"at": "4", "what": "limits", "from": {"minimum": 1}, "to": {}},
    ]
    assert states(field(changes=changes)) == [
        {
            "since": "1",
            "schema": {**STRING, "nullable": True},
            "required": True,
            "default": None,
        },
        {"since": "2", "schema": {**INTEGER, "minimum": 1}, "required": False, "default": 0},
        {"since": "4", "schema": INTEGER},
    ]


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("1", [("1", {"type": "integer", "strict": True})]),
        ("3", [("1", {"type": "integer"}), ("3", {"type": "integer", "strict": True})]),
    ],
)
def test_a_correction_holds_from_its_release_on(since: str, expected: Any) -> None:
    correction = {"field": "size", "since": since, "type": "integer", "add": {"strict": True}}
    found = states(field(), (correction,))
    assert [(state["since"], state["schema"]) for state in found] == expected


def test_the_shipped_facts_are_those_of_the_gathered_catalogue(project: Path) -> None:
    source = project.parent / "shared" / "catalog"
    if not source.is_dir():
        pytest.skip("the gathered catalogue is not there")
    from make_catalogue import CORRECTIONS, DATA, dump, engine_files, read

    for engine, name in (("vllm", "catalog.json"), ("furiosa", "furiosa.json")):
        files = engine_files(read(source / name), read(CORRECTIONS).get(engine, []))
        shipped = {path.name: path.read_text("utf-8") for path in (DATA / engine).iterdir()}
        assert {name: dump(facts) for name, facts in files.items()} == shipped


def test_shipped_files_are_json_and_small(project: Path) -> None:
    data = project / "vllmctl" / "catalog" / "data"
    for path in data.rglob("*.json"):
        assert json.loads(path.read_text("utf-8"))
        assert path.stat().st_size < 150_000
