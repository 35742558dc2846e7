"""Answers of a given shape: which constraint there is, and which gets lost."""

import json
from collections.abc import Mapping
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop, put, searches_beams
from vllmctl.rules.constraint import (
    KINDS,
    SCHEMA_PATH,
    constraint,
    forces_tool,
    guided_constraint,
)
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.registry import own_rule, rule
from vllmctl.rules.words import listed, shown

_FIELD = "structured_outputs"
_OPTIONS = ("disable_any_whitespace", "disable_additional_properties", "whitespace_pattern")


@rule("structured_outputs.one_kind")
def json_regex_choice(case: Case) -> Faults:
    """At most one of the three that were there first."""
    given = case.sent.get(_FIELD)
    if isinstance(given, dict):
        yield from _several(_FIELD, [k for k in KINDS[:3] if given.get(k) is not None])


@rule("structured_outputs.exclusive")
def one_kind(case: Case) -> Faults:
    """At most one of all kinds."""
    given = case.object(_FIELD)
    yield from _several(_FIELD, [kind for kind in KINDS if given.get(kind) is not None])


def _several(path: str, kinds: list[str]) -> Faults:
    if len(kinds) > 1:
        yield Fault(path, f"{path} takes one constraint, got {listed(kinds)}")


@rule("structured_outputs.not_empty")
def some_kind(case: Case) -> Faults:
    """An option alone is no constraint."""
    given = case.value.get(_FIELD)
    if isinstance(given, dict) and not any(given.get(kind) is not None for kind in KINDS):
        message = f"{_FIELD} needs one of {listed(KINDS, 'or')}, got {shown(case.sent[_FIELD])}"
        known = all(key in (*KINDS, *_OPTIONS) for key in given)
        yield Fault(_FIELD, message, drop(_FIELD) if known else None)


@rule("structured_outputs.or_named_tool")
def constraint_or_tool(case: Case) -> Faults:
    """A tool's arguments have a schema of their own."""
    given = case.sent.get(_FIELD)
    choice = case.sent.get("tool_choice", "none")
    if choice in ("none", "auto", "required") or not isinstance(given, dict):
        return
    kinds = [kind for kind in KINDS[:3] if given.get(kind) is not None]
    if kinds:
        message = f"{_FIELD} does not go with tool_choice {shown(choice)}, only with auto or none"
        yield Fault("tool_choice", message, put("tool_choice", "none") if choice is None else None)


@rule("structured_outputs.with_response_format")
def two_fields(case: Case) -> Faults:
    """``response_format`` is one more way to say it."""
    if searches_beams(case) or not case.is_set("response_format"):
        return
    found = constraint(case)
    if len(found.kinds) > 1:
        places = [found.path(kind) for kind in found.kinds]
        message = f"only one constraint is possible, got {listed(places)}"
        yield Fault("response_format", message, None, Level.ERROR)
    elif not found.kinds and case.object("response_format").get("json_schema") is not None:
        message = f"{SCHEMA_PATH} is not there: without it there is no constraint"
        yield Fault("response_format.json_schema", message, None, Level.ERROR)


@rule("guided.one_kind_engine")
def guided_kinds(case: Case) -> Faults:
    """The same before 0.11."""
    found = guided_constraint(case)
    if len(found.kinds) > 1:
        places = [found.path(kind) for kind in found.kinds]
        yield Fault(places[0], f"only one constraint is possible, got {listed(places)}")


@rule("structured_outputs.subfields_ignored")
def options_without_effect(case: Case) -> Faults:
    """The server's configuration decides them for all requests."""
    for name in _OPTIONS:
        if case.object(_FIELD).get(name):
            path = f"{_FIELD}.{name}"
            message = f"{path} has no effect; the server's --structured-outputs-config decides"
            yield Fault(path, message, drop(path))


@rule("response_format.schema_missing")
def schema_missing(case: Case) -> Faults:
    """The schema has a wrapper with a name."""
    given = case.sent.get("response_format")
    if not isinstance(given, dict) or given.get("type") != "json_schema":
        return
    if given.get("json_schema") is None:
        message = (
            'response_format of type json_schema needs "json_schema": {"name": …, "schema": …}'
        )
        yield Fault("response_format", message, _wrapped(given))


def _wrapped(given: Mapping[str, Any]) -> tuple[Edit, ...] | None:
    """The mend when the schema is there, one level too high."""
    schema = given.get("schema")
    if not isinstance(schema, dict):
        return None
    wrapper = {"name": str(given.get("name", "answer")), "schema": dict(schema)}
    extra = [f"response_format.{key}" for key in ("schema", "name") if key in given]
    fixed = put("response_format.json_schema", wrapper)
    return (*fixed, *drop(*extra))


@own_rule(
    "response_format.object_with_schema",
    "A response_format of type json_object takes no schema.",
    ("response_format",),
    since="0.4.0",
)
def unused_schema(case: Case) -> Faults:
    """Any JSON object is allowed then."""
    given = case.object("response_format")
    if given.get("type") != "json_object":
        return
    for key in ("schema", "json_schema"):
        if isinstance(given.get(key), dict):
            path = f"response_format.{key}"
            message = f"{path} is ignored with type json_object; the type is json_schema"
            yield Fault(path, message, _as_json_schema(key, given[key]))


def _as_json_schema(key: str, given: Mapping[str, Any]) -> tuple[Edit, ...]:
    fixed = put("response_format.type", "json_schema")
    if key == "json_schema":
        return fixed
    wrapper = {"name": "answer", "schema": dict(given)}
    return (*fixed, *put("response_format.json_schema", wrapper), *drop(f"response_format.{key}"))


@own_rule(
    "structured_outputs.dropped_for_tool",
    "A forced tool call takes the place of any other constraint.",
    (_FIELD, "response_format", "tool_choice"),
    endpoints=("chat.completions",),
    since="0.11.0",
)
def dropped_for_tool(case: Case) -> Faults:
    """The answer is the call."""
    if not forces_tool(case):
        return
    for name in (_FIELD, "response_format"):
        given = case.object(name)
        if given and given.get("type") != "text":
            message = f"{name} has no effect: tool_choice asks for the call of a tool"
            yield Fault(name, message, drop(name))


@own_rule(
    "structured_outputs.after_thinking",
    "With a reasoning parser, constraints of a completion begin after </think>.",
    (_FIELD, "response_format"),
    kind="normalize",
    endpoints=("completions",),
    since="0.9.0",
)
def after_thinking(case: Case) -> Faults:
    """A completion of plain text never gets there."""
    if constraint(case).kinds:
        name = _FIELD if case.is_set(_FIELD) else "response_format"
        message = (
            f"{name} has no effect on completions of a server with a reasoning parser until the "
            "text has </think>"
        )
        yield Fault(name, message, None, Level.NOTE)


@own_rule(
    "structured_outputs.wrapped_schema",
    "A schema under json stands alone, without name and strict around it.",
    (_FIELD, "response_format", "guided_json"),
    kind="normalize",
)
def wrapped_schema(case: Case) -> Faults:
    """The wrapper is a schema that knows no word of itself: anything fits."""
    for found in (constraint(case), guided_constraint(case)):
        schema = _read(found.get("json"))
        path = found.path("json")
        if isinstance(schema, dict) and _is_wrapper(schema):
            message = f"{path} holds a wrapper around the schema: as a schema it accepts anything"
            yield Fault(path, message, put(path, schema["schema"]))
        elif isinstance(schema, dict) and _accepts_anything(schema):
            yield Fault(path, f"{path} {shown(dict(schema))} accepts any JSON at all")


def _read(schema: Any) -> Any:
    """A schema may be sent as a text of JSON; what is none is told elsewhere."""
    try:
        return json.loads(schema) if isinstance(schema, str) else schema
    except (ValueError, RecursionError):
        return None


@own_rule(
    "structured_outputs.empty_regex",
    "An empty pattern lets nothing come.",
    (_FIELD,),
    kind="normalize",
)
def empty_regex(case: Case) -> Faults:
    """It counts as a constraint."""
    if case.object(_FIELD).get("regex") == "":
        path = f"{_FIELD}.regex"
        yield Fault(path, f"{path} is empty: nothing but an empty answer matches it", drop(path))


def _is_wrapper(schema: Mapping[str, Any]) -> bool:
    return isinstance(schema.get("schema"), dict) and not _RULES & schema.keys()


def _accepts_anything(schema: Mapping[str, Any]) -> bool:
    return not _RULES & schema.keys() and "schema" not in schema


_RULES = frozenset(
    (
        *("type", "properties", "items", "prefixItems", "enum", "const", "anyOf", "oneOf"),
        *("allOf", "not", "if", "$ref", "required", "additionalProperties", "patternProperties"),
        *("pattern", "format", "minimum", "maximum", "minLength", "maxLength", "propertyNames"),
    )
)


@rule("so.backend_per_request")
def backend(case: Case) -> Faults:
    """The server has one, and refuses another."""
    given = case.value.get("guided_decoding_backend")
    if given is not None:
        message = f"guided_decoding_backend {shown(given)} must be the one of the server"
        yield Fault("guided_decoding_backend", message)


@rule("include_reasoning.constraints")
def constrained_thoughts(case: Case) -> Faults:
    """Then a server with a reasoning parser may take the whole answer for thoughts."""
    if case.value.get("include_reasoning") is False and constraint(case).kinds:
        message = (
            "include_reasoning false with a constraint: it holds from the first token, and a "
            "reasoning parser may drop the answer as thoughts"
        )
        yield Fault("include_reasoning", message)
