"""Tools and the choice among them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vllmctl.nearest import nearest
from vllmctl.rules.case import Case, Fault, Faults, drop, put
from vllmctl.rules.expression import depth
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.registry import mend, own_rule, rule
from vllmctl.rules.words import listed, shown

_AROUND_PARAMETERS = 5
"""Levels of the structural tag around a strict tool's parameters."""

_WORDS = ("none", "auto", "required")
_SHAPE = '{"type": "function", "function": {"name": "…"}}'


@mend("tools.empty")
def _without_tools(case: Case, _: str) -> tuple[Edit, ...]:
    return drop("tools", *(("tool_choice",) if "tool_choice" in case.sent else ()))


@mend("tool_choice.needs_tools", "tool_choice.no_none")
def _without_choice(*_: object) -> tuple[Edit, ...]:
    return drop("tool_choice")


@mend("tool_choice.values", "tool_choice.auto_none_named", "tool_choice.required_unsupported")
def _known_word(case: Case, _: str) -> tuple[Edit, ...] | None:
    """``any`` is how others call ``required``."""
    choice = case.sent.get("tool_choice")
    if choice == "any" and case.since("0.8.3"):
        return put("tool_choice", "required")
    near = nearest(choice, _WORDS) if isinstance(choice, str) else None
    return put("tool_choice", near) if near and near != choice else None


@rule("tool_choice.shape")
def shape(case: Case) -> Faults:
    """A named tool has a name."""
    choice = case.sent.get("tool_choice")
    if not isinstance(choice, dict) or case.sent.get("tools") is None:
        return
    function = choice.get("function")
    if not isinstance(function, dict):
        message = f"tool_choice.function must be an object: {_SHAPE}, got {shown(function)}"
        fix = _from_flat(choice)
        yield Fault("tool_choice.function", message, fix)
        return
    name = function.get("name")
    if not isinstance(name, str) or not name:
        message = f"tool_choice.function.name must be the name of a tool, got {shown(name)}"
        yield Fault("tool_choice.function.name", message)


def _from_flat(choice: Mapping[str, Any]) -> tuple[Edit, ...] | None:
    """``{"type": "function", "name": …}`` is how the Responses API says it."""
    name = choice.get("name")
    if not isinstance(name, str):
        return None
    return put("tool_choice", {"type": "function", "function": {"name": name}})


@rule("tool_choice.must_match")
def must_match(case: Case) -> Faults:
    """The named tool is there."""
    name, tools = _named(case), case.sent.get("tools")
    if not name or not isinstance(tools, list):
        return
    names = list(_names(tools))
    if name not in names:
        near = nearest(name, names)
        there = listed(map(shown, names)) if names else "none with a name"
        message = f"tool_choice names {shown(name)}, and tools has {there}"
        fix = put("tool_choice.function.name", near) if near else None
        yield Fault("tool_choice", message, fix)


@own_rule(
    "tool_choice.one_tool",
    "A tool that is chosen by name is there once.",
    ("tool_choice", "tools"),
    kind="reject",
    endpoints=("chat.completions",),
    since="0.32.0",
)
def one_tool(case: Case) -> Faults:
    """Two of one name are no choice."""
    name = _named(case)
    if name and list(_names(case.items("tools"))).count(name) > 1:
        yield Fault(
            "tool_choice", f"tool_choice names {shown(name)}, which tools has more than once"
        )


def _named(case: Case) -> str:
    choice = case.sent.get("tool_choice")
    function = choice.get("function") if isinstance(choice, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else ""


def _names(tools: Iterable[Any]) -> Iterable[str]:
    for tool in tools:
        function = tool.get("function") if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str):
            yield name


@own_rule(
    "so.strict_tools",
    "The parameters of a strict tool that may be called compile in xgrammar alone.",
    ("tools", "tool_choice"),
    kind="reject",
    endpoints=("chat.completions",),
    since="0.32.0",
)
def strict_schema(case: Case) -> Faults:
    """Calls are held to the schema by a structural tag, for which there is no second backend."""
    if not _is_held_to_tools(case):
        return
    from vllmctl.rules.compiled import deepest
    from vllmctl.rules.syntax.schema import judge_schema

    most = deepest(case, "structural_tag") - _AROUND_PARAMETERS
    for place, function in _callable(case):
        parameters = function.get("parameters")
        if function.get("strict") is not True or not isinstance(parameters, dict):
            continue
        if depth(parameters) > most:
            reason = f"it nests deeper than {most} levels"
        else:
            reason = judge_schema(parameters).native
        if reason:
            path = f"tools[{place}].function.parameters"
            yield Fault(path, f"{path} does not compile, as strict wants it to: {reason}")


def _callable(case: Case) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The functions that the model may call, with their places."""
    named = _named(case)
    for place, tool in enumerate(case.items("tools")):
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict) and named in ("", function.get("name")):
            yield place, function


def _is_held_to_tools(case: Case) -> bool:
    """Whether the tools have a say in the answer's form: another constraint may replace them."""
    choice = case.value.get("tool_choice", "auto")
    if choice != "auto":
        return choice == "required" or isinstance(choice, dict)
    from vllmctl.rules.compiled import fits_xgrammar

    return fits_xgrammar(case)


@rule("tool_choice.auto_needs_flags")
def auto_needs_flags(case: Case) -> Faults:
    """Tools are off by default."""
    choice = case.value.get("tool_choice", "auto")
    if case.endpoint.name == "chat.completions" and case.items("tools") and choice == "auto":
        message = "tools need a server with --enable-auto-tool-choice and --tool-call-parser"
        yield Fault("tools", message, None, Level.NOTE)


@rule("tool_choice.forced_needs_parser")
def forced_needs_parser(case: Case) -> Faults:
    """A forced call has to be read from the answer as well."""
    choice = case.value.get("tool_choice")
    if case.items("tools") and (choice == "required" or isinstance(choice, dict)):
        message = "this tool_choice needs a server with --tool-call-parser"
        yield Fault("tool_choice", message, None, Level.NOTE)


@own_rule(
    "parallel_tool_calls.without_tools",
    "parallel_tool_calls has no effect without tools.",
    ("parallel_tool_calls",),
    endpoints=("chat.completions",),
)
def no_tools_to_call(case: Case) -> Faults:
    """No calls, neither one nor many."""
    if case.is_set("parallel_tool_calls") and not case.is_set("tools"):
        message = "parallel_tool_calls has no effect without tools"
        yield Fault("parallel_tool_calls", message, drop("parallel_tool_calls"))
