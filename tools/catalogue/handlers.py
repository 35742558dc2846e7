"""Reads what a handler takes: body models, parameters, and values read by hand."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.catalogue.classes import Classes, parameters
from tools.catalogue.declarations import Declaration, Declarations
from tools.catalogue.facts import FieldFacts
from tools.catalogue.modules import Defined, Module, Sources
from tools.catalogue.routes import Function, Route

_DEEPEST_ALIAS = 10
_SERVER_OBJECTS = {"Request", "WebSocket", "Response", "BackgroundTasks"}
_SERVER_NAMES = {"raw_request", "websocket"}
_BUILT_BY_HAND = re.compile(r"(\w+Request)(?:\(\*\*|\.model_validate\()")
_QUERY_KEY = re.compile(r"query_params\.(?:get|getlist)\(\s*'(\w+)'")
_BODY_KEY = re.compile(r"(?:body|data|request_data|content)(?:\.get\(\s*|\[)'(\w+)'")


@dataclass(slots=True)
class Taken:
    """What a handler takes. ``body`` is ``json``, ``form`` or ``None``."""

    models: list[Defined] = field(default_factory=list)
    fields: dict[str, FieldFacts] = field(default_factory=dict)
    body: str | None = None


class Handlers:
    """Reads the handlers of one release."""

    def __init__(self, sources: Sources, classes: Classes, declarations: Declarations) -> None:
        self._sources = sources
        self._classes = classes
        self._declarations = declarations

    def taken(self, route: Route) -> Taken:
        """Return what the handler of a route takes."""
        taken = Taken()
        for given in parameters(route.module, route.handler):
            if not _is_servers_own(given):
                self._take_parameter(taken, given, route)
        if not taken.models:
            self._take_models_built_by_hand(taken, route)
        self._take_keys(taken, route)
        return taken

    def models(self, module: Module, annotation: ast.expr, depth: int = 0) -> list[Defined]:
        """Return the classes with fields that an annotation names, in order."""
        if depth > _DEEPEST_ALIAS:
            return []
        if isinstance(annotation, ast.Subscript):
            return self._subscripted_models(module, annotation, depth)
        parts = list(_parts(annotation))
        if parts != [annotation]:
            return [model for part in parts for model in self.models(module, part, depth + 1)]
        meaning = self._sources.resolve(module, annotation)
        if not isinstance(meaning, Defined):
            return []
        if isinstance(meaning.node, ast.ClassDef):
            return [meaning] if self._classes.kind(meaning) != "class" else []
        value = getattr(meaning.node, "value", None)
        return self.models(meaning.module, value, depth + 1) if value is not None else []

    def _subscripted_models(
        self, module: Module, annotation: ast.Subscript, depth: int
    ) -> list[Defined]:
        base = ast.unparse(annotation.value).rpartition(".")[2]
        sliced = annotation.slice
        parts = sliced.elts if isinstance(sliced, ast.Tuple) else [sliced]
        if base == "Annotated":
            parts = parts[:1]
        elif base not in ("Union", "Optional"):
            meaning = self._sources.resolve(module, annotation.value)
            is_class = isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef)
            return [meaning] if isinstance(meaning, Defined) and is_class else []
        return [model for part in parts for model in self.models(module, part, depth + 1)]

    def _take_parameter(self, taken: Taken, given: Declaration, route: Route) -> None:
        annotation = given.annotation
        models = self.models(given.module, annotation) if annotation is not None else []
        if models:
            taken.models += models
            taken.body = "form" if "Form()" in _text(annotation) else "json"
            return
        facts = self._declarations.field(given)
        facts.place = _place(given, route)
        facts.required |= facts.place == "path"
        if facts.place == "body":
            taken.body = "json"
        taken.fields[facts.name] = facts

    def _take_models_built_by_hand(self, taken: Taken, route: Route) -> None:
        """``SomeRequest(**body)`` in the handler."""
        for name in _BUILT_BY_HAND.findall(ast.unparse(route.handler)):
            meaning = self._sources.lookup(route.module, name)
            if isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef):
                taken.models.append(meaning)
                taken.body = "json"

    def _take_keys(self, taken: Taken, route: Route) -> None:
        """Keys that the handler, or a helper it hands the body to, reads by hand."""
        text = "\n".join(ast.unparse(function) for function in _with_helpers(route))
        source = f"{route.module.path}:{route.handler.lineno}"
        body_keys = [] if taken.models else _BODY_KEY.findall(text)
        for place, keys in (("body", body_keys), ("query", _QUERY_KEY.findall(text))):
            for name in sorted(set(keys) - set(taken.fields)):
                taken.fields[name] = FieldFacts(name, None, place=place, source=source)
                taken.body = "json" if place == "body" else taken.body


def _with_helpers(route: Route) -> Iterator[Function]:
    yield route.handler
    for node in ast.walk(route.handler):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            helper = route.module.names.get(node.func.id)
            passes_body = any(ast.unparse(argument) == "body" for argument in node.args)
            if isinstance(helper, Function) and passes_body:
                yield helper


def _parts(annotation: ast.expr) -> Iterator[ast.expr]:
    """The alternatives of ``A | B``; what a quoted annotation says; else the annotation."""
    if isinstance(annotation, ast.BinOp):
        yield from _parts(annotation.left)
        yield from _parts(annotation.right)
    elif isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        yield ast.parse(annotation.value, mode="eval").body
    else:
        yield annotation


def _is_servers_own(given: Declaration) -> bool:
    """Whether a parameter is filled by the server, not by the request."""
    last = _text(given.annotation).rpartition(".")[2]
    depends = "Depends" in _text(given.annotation) + _text(given.value)
    return last in _SERVER_OBJECTS or given.name in _SERVER_NAMES or depends


def _place(given: Declaration, route: Route) -> str:
    if f"{{{given.name}}}" in route.path:
        return "path"
    return "body" if "Body" in _text(given.annotation) + _text(given.value) else "query"


def _text(node: ast.expr | None) -> str:
    return ast.unparse(node) if node is not None else ""
