"""Judging a whole answer by the request that it answers."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.client.answer import Answer
from vllmctl.client.choice import Choice
from vllmctl.client.outcome import said_once
from vllmctl.texts import shown
from vllmctl.verify.asked import Constraint, choices_wanted, constraint_of
from vllmctl.verify.patterns import matches_whole, with_linear_patterns


def faults(body: Mapping[str, Any], answer: Answer) -> list[str]:
    """Return what the answer lacks or breaks, a sentence each; empty when it is as asked."""
    found = [*_choices(body, answer)]
    constraint = constraint_of(body)
    return found + said_once(answer, lambda choice: _of_choice(choice, body, constraint))


def _choices(body: Mapping[str, Any], answer: Answer) -> Iterator[str]:
    wanted = choices_wanted(body)
    if len(answer.choices) < wanted:
        yield f"{wanted} answers were asked for, {len(answer.choices)} came"


def _of_choice(
    choice: Choice, body: Mapping[str, Any], constraint: Constraint | None
) -> Iterator[str]:
    if choice.finish_reason == "repetition":
        yield "the answer was stopped because it repeated itself"
    wants_logprobs = body.get("logprobs")
    if wants_logprobs is not None and wants_logprobs is not False and not choice.logprobs:
        yield "logprobs were asked for, and none came"
    calls = choice.as_message().get("tool_calls") or []
    for call in calls:
        yield from _of_call(call.get("function") or {}, body)
    if constraint is not None and not calls:
        fault = _broken(constraint, choice.text)
        if fault:
            cut = ", which the token limit cut short," if choice.finish_reason == "length" else ""
            yield f"the text{cut} does not keep {constraint.source}: {fault}"


def _broken(constraint: Constraint, text: str) -> str:
    match constraint.kind:
        case "choice":
            choices = constraint.value if isinstance(constraint.value, list) else [text]
            return "" if text in choices else f"{shown(text)} is none of the choices"
        case "regex":
            return _against_regex(text, constraint.value)
        case _:
            return _against_json(text, constraint)


def _against_regex(text: str, pattern: str) -> str:
    return "" if matches_whole(pattern, text) else f"{shown(text)} does not match"


def _against_json(text: str, constraint: Constraint) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON ({error})"
    if constraint.kind == "object":
        return "" if isinstance(value, dict) else "it is JSON, but no object"
    return against_schema(value, constraint.value)


def against_schema(value: Any, schema: Any) -> str:
    """Return the first way in which ``value`` breaks ``schema``, with its place; else nothing.

    A schema that is none cannot be broken.
    """
    from jsonschema import Draft202012Validator, exceptions, validators
    from referencing import Registry

    if not isinstance(schema, dict | bool):
        return ""
    kind = with_linear_patterns(validators.validator_for(schema, default=Draft202012Validator))
    try:  # with a registry of its own, or jsonschema would fetch what a schema refers to
        error = exceptions.best_match(kind(schema, registry=Registry()).iter_errors(value))
    except Exception:  # a reference that leads nowhere, a schema that is none
        return ""
    return f"{error.json_path}: {error.message}" if error else ""


def _of_call(function: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[str]:
    name = function.get("name")
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except (ValueError, RecursionError) as error:
        yield f"the arguments of the call of {name} are not JSON ({error})"
        return
    tool = next((tool for tool in _functions(body) if tool.get("name") == name), None)
    if tool is None:
        yield f"the model calls {name}, which is none of the tools"
        return
    fault = against_schema(arguments, tool.get("parameters") or {})
    if fault:
        yield f"the arguments of the call of {name} do not fit: {fault}"


def _functions(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        function = tool.get("function") if isinstance(tool, Mapping) else None
        if isinstance(function, Mapping):
            yield function
