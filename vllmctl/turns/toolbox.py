"""Which tools of a request can be run, and how."""

from collections.abc import Iterable, Mapping
from typing import Any

from vllmctl.errors import UsageError
from vllmctl.request.tool_forms import functions_of
from vllmctl.turns.tools import Tool, command_tool, python_tool

_COMMAND = "--tool-command"


def toolbox(
    tool_texts: Iterable[str], commands: Iterable[str], body: Mapping[str, Any]
) -> dict[str, Tool]:
    """Return the tools that can be run by name: functions given as tools, and ``commands``.

    ``commands`` are ``NAME=COMMAND``. Raises ``UsageError`` for a command whose name no tool
    in ``body`` has, and when nothing can be run.
    """
    names = tool_names(body)
    functions = functions_of(tool_texts, "--tool")
    tools = {name: python_tool(one) for name, one in functions.items() if name in names}
    for text in commands:
        name, command = _split(text, names)
        tools[name] = command_tool(command, f"{_COMMAND} {name}")
    if not tools:
        raise UsageError(
            "--run-tools: there is no tool that could be run",
            "give a Python function with --tool module:function, or a command with "
            f"{_COMMAND} NAME=COMMAND",
        )
    return tools


def tool_names(body: Mapping[str, Any]) -> list[str]:
    """Return the names of the functions in ``tools``."""
    tools = body.get("tools")
    listed = tools if isinstance(tools, list) else ()
    functions = [tool.get("function") for tool in listed if isinstance(tool, dict)]
    return [str(one.get("name")) for one in functions if isinstance(one, dict)]


def _split(text: str, names: list[str]) -> tuple[str, str]:
    name, equals, command = text.partition("=")
    if not equals or not name or not command:
        raise UsageError(
            f"{_COMMAND}: expected NAME=COMMAND, got {text!r}",
            f"for example {_COMMAND} get_weather=./weather.py",
        )
    if name not in names:
        from vllmctl.nearest import nearest

        close = nearest(name, names)
        there = f"there are {', '.join(names)}" if names else "the request has no tools"
        hint = f"did you mean {close}?" if close else "give the tool itself with --tool"
        raise UsageError(f"{_COMMAND}: no tool is called {name}; {there}", hint)
    return name, command
