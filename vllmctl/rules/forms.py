"""How the values of foreign fields are written here."""

from collections.abc import Callable, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint

Values = Mapping[str, Any]
"""Body paths and the values that they take."""


def converted(form: str, value: Any, endpoint: Endpoint) -> Values | None:
    """Return what to set in place of a foreign field, empty for nothing at all.

    ``None`` when the value makes no sense to us.
    """
    return _FORMS[form](value, endpoint)


def _greedy(value: Any, _: Endpoint) -> Values | None:
    if value is False:
        return {"temperature": 0}
    return {} if value in (True, None) else None


def _beams(value: Any, _: Endpoint) -> Values | None:
    if type(value) is not int:
        return None
    return {"use_beam_search": True, "n": value} if value > 1 else {}


def _top(value: Any, endpoint: Endpoint) -> Values | None:
    if type(value) is not int:
        return None
    if "top_logprobs" in endpoint.fields:
        return {"logprobs": True, "top_logprobs": value}
    return {"logprobs": value}


def _format(value: Any, _: Endpoint) -> Values | None:
    if isinstance(value, dict) and value:
        return {"structured_outputs.json": value}
    return {"response_format": {"type": "json_object"}} if value == "json" else None


def _functions(value: Any, _: Endpoint) -> Values | None:
    if not isinstance(value, list) or not value:
        return None
    return {"tools": [{"type": "function", "function": function} for function in value]}


def _function_call(value: Any, _: Endpoint) -> Values | None:
    if isinstance(value, dict) and "name" in value:
        return {"tool_choice": {"type": "function", "function": {"name": value["name"]}}}
    return {"tool_choice": value} if value in ("auto", "none") else None


def _effort(value: Any, _: Endpoint) -> Values | None:
    effort = value.get("effort") if isinstance(value, dict) else value
    return {"reasoning_effort": effort} if isinstance(effort, str) else None


def _thinking(value: Any, endpoint: Endpoint) -> Values | None:
    switch = "chat_template_kwargs.enable_thinking"
    if isinstance(value, bool):
        return {switch: value}
    if not isinstance(value, dict) or value.get("type") not in ("enabled", "disabled"):
        return None
    budget = value.get("budget_tokens")
    found = {switch: value["type"] == "enabled"}
    if type(budget) is int and "thinking_token_budget" in endpoint.fields:
        return {**found, "thinking_token_budget": budget}
    return found


def _input(value: Any, endpoint: Endpoint) -> Values | None:
    for name in ("input", "prompt"):
        if name in endpoint.fields:
            return {name: value}
    if isinstance(value, str):
        return {"messages": [{"role": "user", "content": value}]}
    return {"messages": value} if isinstance(value, list) else None


def _negated(value: Any, _: Endpoint) -> Values | None:
    return {"parallel_tool_calls": not value} if isinstance(value, bool) else None


_FORMS: Mapping[str, Callable[[Any, Endpoint], Values | None]] = {
    "greedy": _greedy,
    "beams": _beams,
    "top": _top,
    "format": _format,
    "functions": _functions,
    "function_call": _function_call,
    "effort": _effort,
    "thinking": _thinking,
    "input": _input,
    "negated": _negated,
}
