"""The gathered catalogue, corrected, gives the data files that ship."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.catalogue.__main__ import DATA, main
from tools.catalogue.corrections import Corrections, LimitCorrection, for_gathered
from tools.catalogue.data_format import dump
from tools.catalogue.fact_files import read_facts
from tools.catalogue.gathered import Maker, engine_files

INTEGER, STRING = {"type": "integer"}, {"type": "string"}
NUMBERS = {"type": "array", "items": INTEGER}
GATHERED = {"vllm": "catalog.json", "furiosa": "furiosa.json"}


def field(**facts: Any) -> dict[str, Any]:
    base = {"type": "integer", "schema": INTEGER, "default": 0, "since": "1", "until": "current"}
    return {**base, "description": "", "source": "", **facts}


def endpoint(**facts: Any) -> dict[str, Any]:
    base = {"path": "/ask", "method": "POST", "since": "1", "until": "current", "fields": {}}
    return {"body": "json", "description": "", **base, **facts}


def gathered(**facts: Any) -> dict[str, Any]:
    base = {"versions": list("1234"), "newest": "4", "endpoints": {"ask": endpoint()}}
    return {"models": {}, "rules": {}, **base, **facts}


def ask(catalogue: dict[str, Any], corrections: Corrections | None = None) -> Any:
    return Maker(catalogue, corrections or Corrections()).endpoint("ask")


def states(facts: dict[str, Any], *limits: LimitCorrection, **catalogue: Any) -> Any:
    asked = endpoint(fields={"size": facts}, models=catalogue.pop("bodies", {}))
    made = ask(gathered(endpoints={"ask": asked}, **catalogue), Corrections(limits))
    return made["fields"]["size"]["states"]


def schemas(found: Any) -> list[tuple[str, Any]]:
    return [(state["since"], state["schema"]) for state in found if "schema" in state]


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


def test_types_of_several_bodies_join_only_in_the_releases_that_have_them() -> None:
    facts = field(
        by_variant={"One": {"type": "integer"}, "Many": {"type": "array<integer>"}},
        changes=[{"at": "3", "what": "type", "from": "integer", "to": "integer / array<integer>"}],
    )
    assert schemas(states(facts)) == [("1", INTEGER), ("3", {"anyOf": [INTEGER, NUMBERS]})]


def test_limits_beside_a_union_go_to_the_choices_that_they_speak_of() -> None:
    facts = field(schema={"anyOf": [STRING, NUMBERS], "maxItems": 4})
    assert schemas(states(facts)) == [("1", {"anyOf": [STRING, {**NUMBERS, "maxItems": 4}]})]


def test_bodies_of_any_release_are_classes_of_vllm() -> None:
    facts = field(
        type="New", changes=[{"at": "2", "what": "type", "from": "Old | Alien", "to": "New"}]
    )
    old, new = {"$ref": "#/models/Old"}, {"$ref": "#/models/New"}
    found = schemas(states({**facts, "schema": new}, bodies={"1": ["Old"], "2": ["New"]}))
    assert found == [("1", {"anyOf": [old, {"x-external": "Alien"}]}), ("2", new)]


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("1", [("1", {**INTEGER, "strict": True})]),
        ("3", [("1", INTEGER), ("3", {**INTEGER, "strict": True})]),
    ],
)
def test_a_correction_holds_from_its_release_on(since: str, expected: Any) -> None:
    correction = LimitCorrection("size", since, "integer", {"strict": True})
    assert schemas(states(field(), correction)) == expected


def test_a_correction_is_for_one_choice_of_one_endpoint() -> None:
    facts = field(schema={"anyOf": [STRING, NUMBERS], "nullable": True})
    limits = {"minItems": 1, "items.minimum": 0}
    here = LimitCorrection("size", "1", "array<integer>", limits, endpoint="ask")
    corrected = {**NUMBERS, "items": {**INTEGER, "minimum": 0}, "minItems": 1}
    expected = {"anyOf": [STRING, corrected], "nullable": True}
    assert schemas(states(facts, here)) == [("1", expected)]
    assert states(facts, here._replace(endpoint="tell")) == states(facts)


def test_policies_of_models_are_dated() -> None:
    model = {"kind": "pydantic", "since": "1", "until": "current", "unknown_fields": "ignored"}
    models = {name: {**model, "fields": {}} for name in ("Inner", "Other")}
    union = {"anyOf": [{"$ref": f"#/models/{name}"} for name in models]}
    asked = endpoint(fields={"size": field(schema=union)})
    catalogue = gathered(endpoints={"ask": asked}, models=models)
    policies = [["1", "refused"], ["3", "ignored"]]
    made = ask(catalogue, Corrections(unknown={"Inner": policies}))["models"]
    assert [made[name]["unknown"] for name in models] == [policies, [["1", "ignored"]]]


def test_spans_of_rules_and_bodies_are_corrected() -> None:
    rule = {"kind": "reject", "text": "", "fields": [], "since": "1", "until": "current"}
    rules = {"early": {**rule, "endpoints": {"ask": rule}}, "missing": {**rule, "endpoints": {}}}
    corrected = {"early": {"ask": {"since": "2"}}, "missing": {"ask": {"since": "3", "until": "3"}}}
    catalogue = gathered(rules=rules)
    made = ask(catalogue, Corrections(rules=corrected, bodies={"ask": "form"}))
    spans = {name: (each["since"], each.get("until")) for name, each in made["rules"].items()}
    assert spans == {"early": ("2", None), "missing": ("3", "3")}
    assert made["body"] == "form"
    assert list(ask(catalogue)["rules"]) == ["early"]


def test_make_writes_an_engines_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "gathered.json"
    source.write_text(json.dumps(gathered()), encoding="utf-8")
    assert main(["make", str(source), "--engine", "other", "--out", str(tmp_path)]) == 0
    assert "wrote 3 files" in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "other").iterdir()}
    assert names == {"index.json", "ask.json", "engine.json"}
    assert main(["make", str(tmp_path / "none.json")]) == 2


@pytest.fixture(scope="module")
def catalogues(project: Path) -> dict[str, Any]:
    folder = project.parent / "shared" / "catalog"
    if not folder.is_dir():
        pytest.skip("the gathered catalogue is not there")
    return {engine: read_facts(folder / name) for engine, name in GATHERED.items()}


@pytest.mark.parametrize("engine", GATHERED)
def test_shipped_facts_are_those_of_the_gathered_catalogue(
    catalogues: dict[str, Any], engine: str
) -> None:
    shipped = {path.name: path.read_text("utf-8") for path in (DATA / engine).iterdir()}
    made = {name: dump(facts) for name, facts in engine_files(engine, catalogues[engine]).items()}
    assert made == shipped


def test_no_correction_says_what_was_gathered(catalogues: dict[str, Any]) -> None:
    catalogue, every = catalogues["vllm"], for_gathered("vllm")
    for name, body in every.bodies.items():
        assert catalogue["endpoints"][name]["body"] != body
    for name, policies in every.unknown.items():
        model = catalogue["models"][name]
        assert policies != [[model["since"], model["unknown_fields"]]]
    for rule, spans in every.rules.items():
        for name, span in spans.items():
            was = catalogue["rules"][rule]["endpoints"].get(name, {})
            assert {**was, **span} != was


def test_no_correction_is_idle(catalogues: dict[str, Any]) -> None:
    catalogue, every = catalogues["vllm"], for_gathered("vllm")
    with_all = Maker(catalogue, every).files()
    for one in every.limits:
        others = tuple(other for other in every.limits if other != one)
        assert Maker(catalogue, every._replace(limits=others)).files() != with_all
    assert Maker(catalogue, every._replace(externals={})).files() != with_all
