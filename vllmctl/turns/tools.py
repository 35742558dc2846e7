"""Tools that can be run: Python functions, and commands that read JSON.

A ``Tool`` takes the arguments as the model wrote them and returns the result as text.
Whatever goes wrong in it is raised as ``ToolError``, whose text the model may read.
"""

import sys
from collections.abc import Callable
from typing import Any, cast

from vllmctl.errors import UsageError

Tool = Callable[[str], str]

_KEYS = ("VLLMCTL_API_KEY", "VLLM_API_KEY", "OPENAI_API_KEY")
"""Variables that a command called by a model does not get."""


class ToolError(Exception):
    """A call that failed."""


def python_tool(function: Callable[..., Any]) -> Tool:
    """Return ``function`` as a tool: arguments are checked and converted by its signature.

    What is returned becomes JSON unless it is a string. What it prints goes to stderr.
    """

    def run(arguments: str) -> str:
        from contextlib import redirect_stdout

        try:
            with redirect_stdout(sys.stderr):
                result = _finished(_call(function, _parsed(arguments)))
        except ToolError:
            raise
        except (Exception, SystemExit) as fault:  # whatever the function does
            raise ToolError(f"{type(fault).__name__}: {fault}") from fault
        return _as_text(result)

    return run


def command_tool(command: str, owner: str) -> Tool:
    """Return ``command`` as a tool: arguments on its stdin, the result on its stdout.

    It is started without a shell. Raises ``UsageError`` when it cannot be started.
    """
    from shlex import split
    from shutil import which

    try:
        words = split(command)
    except ValueError as fault:
        raise UsageError(f"{owner}: cannot read the command {command!r}: {fault}") from None
    if not words or which(words[0]) is None:
        raise UsageError(
            f"{owner}: there is no command {words[0] if words else ''!r}",
            "a line for the shell is written NAME='sh -c \"…\"'",
        )
    return lambda arguments: _run(words, arguments)


def _run(words: list[str], arguments: str) -> str:
    import os
    import subprocess

    variables = {name: value for name, value in os.environ.items() if name not in _KEYS}
    try:
        done = subprocess.run(
            words,
            input=arguments.encode(errors="replace"),
            capture_output=True,
            check=False,
            env=variables,
        )
    except OSError as fault:
        raise ToolError(f"{words[0]}: {fault.strerror or fault}") from fault
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise ToolError(f"exit status {done.returncode}{': ' * bool(said)}{said}")
    return done.stdout.decode(errors="replace").rstrip("\n")


def _parsed(arguments: str) -> dict[str, Any]:
    import json

    try:
        value = json.loads(arguments or "{}")
    except ValueError as fault:
        raise ToolError(f"the arguments are not JSON: {fault}") from fault
    if not isinstance(value, dict):
        raise ToolError("the arguments are no JSON object")
    return value


def _call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import ArgsKwargs

    adapter: TypeAdapter[Any] = TypeAdapter(cast("Any", function))
    try:
        return adapter.validate_python(ArgsKwargs((), arguments))
    except ValidationError as fault:
        faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in fault.errors()]
        raise ToolError("; ".join(faults)) from fault


def _finished(result: Any) -> Any:
    """Wait for what an ``async`` function returns."""
    from inspect import iscoroutine

    if not iscoroutine(result):
        return result
    from asyncio import run

    return run(result)


def _as_text(result: Any) -> str:
    if isinstance(result, str):
        return result
    from pydantic_core import to_json

    return to_json(result, fallback=str).decode()
