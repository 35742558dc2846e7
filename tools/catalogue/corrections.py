"""Puts in what the real server showed and the declarations do not tell."""

import json
from collections.abc import Iterator
from pathlib import Path

from .facts import FieldFacts, ReleaseFacts
from .versions import newer

CORRECTIONS = Path(__file__).parents[1] / "catalogue_corrections.json"


def correct(facts: ReleaseFacts) -> None:
    """Correct ``facts`` in place.

    A correction holds for every endpoint, model and engine class that has the field.
    """
    given = json.loads(CORRECTIONS.read_text(encoding="utf-8"))["vllm"]
    holding = {each["field"]: each for each in given if not newer(each["since"], facts.release)}
    for field in _every_field(facts):
        correction = holding.get(field.attribute or field.name)
        if correction and field.schema and field.schema.get("type") == correction["type"]:
            field.schema |= correction["add"]


def _every_field(facts: ReleaseFacts) -> Iterator[FieldFacts]:
    for owners in (facts.endpoints, facts.models, facts.engine):
        for owner in owners.values():
            yield from owner.fields.values()
