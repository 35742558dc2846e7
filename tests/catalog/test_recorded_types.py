"""What a real vLLM 0.32.0 said to hundreds of bodies with odd types, replayed offline.

``python -m tools.catalogue.record_types`` asks a server anew.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from vllmctl.catalog.exact_fit import fits
from vllmctl.catalog.load import by_path, endpoint
from vllmctl.catalog.schema import TypeChecker
from vllmctl.catalog.target import parse_target

RECORDING = Path(__file__).parents[1] / "data" / "catalog" / "types-0.32.0.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in RECORDING.read_text().splitlines()]
TYPE_ROWS = [row for row in ROWS if row["type"]]
ACCEPTED = [row for row in ROWS if row["status"] == 200]


def facts_of(row: dict[str, Any]) -> Any:
    name = by_path(row["path"])
    assert name
    return endpoint(name, parse_target("0.32.0"))


def blamed_fields(row: dict[str, Any]) -> set[str]:
    """Top-level fields that our checker names; a checker of its own, so that nothing is kept."""
    faults = TypeChecker(facts_of(row)).check(row["body"]).faults
    return {re.split(r"[.\[]", fault.path)[0] for fault in faults}


def test_the_recording_covers_every_field() -> None:
    for name in ("chat.completions", "completions"):
        facts = endpoint(name, parse_target("0.32.0"))
        tried = {key for row in ROWS if row["path"] == facts.path for key in row["body"]}
        assert set(facts.fields) <= tried


@pytest.mark.parametrize("row", TYPE_ROWS, ids=lambda row: json.dumps(row["body"])[16:76])
def test_flags_the_field_that_the_server_refuses(row: dict[str, Any]) -> None:
    param = (row["param"] or "").split(".")
    known = facts_of(row).fields
    field = next((part for part in param if part in known), "messages")
    assert field in blamed_fields(row)


@pytest.mark.parametrize("row", ACCEPTED, ids=lambda row: json.dumps(row["body"])[16:76])
def test_flags_nothing_that_the_server_takes(row: dict[str, Any]) -> None:
    assert blamed_fields(row) == set()


def test_what_plainly_fits_is_what_the_engine_takes_unchanged() -> None:
    from vllmctl.catalog.engine import FieldValidator

    fitting = 0
    for row in ROWS:
        facts = facts_of(row)
        for name, value in row["body"].items():
            if name in facts.fields and fits(facts.fields[name].schema, value, facts.models):
                fitting += 1
                coerced, faults = FieldValidator(name, facts).check(value)
                assert (coerced, faults) == (value, [])
    assert fitting > 1000
