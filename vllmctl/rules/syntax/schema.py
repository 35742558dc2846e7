"""JSON Schemas for answers: what the server's backends refuse to compile."""

import json
from typing import Any

from vllmctl.rules.syntax.guidance_schema import guidance_refusal
from vllmctl.rules.syntax.outlines_schema import outlines_refusal
from vllmctl.rules.syntax.verdict import Verdict
from vllmctl.rules.syntax.xgrammar_schema import withheld, xgrammar_refusal

_GOES_TO_OUTLINES = "patternProperties"


def judge_schema(schema: Any) -> Verdict:
    """Return what the backends say to a schema, given as an object or as JSON in a string."""
    verdict = Verdict()
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except (ValueError, RecursionError) as error:
            verdict.refuse(f"it is no JSON ({error})")
            return verdict
    if not isinstance(schema, dict):
        verdict.refuse("a schema is an object")
        return verdict
    if not is_text(schema):
        verdict.refuse("it holds half of a surrogate pair")
        return verdict
    native = xgrammar_refusal(schema)
    verdict.by_xgrammar(native or withheld(schema))
    verdict.withheld = not native
    if verdict.xgrammar:
        falls_back = outlines_refusal if mentions(schema, _GOES_TO_OUTLINES) else guidance_refusal
        verdict.by_guidance(falls_back(schema))
    return verdict


def is_text(schema: Any) -> bool:
    """Whether all texts are made of whole characters, as the backends want to read them."""
    text = json.dumps(schema, ensure_ascii=False, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def mentions(value: Any, key: str) -> bool:
    """Whether ``key`` is in an object anywhere in ``value``."""
    if isinstance(value, dict):
        return key in value or any(mentions(inner, key) for inner in value.values())
    return isinstance(value, list) and any(mentions(inner, key) for inner in value)
