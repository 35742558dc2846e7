"""A newer release: what is printed, and what becomes of the data."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.catalogue.__main__ import main
from tools.catalogue.compare import compare
from tools.catalogue.data_format import dump
from tools.catalogue.extract import extract
from tools.catalogue.shipped import facts_at, read_shipped, rules_at
from tools.catalogue.source_tree import open_release

OLD_PROTOCOL = """
    from pydantic import BaseModel, Field

    class Options(BaseModel):
        usage: bool = False

    class AskRequest(BaseModel):
        prompt: str
        n: int = Field(1, ge=1)
        best_of: int | None = None
        options: Options | None = None

        def check(cls, data):
            if data.get("best_of") and data["best_of"] < data["n"]:
                raise ValueError("best_of is below n")
            if data.get("options") and not data.get("stream"):
                raise ValueError("options are for streams")
            return data
"""
NEW_PROTOCOL = """
    from typing import Literal
    from pydantic import BaseModel, ConfigDict, Field

    class Pause(BaseModel):
        seconds: float = Field(gt=0)

    class Options(BaseModel):
        usage: bool = True
        every: int | None = None

    class AskRequest(BaseModel):
        model_config = ConfigDict(extra="forbid")
        prompt: str | list[str]
        n: int = Field(1, ge=1, le=8)
        effort: Literal["low", "high"] | None = None
        pause: Pause | None = None
        options: Options | None = Field(None, description="Deprecated.")

        def check(cls, data):
            if data.get("options") and not data.get("stream"):
                raise ValueError("options are for streams")
            if data.get("effort") and data["n"] > 1:
                raise ValueError("effort wants one answer")
            return data
"""
OLD_ROUTER = """
    from .protocol import AskRequest

    @router.post("/v1/ask")
    def ask(request: AskRequest): ...

    @router.post("/v1/old")
    def old(raw_request):
        body = raw_request.json()
        return body.get("level")
"""
NEW_ROUTER = """
    from .protocol import AskRequest, Options

    @router.post("/v1/ask")
    def ask(request: AskRequest): ...

    @router.post("/v1/new")
    def new(request: Options): ...
"""
PARAMS = "class SamplingParams:\n    def __init__(self, n: int = 1): ...\n"


def _files(protocol: str, router: str, params: str = PARAMS) -> dict[str, str]:
    return {
        "vllm/entrypoints/a/protocol.py": protocol,
        "vllm/entrypoints/a/router.py": router,
        "vllm/sampling_params.py": params,
    }


OLD = _files(OLD_PROTOCOL, OLD_ROUTER)
NEW = _files(NEW_PROTOCOL, NEW_ROUTER, PARAMS.replace("= 1", "= 2"))


DATA = Path(__file__).parents[1] / "data" / "tools"
ASK = json.loads((DATA / "ask.json").read_text("utf-8"))
SIGNS = {
    "best_of.n": {"messages": ["^best_of is below n"]},
    "options.stream": {"messages": ["^options are for streams"]},
}


@pytest.fixture
def data(tmp_path: Path, rule_signs) -> Path:
    """The catalogue's data before the new release."""
    rule_signs(SIGNS)
    return shutil.copytree(DATA, tmp_path / "data")


@pytest.fixture
def new(write_release) -> Path:
    return write_release("vllm-0.3.0", NEW)


@pytest.fixture
def taken_in(data: Path, new: Path, capsys) -> dict[str, Any]:
    """The data files after the new release was written."""
    assert main(["update", str(new), "--data", str(data), "--write"]) == 0
    capsys.readouterr()
    return {path.stem: json.loads(path.read_text("utf-8")) for path in data.glob("*.json")}


def test_difference_is_printed_in_plain_words(data: Path, new: Path, capsys) -> None:
    assert main(["update", str(new), "--data", str(data)]) == 0
    told = capsys.readouterr().out
    for line in [
        "vllm 0.3.0 against 0.2.0",
        "~ unknown fields ignored → refused",
        "~ prompt: type string → string | array<string>",
        "~ n: limits minimum 1 → minimum 1, maximum 8",
        "~ options: deprecated no → yes",
        "- best_of is gone: it was integer | null, default none",
        "+ effort is new: one of low, high | null, default none",
        "old\n  - is gone",
        "model Options (in ask)\n  ~ usage: default no → yes\n  + every is new: integer | null",
        "model Pause (in ask)\n  + is new\n  + seconds is new: number, exclusiveMinimum 0",
        "engine class SamplingParams\n  ~ n: default 1 → 2",
        "+ POST /v1/new",
        "- best_of: ask",
        "- best_of.n: ask",
        "protocol.py:23 in AskRequest.check\n      says: effort wants one answer",
        "endpoints: ask\n      fields: n, effort",
    ]:
        assert line in told


def test_nothing_is_written_unasked(data: Path, new: Path) -> None:
    before = {path: path.read_text("utf-8") for path in data.iterdir()}
    main(["update", str(new), "--data", str(data)])
    assert {path: path.read_text("utf-8") for path in data.iterdir()} == before


def test_known_release_has_no_difference(data: Path, write_release, capsys) -> None:
    old = write_release("vllm-0.2.0", OLD)
    main(["update", str(old), "--data", str(data), "--settle"])
    capsys.readouterr()
    main(["update", str(old), "--data", str(data)])
    told = capsys.readouterr().out
    assert told.count(": none") == told.count("\n\n") == 6


def test_release_is_added_to_the_index(taken_in) -> None:
    index = taken_in["index"]
    assert (index["releases"], index["newest"]) == (["0.1.0", "0.2.0", "0.3.0"], "0.3.0")
    assert index["endpoints"]["old"]["until"] == "0.2.0"
    assert "until" not in index["endpoints"]["ask"]


def test_changed_fields_get_a_state(taken_in) -> None:
    fields = taken_in["ask"]["fields"]
    assert fields["n"]["states"][1:] == [
        {"since": "0.3.0", "schema": {"type": "integer", "minimum": 1, "maximum": 8}}
    ]
    assert fields["options"]["deprecated_since"] == "0.3.0"
    assert fields["options"]["states"] == ASK["fields"]["options"]["states"]
    assert fields["n"]["description"] == "Words."
    assert fields["n"]["source"] == "vllm/entrypoints/a/protocol.py:14"


def test_new_fields_wait_for_a_description(taken_in) -> None:
    assert taken_in["ask"]["fields"]["effort"] == {
        "states": [
            {
                "since": "0.3.0",
                "schema": {"enum": ["low", "high"], "type": "string", "nullable": True},
                "default": None,
            }
        ],
        "description": "",
        "source": "vllm/entrypoints/a/protocol.py:15",
    }


def test_vanished_fields_end_with_the_release_before_and_stand_last(taken_in) -> None:
    fields = taken_in["ask"]["fields"]
    assert list(fields) == ["prompt", "n", "effort", "pause", "options", "best_of", "ancient"]
    assert (fields["best_of"]["until"], fields["ancient"]["until"]) == ("0.2.0", "0.1.0")


def test_policy_for_unknown_fields_gets_a_release(taken_in) -> None:
    assert taken_in["ask"]["unknown"] == [["0.1.0", "ignored"], ["0.3.0", "refused"]]


def test_nested_models_are_renewed_and_added(taken_in) -> None:
    models = taken_in["ask"]["models"]
    assert list(models) == ["Options", "Pause"]
    assert models["Options"]["fields"]["usage"]["states"][1:] == [
        {"since": "0.3.0", "default": True}
    ]
    assert models["Pause"]["since"] == "0.3.0"


def test_rules_that_are_found_no_more_end_and_others_stay(taken_in) -> None:
    rules = taken_in["ask"]["rules"]
    assert rules["best_of.n"]["until"] == "0.2.0"
    assert rules["options.stream"]["source"] == ["vllm/entrypoints/a/protocol.py:21"]
    assert rules["seen.only"] == ASK["rules"]["seen.only"]


def test_what_others_have_put_into_the_data_stays(data: Path, new: Path) -> None:
    for name in ("ask", "engine", "index"):
        path = data / f"{name}.json"
        facts = json.loads(path.read_text("utf-8"))
        facts |= {"more": name}
        for field in facts.get("fields", {}).values():
            field["more"] = name
        path.write_text(dump(facts), encoding="utf-8")
    main(["update", str(new), "--data", str(data), "--write"])
    for name in ("ask", "engine", "index"):
        assert json.loads((data / f"{name}.json").read_text("utf-8"))["more"] == name
    fields = json.loads((data / "ask.json").read_text("utf-8"))["fields"]
    assert {name for name in fields if "more" in fields[name]} == ASK["fields"].keys()


def test_everything_of_a_vanished_endpoint_ends(taken_in) -> None:
    assert taken_in["old"]["until"] == "0.2.0"
    assert taken_in["old"]["fields"]["level"]["until"] == "0.2.0"


def test_data_then_say_what_each_release_has(taken_in, data: Path, new: Path) -> None:
    shipped = read_shipped(data)
    facts = extract(open_release(new), shipped.index)
    assert compare(facts_at(shipped, "0.3.0"), facts).differing == []
    fields = facts_at(shipped, "0.2.0").endpoints["ask"].fields
    assert list(fields) == ["prompt", "n", "options", "best_of"]
    assert fields["prompt"].schema == {"type": "string"}
    assert rules_at(shipped, "0.2.0")["best_of.n"] == ["ask"]
    assert main(["verify", str(new), "--data", str(data), "--least", "100"]) == 0


def test_fields_that_come_back_have_a_gap(taken_in, data: Path, write_release) -> None:
    main(["update", str(write_release("vllm-0.4.0", OLD)), "--data", str(data), "--write"])
    best_of = json.loads((data / "ask.json").read_text("utf-8"))["fields"]["best_of"]
    assert best_of["ranges"] == [["0.1.0", "0.2.0"], ["0.4.0", "current"]]
    assert "until" not in best_of
    shipped = read_shipped(data)
    has = [
        "best_of" in facts_at(shipped, release).endpoints["ask"].fields
        for release in shipped.releases
    ]
    assert has == [True, True, False, True]
    assert "old" in facts_at(shipped, "0.4.0").endpoints
    main(["update", str(write_release("vllm-0.5.0", NEW)), "--data", str(data), "--write"])
    best_of = json.loads((data / "ask.json").read_text("utf-8"))["fields"]["best_of"]
    assert (best_of["ranges"][-1], best_of["until"]) == (["0.4.0", "0.4.0"], "0.4.0")


def test_values_read_by_hand_keep_what_is_known_of_them(data: Path, write_release) -> None:
    main(["update", str(write_release("vllm-0.3.0", OLD)), "--data", str(data), "--write"])
    before, after = (
        json.loads((folder / "old.json").read_text("utf-8"))["fields"]["level"]["states"]
        for folder in (DATA, data)
    )
    assert before == after


def test_new_route_becomes_an_endpoint_when_it_is_named(data: Path, new: Path) -> None:
    name = ["--name", "POST /v1/new=fresh"]
    assert main(["update", str(new), "--data", str(data), "--write", *name]) == 0
    fresh = json.loads((data / "fresh.json").read_text("utf-8"))
    assert (fresh["path"], fresh["since"], list(fresh["fields"])) == (
        *("/v1/new", "0.3.0"),
        ["usage", "every"],
    )
    place = json.loads((data / "index.json").read_text("utf-8"))["endpoints"]["fresh"]
    assert place == {"path": "/v1/new", "method": "POST", "since": "0.3.0"}


def test_program_loads_the_data(taken_in, data: Path, tmp_path: Path, project: Path) -> None:
    package = tmp_path / "program" / "vllmctl"
    shutil.copytree(project / "vllmctl", package, ignore=shutil.ignore_patterns("*.pyc", "vllm"))
    shutil.copytree(data, package / "catalog" / "data" / "vllm")
    told = subprocess.run(
        [sys.executable, "-c", LOAD], cwd=package.parent, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["vllm==0.3.0", "refused", "8", "True", "True"]


LOAD = """
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_target

target = parse_target("vllm")
ask = endpoint("ask", target)
limit = ask.fields["n"].schema["maximum"]
print(target, ask.unknown, limit, "best_of" in ask.absent, "Pause" in ask.models)
"""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--write"], "0.2.0 is in the list; only a newer one can be added"),
        (["--release", "0.0.9"], "0.0.9 is not in the list and not newer than 0.2.0"),
        (["--release", "0.1.0", "--settle"], "0.1.0 is old"),
        (["--name", "new"], "'POST /v1/path=name'"),
        (["--name", "POST /v1/new=ask"], "an endpoint of this name"),
        (["--data", "nowhere"], "nowhere"),
    ],
)
def test_mistakes_are_told_in_a_line(
    data: Path, write_release, capsys, arguments: list[str], reason: str
) -> None:
    old = write_release("vllm-0.2.0", OLD)
    assert main(["update", str(old), "--data", str(data), *arguments]) == 2
    error = capsys.readouterr().err
    assert (error.count("\n"), reason in error) == (1, True)


def test_verify_counts_and_lists_what_the_source_does_not_bear_out(
    data: Path, write_release, capsys
) -> None:
    wrong = OLD_PROTOCOL.replace("ge=1", "ge=2").replace("best_of is below n", "no")
    source = write_release("vllm-0.2.0", _files(wrong, OLD_ROUTER))
    assert main(["verify", str(source), "--data", str(data)]) == 1
    told = capsys.readouterr().out
    assert "vllm 0.2.0: 10 of 11 facts equal (90.91 %)" in told
    assert "1 of 2 rules found" in told
    assert "~ n: limits minimum 1 → minimum 2" in told
    assert "best_of.n: ask" in told
    assert "seen.only: ask" in told


def test_verify_wants_a_release_in_the_list(data: Path, new: Path, capsys) -> None:
    assert main(["verify", str(new), "--data", str(data)]) == 2
    assert "0.3.0 is not in the list; see update" in capsys.readouterr().err
