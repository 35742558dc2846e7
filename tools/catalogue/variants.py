"""Joins the bodies that one endpoint takes: a field of several of them is one field."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tools.catalogue.facts import FieldFacts, ModelFacts, Schema
from tools.catalogue.schemas import type_text, union


def merged(models: Iterable[ModelFacts], others: Mapping[str, FieldFacts]) -> dict[str, FieldFacts]:
    """Return the fields of all bodies and the handler's own parameters, in order."""
    models = list(models)
    found: dict[str, dict[str, FieldFacts]] = {}
    for model in models:
        for name, facts in model.fields.items():
            found.setdefault(name, {})[model.name] = facts
    fields = {name: _one(by_model, len(models)) for name, by_model in found.items()}
    return {**others, **fields} if not models else {**fields, **others}


def _one(by_model: Mapping[str, FieldFacts], bodies: int) -> FieldFacts:
    """The field as the first body has it; required when all that have it require it."""
    every = list(by_model.values())
    first = every[0]
    return replace(
        first,
        schema=_joined([facts.schema or {} for facts in every]),
        required=all(facts.required for facts in every),
        deprecated=any(facts.deprecated for facts in every),
        variants=tuple(by_model) if len(by_model) < bodies else (),
    )


def _joined(schemas: list[Schema]) -> Schema:
    """Types that differ in their limits only are told as the first body has them."""
    if len({type_text(schema) for schema in schemas}) == 1:
        return schemas[0]
    return union(schemas)
