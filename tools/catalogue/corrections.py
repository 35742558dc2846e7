"""Puts in what the real server showed and the declarations do not tell."""

import json
from collections.abc import Iterator
from pathlib import Path

from .facts import FieldFacts, ReleaseFacts

CORRECTIONS = Path(__file__).parents[1] / "catalogue_corrections.json"


def correct(facts: ReleaseFacts, releases: list[str]) -> None:
    """Correct ``facts`` in place; ``releases`` are the known ones, oldest first.

    A correction holds for every endpoint, model and engine class that has the field. A
    release that is not among the known ones counts as newer.
    """
    given = json.loads(CORRECTIONS.read_text(encoding="utf-8"))["vllm"]
    order = {release: place for place, release in enumerate(releases)}
    now = order.get(facts.release, len(releases))
    holding = {each["field"]: each for each in given if order[each["since"]] <= now}
    for field in _every_field(facts):
        correction = holding.get(field.attribute or field.name)
        if correction and field.schema and field.schema.get("type") == correction["type"]:
            field.schema |= correction["add"]


def _every_field(facts: ReleaseFacts) -> Iterator[FieldFacts]:
    for owners in (facts.endpoints, facts.models, facts.engine):
        for owner in owners.values():
            yield from owner.fields.values()
