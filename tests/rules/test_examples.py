"""Every rule has logic, or a reason why it has none; and what it says on its example."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rules.mended import mended
from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.files import read_endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.schema import check_types
from vllmctl.catalog.served import Refusal, Served
from vllmctl.catalog.target import parse_target
from vllmctl.record import replace
from vllmctl.rules.active import active_rules
from vllmctl.rules.case import Case, Fault
from vllmctl.rules.check import check
from vllmctl.rules.registry import all_own_rules, function_of
from vllmctl.rules.untold import UNTOLD

ENDPOINTS = ("chat.completions", "completions")
DATA = Path(__file__).parent.parent / "data" / "rules"
EXAMPLES = [json.loads(line) for line in (DATA / "examples.jsonl").read_text().splitlines()]

Facts = dict[str, Any]


def catalogue_rules() -> dict[str, Facts]:
    """The rules of both endpoints, for all releases."""
    return {
        name: rule for of in ENDPOINTS for name, rule in read_endpoint("vllm", of)["rules"].items()
    }


def has_logic(name: str, facts: Facts) -> bool:
    return function_of(name) is not None or facts.get("check") is not None


@pytest.mark.parametrize(("name", "facts"), catalogue_rules().items(), ids=str)
def test_rule_has_logic_or_a_reason_for_none(name: str, facts: Facts) -> None:
    assert has_logic(name, facts) != (name in UNTOLD)


def test_reasons_are_for_rules_that_exist() -> None:
    assert set(UNTOLD) <= set(catalogue_rules())


def test_rules_with_logic_have_an_example() -> None:
    told = {name for name, facts in catalogue_rules().items() if has_logic(name, facts)}
    assert told | {own.name for own in all_own_rules()} == {row["rule"] for row in EXAMPLES}


def test_own_rules_do_not_hide_the_catalogue() -> None:
    assert not {own.name for own in all_own_rules()} & set(catalogue_rules())


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: row["rule"])
def test_rule_finds_the_fault_of_its_example(row: Facts) -> None:
    faults = faults_of(row)
    assert faults
    for fault in faults:
        assert fault.path
        assert fault.message


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: row["rule"])
def test_check_speaks_of_the_example(row: Facts) -> None:
    of = endpoint_of(row)
    paths = {finding.path for finding in check(row["body"], of)}
    assert paths & {fault.path for fault in faults_of(row)}


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: row["rule"])
def test_mended_example_needs_no_more_mending(row: Facts) -> None:
    of = endpoint_of(row)
    body, done = mended(row["body"], of)
    assert done.findings == check(body, of)
    assert not [finding for finding in done.findings if finding.fix]
    assert bool(done.changes) == (json.dumps(body) != json.dumps(row["body"]))


def faults_of(row: Facts) -> list[Fault]:
    """What the row's rule says to the row's body, without all others."""
    of = endpoint_of(row)
    rule = next(rule for rule in active_rules(of) if rule.fact.id == row["rule"])
    known = {name: value for name, value in row["body"].items() if name in of.fields}
    read = {name: check_types(of, row["body"]).value[name] for name in known}
    return list(rule.function(Case(of, known, read)))


def endpoint_of(row: Facts) -> Endpoint:
    """The endpoint of a row, as the release has it, or as one server does."""
    target = parse_target(row["target"])
    if "served" in row:
        refused = {rule: Refusal("no", 0.0) for rule in row["served"].get("refused", ())}
        served = Served("http://server", **{**row["served"], "refused": refused})
        target = replace(target, served=served)
    return endpoint(row["endpoint"], target)
