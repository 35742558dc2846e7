"""JSON Schemas for answers: what the server's backends refuse to compile."""

import json
from functools import partial
from typing import Any

from vllmctl.rules.syntax.guidance_schema import guidance_refusal
from vllmctl.rules.syntax.json_schema import Schema, is_text
from vllmctl.rules.syntax.outlines_schema import outlines_refusal
from vllmctl.rules.syntax.verdict import Verdict, refused
from vllmctl.rules.syntax.xgrammar_schema import withheld, xgrammar_refusal

_GOES_TO_OUTLINES = "patternProperties"


def judge_schema(schema: Any) -> Verdict:
    """Return what the backends say to a schema, given as an object or as JSON in a string."""
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except (ValueError, RecursionError) as error:
            return refused(f"it is no JSON ({error})")
    if not isinstance(schema, dict):
        return refused("a schema is an object")
    if not is_text(schema):
        return refused("it holds half of a surrogate pair")
    asked = (xgrammar_refusal, _second_refusal, withheld)
    return Verdict(*(partial(refusal, schema) for refusal in asked))


def _second_refusal(schema: Schema) -> str:
    """Why the backend that vLLM falls back to does not take a schema."""
    falls_back = outlines_refusal if mentions(schema, _GOES_TO_OUTLINES) else guidance_refusal
    return falls_back(schema)


def mentions(value: Any, key: str) -> bool:
    """Whether ``key`` is in an object anywhere in ``value``."""
    if isinstance(value, dict):
        return key in value or any(mentions(inner, key) for inner in value.values())
    return isinstance(value, list) and any(mentions(inner, key) for inner in value)
