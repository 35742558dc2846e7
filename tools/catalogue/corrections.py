"""Reads ``corrections.json``: what the sources do not tell, or the gathered catalogue has wrong."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tools.catalogue.facts import FieldFacts, ReleaseFacts, Schema
from tools.catalogue.schemas import put_limit, type_text
from tools.catalogue.versions import newer

CORRECTIONS = Path(__file__).with_name("corrections.json")


class LimitCorrection(NamedTuple):
    """Limits of one type of a field, from the release ``since`` on.

    ``type`` is one choice of the field in short (``array<integer>``); ``limits`` has a
    place for each (``items.minimum``). It holds for every endpoint and model with the
    field, or for ``endpoint`` alone.
    """

    field: str
    since: str
    type: str
    limits: Mapping[str, Any]
    endpoint: str = ""
    why: str = ""

    def applied(self, schema: Schema) -> Schema:
        """Return ``schema`` with the limits on the choice that they are for."""
        if "anyOf" in schema:
            return {**schema, "anyOf": [self.applied(option) for option in schema["anyOf"]]}
        bare = {key: value for key, value in schema.items() if key != "nullable"}
        if type_text(bare) != self.type:
            return schema
        corrected: Schema = json.loads(json.dumps(schema))
        for place, value in self.limits.items():
            put_limit(corrected, place, value)
        return corrected


class Corrections(NamedTuple):
    """What is put right in one engine's gathered catalogue.

    ``limits`` of fields; ``bodies`` by endpoint; ``unknown`` by model: ``[release,
    policy]`` pairs, what it does with a field that it does not know; ``externals``: whole
    names of outside types; ``rules`` by rule and endpoint: the span in which it holds, laid
    over the one that was gathered.
    """

    limits: tuple[LimitCorrection, ...] = ()
    bodies: Mapping[str, str] = {}
    unknown: Mapping[str, list[list[str]]] = {}
    externals: Mapping[str, str] = {}
    rules: Mapping[str, Mapping[str, Mapping[str, Any]]] = {}


@cache
def for_gathered(engine: str) -> Corrections:
    """Return all corrections of an engine's gathered catalogue."""
    given = _read().get(engine, {})
    gathered = given.get("gathered", {})
    limits = (*_seen(engine), *(LimitCorrection(**each) for each in gathered.get("limits", ())))
    others = {key: value for key, value in gathered.items() if key != "limits"}
    return Corrections(limits, **others)


def correct(facts: ReleaseFacts) -> None:
    """Put into a release's facts, in place, what the real server shows and no source tells."""
    for correction in _seen("vllm"):
        if newer(correction.since, facts.release):
            continue
        for field in _every_field(facts):
            if field.schema is not None and correction.field == (field.attribute or field.name):
                field.schema = correction.applied(field.schema)


def _seen(engine: str) -> Iterator[LimitCorrection]:
    for each in _read().get(engine, {}).get("seen", {}).get("limits", ()):
        yield LimitCorrection(**each)


def _read() -> dict[str, Any]:
    given: dict[str, Any] = json.loads(CORRECTIONS.read_text(encoding="utf-8"))
    return given


def _every_field(facts: ReleaseFacts) -> Iterator[FieldFacts]:
    for owners in (facts.endpoints, facts.models, facts.engine):
        for owner in owners.values():
            yield from owner.fields.values()
