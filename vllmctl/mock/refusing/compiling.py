"""The server's words for constraints that no backend compiles."""

import re
from collections.abc import Mapping
from typing import Any

from vllmctl.mock.wire import RefusedError
from vllmctl.rules.case import Fault
from vllmctl.rules.syntax.schema import mentions

_GUIDANCE = (
    (r"no value has two types", "Unsatisfiable schema: incompatible types"),
    (r"an item that must be there", "Unsatisfiable schema: required item is unsatisfiable"),
    (r"the property (.*), which", r"Unsatisfiable schema: required property '\1' is unsatisfiable"),
    (r"nothing fits the schema: false", "Unsatisfiable schema: schema is false"),
    (r"oneOf with options", "oneOf constraints are not supported. Enable 'coerce_one_of' option"),
    (r"want all properties", "min/maxProperties only supported when all keys listed are required"),
    (r"required must hold names", "Expected string for 'required' item, got something else"),
    (r"(maximum|minimum) must be a number", r"Expected f64 for '\1', got something else"),
    (r"there is no type '(.*?)'", r"Invalid type: \1"),
    (r"(\S+) must be a list", r"\1 must be an array"),
    (r"(\$ref must be a string.*)", r"\1"),
)
_OUTLINES = (
    (r"there is no format '(.*)'", r"Format \1 is not supported by Outlines"),
    (r"minLength is above", "maxLength must be greater than or equal to minLength"),
    (r"(\S+) must be a list", r"'\1' must be an array"),
    (r"there is no type '(.*)'", r"Unsupported type: \1"),
    (r"", "Unsupported JSON Schema structure"),
)


def schema_refusal(schema: Any, fault: Fault) -> RefusedError | None:
    """Return how the server refuses a schema that does not compile; ``None`` if it has no words."""
    reason = fault.message.partition("does not compile: ")[2]
    if mentions(schema, "patternProperties"):
        words = _words(_OUTLINES, reason)
        return RefusedError(f"Failed to transform json schema into a regex: {words}", late=True)
    words = _words(_GUIDANCE, reason)
    return RefusedError(f"Grammar error: {words}", late=True) if words else None


def _words(table: tuple[tuple[str, str], ...], reason: str) -> str:
    for pattern, words in table:
        found = re.search(pattern, reason)
        if found:
            return found.expand(words)
    return ""


def schema_of(body: Mapping[str, Any]) -> Any:
    """Return the schema that a body asks for, if it does."""
    form = body.get("response_format")
    if isinstance(form, Mapping) and form.get("type") == "json_schema":
        return (form.get("json_schema") or {}).get("schema")
    return (body.get("structured_outputs") or {}).get("json")
