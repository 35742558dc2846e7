"""Tools, however a person gives them: JSON, or a Python function.

``package.module:function`` becomes a tool by its signature and its docstring. Types are
those that pydantic knows; a parameter with a default is optional.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, cast

from vllmctl.errors import UsageError
from vllmctl.request.python_names import import_named, python_name
from vllmctl.request.values import parse_json

Function = Callable[..., Any]

_HINT = "for example --tool @weather.json, --tool my_tools:get_weather"
_SECTION = re.compile(
    r"(args|arguments|parameters|params|returns?|raises|yields|examples?|notes?|see also)\s*:?",
    re.IGNORECASE,
)
_GOOGLE = re.compile(r"\s*\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s+(.*)")
_SPHINX = re.compile(r"\s*:param\s+(?:\S+\s+)?(\w+):\s*(.*)")


def parse_tools(texts: Iterable[str], owner: str) -> list[Any]:
    """Return the ``tools`` that ``texts`` stand for.

    Raises ``UsageError`` for what is neither JSON nor the name of a function.
    """
    tools: list[Any] = []
    for text in texts:
        named = python_name(text)
        value = _tool_named(*named, owner) if named else _tool_of_json(text, owner)
        tools.extend(value if isinstance(value, list) else [value])
    return tools


def functions_of(texts: Iterable[str], owner: str) -> dict[str, Function]:
    """Return those of ``texts`` that are Python functions, by the name of their tool."""
    named = filter(None, map(python_name, texts))
    found = {name: import_named(module, name, owner, _HINT) for module, name in named}
    return {name: value for name, value in found.items() if _is_function(value)}


def tool_of(function: Function, name: str) -> dict[str, Any]:
    """Return ``function`` as a tool. Raises ``ValueError`` when its signature allows none."""
    from inspect import getdoc

    lines = (getdoc(function) or "").splitlines()
    tool = {"name": name, "parameters": _parameters(function, _described(lines))}
    summary = _summary(lines)
    if summary:
        tool = {"name": name, "description": summary, **tool}
    return {"type": "function", "function": tool}


def _tool_named(module: str, name: str, owner: str) -> Any:
    found = import_named(module, name, owner, _HINT)
    if isinstance(found, dict | list):
        return found
    if not _is_function(found):
        kind = type(found).__name__
        raise UsageError(f"{owner}: {module}:{name} is no function, but a {kind}", _HINT)
    try:
        return tool_of(found, name)
    except Exception as error:  # annotations may fail in any way
        raise UsageError(
            f"{owner}: {module}:{name} cannot be a tool: {_unfit(found, error)}",
            "parameters need names and types that JSON can hold: str, int, list[str], an Enum …",
        ) from None


def _unfit(function: Function, error: Exception) -> str:
    """Why ``function`` is no tool, in words that speak of its signature."""
    from inspect import signature

    if type(error).__module__.startswith("pydantic") or isinstance(error, TypeError):
        try:
            parameters = signature(function).parameters.values()
        except (TypeError, ValueError):
            return "its signature is not known"
        bare = [each.name for each in parameters if each.annotation is each.empty]
        if bare:
            return f"its signature has no annotation for {', '.join(bare)}"
    reason = str(error).partition("\n")[0]
    strange = re.match("Unable to generate pydantic-core schema for <class '(.*?)'>", reason)
    return f"{strange[1]} is no type that JSON can hold" if strange else reason


def _tool_of_json(text: str, owner: str) -> Any:
    if text.lstrip()[:1] in ("{", "["):
        return parse_json(text, owner)
    raise UsageError(f"{owner}: {text[:40]!r} is neither JSON nor module:function", _HINT)


def _is_function(found: Any) -> bool:
    from inspect import isroutine

    return isroutine(found)


def _parameters(function: Function, described: dict[str, str]) -> dict[str, Any]:
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(cast("Any", function))
    schema = adapter.json_schema()
    if schema.get("type") != "object":
        raise ValueError("it has parameters without a name")
    for name, text in described.items():
        if name in schema["properties"]:
            schema["properties"][name].setdefault("description", text)
    return {"type": "object", **_without_titles(schema)}


def _without_titles(schema: Any, *, names: bool = False) -> Any:
    """Return ``schema`` without the titles that pydantic makes of the names themselves."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_titles(value, names=not names and key in ("properties", "$defs"))
        for key, value in schema.items()
        if names or key != "title"
    }


def _summary(lines: list[str]) -> str:
    """Return the docstring up to its first section."""
    kept: list[str] = []
    for line in lines:
        if _SECTION.fullmatch(line) or line.startswith(":"):
            break
        kept.append(line)
    return "\n".join(kept).strip()


def _described(lines: list[str]) -> dict[str, str]:
    """Return what the docstring says of each parameter (``Args:`` or ``:param name:``)."""
    found: dict[str, str] = {}
    name, indent, inside = "", 0, False
    for line in lines:
        if _SECTION.fullmatch(line):
            name, inside = "", line.lower().startswith(("arg", "param"))
            continue
        match = _SPHINX.fullmatch(line) or (_GOOGLE.fullmatch(line) if inside else None)
        depth = len(line) - len(line.lstrip())
        if match and not (name and depth > indent):
            name, indent = match[1], depth
            found[name] = match[2].strip()
        elif name and line.strip() and depth > indent:
            found[name] = f"{found[name]} {line.strip()}"
        else:
            name = ""
    return found
