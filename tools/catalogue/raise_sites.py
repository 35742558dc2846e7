"""Finds the places on a request's way where the server may refuse it."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tools.catalogue.modules import Module, Sources

_ON_THE_WAY = re.compile(
    r"vllm/(entrypoints/|renderers/|(sampling_params|pooling_params|beam_search|tasks"
    r"|logits_process|engine/llm_engine|engine/async_llm_engine"
    r"|v1/engine/(processor|input_processor|async_llm))\.py$"
    r"|(v1/structured_output|inputs)/\w+\.py$|model_executor/guided_decoding/"
    r"|multimodal/processing)"
)
_BESIDE_THE_WAY = re.compile(
    r"entrypoints/(cli/|llm\.py|launcher\.py|launchers/(?!run_batch)|ssl|offline|common/|mcp/|grpc"
    r"|api_server\.py|openai/cli_args"
    r"|serve/(elastic|dev|profile|fault|middleware|instrumentator))|entrypoints/.*offline"
)
_ERROR_MAKERS = {
    "create_error_response",
    "create_streaming_error_response",
    "_make_error",
    "make_error",
}
_HOLE = re.compile(r"\{[^{}]*(\{[^{}]*\}[^{}]*)*\}")


class Site(NamedTuple):
    """One refusal: where it is, what it says, and under which conditions.

    ``owner`` is the class around it, ``function`` the function (``outer.inner``); ``error``
    the exception or the function that makes the answer. In ``message``, ``{}`` stands for
    what is filled in.
    """

    path: str
    line: int
    owner: str
    function: str
    error: str
    message: str
    conditions: tuple[str, ...]

    @property
    def home(self) -> str:
        """The file and the function, without the line."""
        return f"{self.path} {'.'.join(part for part in (self.owner, self.function) if part)}"


def raise_sites(sources: Sources) -> list[Site]:
    """Return every refusal on a request's way, in the order of the files."""
    found: list[Site] = []
    for path in sources.files:
        on_the_way = _ON_THE_WAY.match(path) and not _BESIDE_THE_WAY.search(path)
        module = sources.at(path) if on_the_way else None
        if module:
            found += _Walker(module).sites()
    return found


class _Walker:
    """Walks a module's statements and remembers the conditions on the way."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._found: list[Site] = []
        self._owners: list[str] = []
        self._functions: list[str] = []
        self._conditions: list[str] = []
        self._texts: dict[str, ast.expr] = {}

    def sites(self) -> list[Site]:
        self._block(self._module.tree.body)
        return self._found

    def _block(self, statements: Iterable[ast.stmt]) -> None:
        depth = len(self._conditions)
        for statement in statements:
            self._statement(statement)
            guard = _guard(statement)
            if guard:
                self._conditions.append(f"not ({guard})")
        del self._conditions[depth:]

    def _under(self, condition: str, statements: Iterable[ast.stmt]) -> None:
        self._conditions.append(condition)
        self._block(statements)
        self._conditions.pop()

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.ClassDef):
            self._owners.append(node.name)
            self._block(node.body)
            self._owners.pop()
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._function(node)
        elif isinstance(node, ast.If):
            self._calls_in(node.test)
            self._under(ast.unparse(node.test), node.body)
            self._under(f"not ({ast.unparse(node.test)})", node.orelse)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._under(f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}", node.body)
            self._block(node.orelse)
        elif isinstance(node, ast.While | ast.With | ast.AsyncWith):
            self._block(node.body)
        elif isinstance(node, ast.Try):
            self._try(node)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                self._under(f"case {ast.unparse(case.pattern)}", case.body)
        else:
            self._leaf(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer = self._conditions, self._texts
        self._conditions, self._texts = [], _assigned_texts(node)
        self._functions.append(node.name)
        self._block(node.body)
        self._functions.pop()
        self._conditions, self._texts = outer

    def _try(self, node: ast.Try) -> None:
        self._block(node.body)
        for handler in node.handlers:
            caught = ast.unparse(handler.type) if handler.type else "error"
            self._under(f"on {caught}", handler.body)
        self._block(node.orelse)
        self._block(node.finalbody)

    def _leaf(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            self._add(node.lineno, ast.unparse(node.exc.func), _told(node.exc))
        elif isinstance(node, ast.Raise) and node.exc is not None:
            self._add(node.lineno, ast.unparse(node.exc), None)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            self._add(node.lineno, "AssertionError", node.msg)
        if not isinstance(node, ast.Raise):
            self._calls_in(node)

    def _calls_in(self, node: ast.AST) -> None:
        for call in ast.walk(node):
            if isinstance(call, ast.Call):
                maker = ast.unparse(call.func).rpartition(".")[2]
                if maker in _ERROR_MAKERS:
                    self._add(call.lineno, maker, _told(call))

    def _add(self, line: int, error: str, told: ast.expr | None) -> None:
        message = _without_holes(_template(told, self._texts))
        self._found.append(
            Site(
                self._module.path,
                line,
                ".".join(self._owners),
                ".".join(self._functions),
                error,
                message,
                tuple(self._conditions),
            )
        )


def _guard(statement: ast.stmt) -> str | None:
    """The condition of an ``if`` that leaves: what follows holds when it is false."""
    match statement:
        case ast.If(orelse=[], body=[*_, ast.Return() | ast.Continue()]):
            return ast.unparse(statement.test)
    return None


def _assigned_texts(function: ast.AST) -> dict[str, ast.expr]:
    """What a function's names are first set to; a message is often built before it is told."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                found.setdefault(target.id, node.value)
    return found


def _told(call: ast.Call) -> ast.expr | None:
    """The argument that holds the message."""
    named = [k.value for k in call.keywords if k.arg in ("detail", "message")]
    texts = [a for a in call.args if isinstance(a, ast.Constant | ast.JoinedStr | ast.BinOp)]
    return next(iter([*named, *texts, *call.args]), None)


def _template(node: ast.expr | None, texts: dict[str, ast.expr]) -> str:
    """A message's text with ``{…}`` where something is filled in."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_pieces(node))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _template(node.left, texts) + _template(node.right, texts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _template(node.left, texts)
    if isinstance(node, ast.Name) and node.id in texts:
        return _template(texts[node.id], {})
    if isinstance(node, ast.Call):
        inner = (_template(argument, texts) for argument in node.args)
        return next((text for text in inner if text and not text.startswith("{")), "{}")
    return "{}"


def _pieces(node: ast.JoinedStr) -> Iterator[str]:
    for value in node.values:
        yield str(value.value) if isinstance(value, ast.Constant) else "{}"


def _without_holes(template: str) -> str:
    return re.sub(r"\s+", " ", _HOLE.sub("{}", template)).strip()
