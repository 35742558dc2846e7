"""Reads classes: their ancestors, their kind, their fields and what they do with unknown ones."""

import ast
import re

from tools.catalogue.declarations import Declaration, Declarations
from tools.catalogue.facts import FieldFacts, ModelFacts
from tools.catalogue.modules import Defined, Module, Sources

Ancestor = Defined | str
"""A class of the release, or the name of one from elsewhere."""

_KINDS = (("BaseModel", "pydantic"), ("TypedDict", "typeddict"), ("Struct", "msgspec"))
_CONFIG = re.compile(r"\b(model_config|__pydantic_config__)\b")
_EXTRA = re.compile(r"extra\s*=\s*'(\w+)'|'extra'\s*:\s*'(\w+)'|extra\s*=\s*Extra\.(\w+)")


class Classes:
    """Reads the classes of one release."""

    def __init__(self, sources: Sources, declarations: Declarations) -> None:
        self._sources = sources
        self._declarations = declarations

    def model(self, given: Defined) -> ModelFacts:
        """Return the facts of a class; fields are keyed by their name in a request."""
        kind = self.kind(given)
        fields = self._fields(given, kind)
        unknown = self.unknown_policy(given) or (None if kind == "typeddict" else "ignored")
        return ModelFacts(_node(given).name, kind, unknown, fields)

    def kind(self, given: Defined) -> str:
        """Return ``pydantic``, ``typeddict``, ``msgspec``, ``dataclass`` or ``class``."""
        ancestors = self.ancestors(given)
        names = [ancestor for ancestor in ancestors if isinstance(ancestor, str)]
        for mark, kind in _KINDS:
            if any(mark in name for name in names):
                return kind
        decorators = [
            ast.unparse(decorator)
            for ancestor in ancestors
            if not isinstance(ancestor, str)
            for decorator in _node(ancestor).decorator_list
        ]
        return "dataclass" if any("dataclass" in text for text in decorators) else "class"

    def ancestors(self, given: Defined) -> list[Ancestor]:
        """Return the class and its ancestors in the order in which Python asks them (C3)."""
        bases = self._bases(given)
        lines: list[list[Ancestor]] = [
            self.ancestors(base) if isinstance(base, Defined) else [base] for base in bases
        ]
        return [given, *_merge([*lines, bases])]

    def _line(self, base: Ancestor) -> list[Ancestor]:
        return self.ancestors(base) if isinstance(base, Defined) else [base]

    def names(self, given: Defined) -> list[str]:
        """Return the names of the class and of its ancestors in the release."""
        return [_node(each).name for each in self.ancestors(given) if isinstance(each, Defined)]

    def unknown_policy(self, given: Defined) -> str | None:
        """Return ``refused`` or ``ignored``, or ``None`` where no configuration says it."""
        for ancestor in self.ancestors(given):
            extra = _own_extra(_node(ancestor)) if isinstance(ancestor, Defined) else None
            if extra:
                return "refused" if extra == "forbid" else "ignored"
        return None

    def _bases(self, given: Defined) -> list[Ancestor]:
        found: list[Ancestor] = []
        for base in _node(given).bases:
            plain = base.value if isinstance(base, ast.Subscript) else base
            meaning = self._sources.resolve(given.module, plain)
            if isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef):
                found.append(meaning)
            else:
                found.append(ast.unparse(plain) if meaning is None else _outside_name(meaning))
        return found

    def _fields(self, given: Defined, kind: str) -> dict[str, FieldFacts]:
        own = [each for each in self.ancestors(given) if isinstance(each, Defined)]
        if kind == "pydantic":
            own.sort(key=lambda each: self.kind(each) != "pydantic")
        by_attribute: dict[str, FieldFacts] = {}
        for ancestor in reversed(own):
            for facts in self._own_fields(ancestor, kind):
                by_attribute[facts.attribute or facts.name] = facts
        if not by_attribute and kind in ("class", "msgspec"):
            return self._constructor(given)
        return {facts.name: facts for facts in by_attribute.values()}

    def _own_fields(self, given: Defined, kind: str) -> list[FieldFacts]:
        found = []
        for node in _node(given).body:
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
                continue
            name = node.target.id
            text = ast.unparse(node.annotation)
            if name.startswith("_") or name == "model_config" or "ClassVar" in text:
                continue
            facts = self._declarations.field(
                Declaration(given.module, name, node.annotation, node.value, node.lineno)
            )
            if kind == "typeddict":
                facts.required = _is_required_key(_node(given), text)
            found.append(facts)
        return found

    def _constructor(self, given: Defined) -> dict[str, FieldFacts]:
        """A plain class takes what its ``__init__`` takes."""
        for node in _node(given).body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                fields = map(self._declarations.field, parameters(given.module, node))
                return {facts.name: facts for facts in fields}
        return {}


def parameters(
    module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> list[Declaration]:
    """Return a function's parameters as declarations, without ``self``."""
    given = function.args
    without = [None] * (len(given.args) - len(given.defaults))
    pairs = [
        *zip(given.args, [*without, *given.defaults], strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return [
        Declaration(module, argument.arg, argument.annotation, default, argument.lineno)
        for argument, default in pairs
        if argument.arg != "self"
    ]


def _node(given: Defined) -> ast.ClassDef:
    assert isinstance(given.node, ast.ClassDef)
    return given.node


def _outside_name(meaning: object) -> str:
    return str(getattr(meaning, "name", ""))


def _merge(lines: list[list[Ancestor]]) -> list[Ancestor]:
    """Python's own way to order ancestors; a hopeless order falls back to the first line."""
    merged: list[Ancestor] = []
    while lines := [line for line in lines if line]:
        tails = [each for line in lines for each in line[1:]]
        chosen = next((line[0] for line in lines if line[0] not in tails), lines[0][0])
        merged.append(chosen)
        lines = [[each for each in line if each != chosen] for line in lines]
    return merged


def _own_extra(node: ast.ClassDef) -> str | None:
    """The ``extra`` of a class's own configuration, however it is written."""
    texts = [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in node.keywords]
    for statement in node.body:
        is_config = isinstance(statement, ast.ClassDef) and statement.name == "Config"
        if is_config or _CONFIG.search(ast.unparse(statement).partition("=")[0]):
            texts.append(ast.unparse(statement))
    for text in texts:
        found = _EXTRA.search(text)
        if found:
            return next(group for group in found.groups() if group)
    return None


def _is_required_key(owner: ast.ClassDef, annotation: str) -> bool:
    if annotation.startswith(("Required[", "NotRequired[")):
        return annotation.startswith("Required[")
    return not any(
        keyword.arg == "total" and ast.unparse(keyword.value) == "False"
        for keyword in owner.keywords
    )
