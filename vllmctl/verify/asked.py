"""What a body asks of the answer's text, whatever the release calls it."""

import json
from collections.abc import Mapping
from typing import Any

from vllmctl.record import Record


class Constraint(Record, frozen=True):
    """One constraint: ``kind`` is ``schema``, ``object``, ``regex`` or ``choice``.

    ``source`` is the body path that asked for it.
    """

    kind: str
    value: Any
    source: str


def choices_wanted(body: Mapping[str, Any]) -> int:
    """Return how many choices the answer has to have: ``n`` for each prompt."""
    n = body.get("n")
    wanted = n if isinstance(n, int) and n > 0 else 1
    prompt = body.get("prompt")
    several = isinstance(prompt, list) and prompt and not isinstance(prompt[0], int)
    return wanted * len(prompt) if several and isinstance(prompt, list) else wanted


def constraint_of(body: Mapping[str, Any]) -> Constraint | None:
    """Return the constraint of a request that can be verified, or ``None``.

    Grammars and structural tags cannot: their languages belong to the server's backend.
    """
    outputs = body.get("structured_outputs")
    found = _of_outputs(outputs) if isinstance(outputs, Mapping) else None
    return found or _of_guided(body) or _of_format(body.get("response_format"))


def _of_outputs(outputs: Mapping[str, Any]) -> Constraint | None:
    for key, kind in (("json", "schema"), ("regex", "regex"), ("choice", "choice")):
        if outputs.get(key) is not None:
            return Constraint(kind, _schema(outputs[key], kind), f"structured_outputs.{key}")
    if outputs.get("json_object"):
        return Constraint("object", True, "structured_outputs.json_object")
    return None


def _of_guided(body: Mapping[str, Any]) -> Constraint | None:
    names = (("guided_json", "schema"), ("guided_regex", "regex"), ("guided_choice", "choice"))
    for name, kind in names:
        if body.get(name) is not None:
            return Constraint(kind, _schema(body[name], kind), name)
    return None


def _of_format(form: Any) -> Constraint | None:
    if not isinstance(form, Mapping):
        return None
    if form.get("type") == "json_object":
        return Constraint("object", True, "response_format")
    inner = form.get("json_schema")
    if form.get("type") == "json_schema" and isinstance(inner, Mapping):
        schema = inner.get("schema", inner.get("json_schema"))
        return Constraint("schema", schema, "response_format.json_schema.schema")
    return None


def _schema(value: Any, kind: str) -> Any:
    """A schema may be given as JSON text too."""
    if kind != "schema" or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
