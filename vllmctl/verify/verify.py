"""Judging a whole answer by the request that it answers."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.client.answer import Answer
from vllmctl.client.choice import Choice
from vllmctl.client.outcome import said_once
from vllmctl.texts import shown
from vllmctl.verify.asked import Constraint, choices_wanted, constraint_of


def faults(body: Mapping[str, Any], answer: Answer) -> list[str]:
    """Return what the answer lacks or breaks, a sentence each; empty when it is as asked."""
    found = [*_choices(body, answer), *_prompt_logprobs(body, answer)]
    constraint = constraint_of(body)
    return found + said_once(answer, lambda choice: _of_choice(choice, body, constraint))


def bad_words_in(body: Mapping[str, Any], answer: Answer) -> list[str]:
    """Return which ``bad_words`` came all the same: a text is made of tokens in many ways."""
    banned = body.get("bad_words")
    words = [word for word in banned if isinstance(word, str)] if isinstance(banned, list) else []
    return said_once(
        answer,
        lambda choice: (
            f"bad_words: {shown(word)} came all the same: behind a blank it may be made of "
            "other tokens, which only logit_bias can ban"
            for word in words
            if word.strip() and _stands_in(word.strip(), choice.text)
        ),
    )


def _stands_in(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _choices(body: Mapping[str, Any], answer: Answer) -> Iterator[str]:
    wanted = choices_wanted(body)
    if len(answer.choices) < wanted:
        yield f"{wanted} answers were asked for, {len(answer.choices)} came"


def _prompt_logprobs(body: Mapping[str, Any], answer: Answer) -> Iterator[str]:
    """A chat has them beside the choices, a completion in each."""
    places = (answer.others, *(choice.others for choice in answer.choices.values()))
    if body.get("prompt_logprobs") is not None and not any(
        place.get("prompt_logprobs") for place in places
    ):
        yield "prompt_logprobs were asked for, and none came"


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
    is_cut = choice.finish_reason == "length"
    if not calls and _must_call(body):
        cut = ": the token limit cut the answer" if is_cut else ""
        yield f"tool_choice asks for a call of a tool, and none came{cut}"
    elif constraint is not None and not calls:
        fault = _broken(constraint, _own_text(choice, body))
        if fault:
            cut = ", which the token limit cut short," if is_cut else ""
            yield f"the text{cut} does not keep {constraint.source}: {fault}"


def _must_call(body: Mapping[str, Any]) -> bool:
    asked = body.get("tool_choice")
    return asked == "required" or isinstance(asked, Mapping)


def _own_text(choice: Choice, body: Mapping[str, Any]) -> str:
    """Return what the model wrote itself: with ``echo`` the text begins with the prompt."""
    prompt = body.get("prompt")
    if body.get("echo") and isinstance(prompt, str):
        return choice.text.removeprefix(prompt)
    return choice.text


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
    from vllmctl.verify.patterns import matches_whole

    return "" if matches_whole(pattern, text) else f"{shown(text)} does not match"


def _against_json(text: str, constraint: Constraint) -> str:
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON ({error})"
    if constraint.kind == "object":
        return "" if isinstance(value, dict) else "it is JSON, but no object"
    return against_schema(value, constraint.value)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def against_schema(value: Any, schema: Any) -> str:
    """Return the first way in which ``value`` breaks ``schema``, with its place; else nothing.

    A schema that is none cannot be broken.
    """
    from jsonschema import Draft202012Validator, exceptions, validators
    from referencing import Registry

    from vllmctl.verify.patterns import with_linear_patterns

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
        arguments = json.loads(function.get("arguments") or "{}", parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        yield f"the arguments of the call of {name} are not JSON ({error})"
        return
    functions = list(_functions(body))
    if not functions:  # nothing was asked for that it could break
        return
    tool = next((tool for tool in functions if tool.get("name") == name), None)
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
