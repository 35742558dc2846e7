"""Exit codes and environment variables, read from the program."""

import ast
import inspect
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vllmctl import exitcodes
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.request.server.keys import SERVER_KEYS
from vllmctl.request.server.settings import of_environment

_TABLE = Path(__file__).with_name("environment.toml")


class Code(NamedTuple):
    """An exit code, its name in the source, and what it means."""

    number: int
    name: str
    meaning: str


class Variable(NamedTuple):
    """Environment variables of one meaning."""

    names: tuple[str, ...]
    help: str


def exit_codes() -> Iterator[Code]:
    """Yield the exit codes; what they mean is the docstring below each."""
    tree = ast.parse(inspect.getsource(exitcodes.ExitCode))
    (members,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for member, words in zip(members.body, members.body[1:], strict=False):
        if isinstance(member, ast.Assign) and isinstance(words, ast.Expr):
            name = ast.unparse(member.targets[0])
            yield Code(exitcodes.ExitCode[name], name, str(ast.literal_eval(words.value)))


def variables() -> Iterator[Variable]:
    """Yield the environment variables that the program reads."""
    for key, setting in SERVER_KEYS.items():
        name = f"VLLMCTL_{key.upper()}"
        if _is_read(name):
            yield Variable((name,), setting.help)
    for row in tomllib.loads(_TABLE.read_text(encoding="utf-8"))["variable"]:
        yield Variable(tuple(row["names"]), row["help"])


def _is_read(name: str) -> bool:
    """Whether the variable gives a setting, or is at least refused for its value."""
    try:
        return bool(of_environment(Environment(variables={name: "1"})))
    except UsageError:
        return True
