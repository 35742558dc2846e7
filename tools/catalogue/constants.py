"""Works out constants: limits and defaults that the source writes as expressions."""

import ast
import operator
from collections.abc import Callable
from typing import Any

from tools.catalogue.modules import Defined, Module, Sources, assigned_names

_DEEPEST = 8
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Pow: operator.pow,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.LShift: operator.lshift,
}
_INT64 = {"min": -(2**63), "max": 2**63 - 1}


class Unknown(str):
    """The source text of an expression that is no constant."""

    __slots__ = ()


class Constants:
    """Evaluates expressions of a release's modules without running anything."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def value(self, module: Module, expression: ast.expr, depth: int = 0) -> Any:
        """Return the value of an expression, or its text as ``Unknown``.

        A limit that an environment variable sets reads ``{"env": NAME, "default": VALUE}``.
        """
        if depth > _DEEPEST:
            return Unknown(ast.unparse(expression))
        if isinstance(expression, ast.List | ast.Tuple | ast.Set):
            return [self.value(module, item, depth + 1) for item in expression.elts]
        if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
            return self._negated(module, expression, depth)
        if isinstance(expression, ast.BinOp):
            return self._calculated(module, expression, depth)
        if isinstance(expression, ast.Name | ast.Attribute):
            return self._named(module, expression, depth)
        if isinstance(expression, ast.Call):
            return self._built(module, expression, depth)
        return _literal(expression)

    def _negated(self, module: Module, expression: ast.UnaryOp, depth: int) -> Any:
        value = self.value(module, expression.operand, depth + 1)
        return -value if isinstance(value, int | float) else Unknown(ast.unparse(expression))

    def _calculated(self, module: Module, expression: ast.BinOp, depth: int) -> Any:
        left = self.value(module, expression.left, depth + 1)
        right = self.value(module, expression.right, depth + 1)
        calculate = _OPERATORS.get(type(expression.op))
        if calculate is None or isinstance(left, Unknown) or isinstance(right, Unknown):
            return Unknown(ast.unparse(expression))
        return calculate(left, right)

    def _built(self, module: Module, call: ast.Call, depth: int) -> Any:
        """``frozenset({…})``, ``list()`` and their like."""
        name = ast.unparse(call.func)
        if name in ("frozenset", "set", "list", "tuple", "dict"):
            if call.args:
                return self.value(module, call.args[0], depth + 1)
            return {} if name == "dict" else []
        return Unknown(ast.unparse(call))

    def _named(self, module: Module, name: ast.Name | ast.Attribute, depth: int) -> Any:
        text = ast.unparse(name)
        if text.startswith("envs."):
            variable = text.removeprefix("envs.")
            return {"env": variable, "default": self._environment_default(variable)}
        if isinstance(name, ast.Attribute):
            member = self._member(module, name, depth)
            if not isinstance(member, Unknown):
                return member
        meaning = self._sources.resolve(module, name)
        if isinstance(meaning, Defined) and isinstance(meaning.node, ast.Assign | ast.AnnAssign):
            value = meaning.node.value
            return self.value(meaning.module, value, depth + 1) if value else Unknown(text)
        return Unknown(text)

    def _member(self, module: Module, name: ast.Attribute, depth: int) -> Any:
        """A class's constant, or the end of what a 64-bit integer holds."""
        owner = self._sources.resolve(module, name.value)
        node = owner.node if isinstance(owner, Defined) else None
        described = ast.unparse(node) if isinstance(node, ast.Assign | ast.AnnAssign) else ""
        if name.attr in _INT64 and "iinfo" in ast.unparse(name) + described:
            return _INT64[name.attr]
        if isinstance(owner, Defined) and isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.Assign) and name.attr in assigned_names(statement):
                    return self.value(owner.module, statement.value, depth + 1)
        return Unknown(ast.unparse(name))

    def _environment_default(self, variable: str) -> Any:
        """The default that ``vllm.envs`` gives ``getenv``."""
        module = self._sources.module("vllm.envs")
        for call in ast.walk(module.tree) if module else ():
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(("getenv", ".get")):
                arguments = [_literal(argument) for argument in call.args]
                if arguments[:1] == [variable] and len(arguments) > 1:
                    return _number(arguments[1])
        return None


def _literal(expression: ast.expr) -> Any:
    try:
        return ast.literal_eval(expression)
    except ValueError:
        return Unknown(ast.unparse(expression))


def _number(value: Any) -> Any:
    """Environment variables are text: ``"4"`` stands for 4."""
    try:
        return ast.literal_eval(value) if isinstance(value, str) else value
    except (ValueError, SyntaxError):
        return value
