"""Finds the server's routes: functions decorated with a method and a path."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from tools.catalogue.constants import Constants
from tools.catalogue.modules import Module, Sources

Function = ast.FunctionDef | ast.AsyncFunctionDef

_METHODS = {"post", "get", "put", "delete", "patch", "websocket"}
_MAY_HAVE_ROUTES = re.compile(rf"@\w*(router|app)\w*\.({'|'.join(_METHODS)})\(")
_ROUTER = re.compile(r"router|app")
_NOT_THE_SERVER = re.compile(r"entrypoints/(api_server\.py|cli/|.*dp_supervisor)")


class Route(NamedTuple):
    """A handler and one of the ways to it; ``method`` is ``POST``, ``WEBSOCKET`` …."""

    method: str
    path: str
    module: Module
    handler: Function

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def routes(sources: Sources, constants: Constants) -> Iterator[Route]:
    """Yield every route of the API server, in the order of the files."""
    for path, text in sources.files.items():
        if not path.startswith("vllm/entrypoints/") or _NOT_THE_SERVER.search(path):
            continue
        module = sources.at(path) if _MAY_HAVE_ROUTES.search(text) else None
        for node in ast.walk(module.tree) if module else ():
            if module and isinstance(node, Function):
                yield from _routes_to(node, module, constants)


def _routes_to(handler: Function, module: Module, constants: Constants) -> Iterator[Route]:
    for decorator in handler.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
            continue
        method = decorator.func.attr
        path = _path(decorator, module, constants)
        if method in _METHODS and path and _ROUTER.search(ast.unparse(decorator.func.value)):
            yield Route(method.upper(), path, module, handler)


def _path(decorator: ast.Call, module: Module, constants: Constants) -> str | None:
    named = [keyword.value for keyword in decorator.keywords if keyword.arg == "path"]
    for expression in [*named, *decorator.args[:1]]:
        value = constants.value(module, expression)
        return value if isinstance(value, str) and value.startswith("/") else None
    return None
