"""Finds out what a name means in a module of the release, across imports."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tools.catalogue.source_tree import SourceTree

_DEEPEST_IMPORT = 12


@dataclass(slots=True, eq=False)
class Module:
    """One source file: its text, its syntax tree, and the names it binds at top level."""

    name: str
    path: str
    text: str
    tree: ast.Module
    names: "dict[str, ast.stmt | _Import]" = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


class Defined(NamedTuple):
    """A class, function or assignment of the release, and the module it stands in."""

    module: Module
    node: ast.stmt


class Outside(NamedTuple):
    """Something of another package, by its full name."""

    name: str


class ModuleName(NamedTuple):
    """A module, of the release or another package."""

    name: str


class _Import(NamedTuple):
    module: str
    member: str | None


Meaning = Defined | Outside | ModuleName | None


class Sources:
    """The modules of one release, parsed when first asked for."""

    def __init__(self, tree: SourceTree) -> None:
        self.release = tree.release
        self.files = tree.files
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """Return a module by its dotted name, or ``None`` when the release has no such file."""
        if name not in self._modules:
            base = name.replace(".", "/")
            paths = (f"{base}.py", f"{base}/__init__.py")
            path = next((path for path in paths if path in self.files), None)
            self._modules[name] = self._parse(name, path) if path else None
        return self._modules[name]

    def at(self, path: str) -> Module | None:
        """Return the module of a file (``vllm/sampling_params.py``)."""
        return self.module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))

    def lookup(self, module: Module, name: str, depth: int = 0) -> Meaning:
        """Return what ``name`` means at the top level of ``module``, or ``None``."""
        if depth > _DEEPEST_IMPORT:
            return None
        bound = module.names.get(name)
        if bound is None:
            return self._from_stars(module, name, depth)
        if isinstance(bound, _Import):
            return self._imported(bound, depth)
        return Defined(module, bound)

    def resolve(self, module: Module, expression: ast.expr) -> Meaning:
        """Return what a name or a dotted name means in ``module``, or ``None``."""
        if isinstance(expression, ast.Name):
            return self.lookup(module, expression.id)
        if not isinstance(expression, ast.Attribute):
            return None
        owner = self.resolve(module, expression.value)
        if isinstance(owner, ModuleName):
            return self._member(owner.name, expression.attr)
        return Outside(f"{owner.name}.{expression.attr}") if isinstance(owner, Outside) else None

    def _member(self, owner: str, name: str, depth: int = 0) -> Meaning:
        """What a name means in another module: its own, a module below it, or a stranger."""
        source = self.module(owner)
        found = self.lookup(source, name, depth) if source else None
        if found:
            return found
        full_name = f"{owner}.{name}"
        if self.module(full_name):
            return ModuleName(full_name)
        lazy = self._lazily_exported(source, name, depth) if source else None
        return lazy or Outside(full_name)

    def _parse(self, name: str, path: str) -> Module | None:
        text = self.files[path]
        try:
            module = Module(name, path, text, ast.parse(text))
        except SyntaxError:
            return None
        _bind(module, module.tree.body)
        return module

    def _from_stars(self, module: Module, name: str, depth: int) -> Meaning:
        for star in module.stars:
            source = self.module(star)
            found = self.lookup(source, name, depth + 1) if source else None
            if found:
                return found
        return None

    def _imported(self, bound: _Import, depth: int) -> Meaning:
        if bound.member is None:
            return ModuleName(bound.module)
        return self._member(bound.module, bound.member, depth + 1)

    def _lazily_exported(self, module: Module, name: str, depth: int) -> Meaning:
        """A package may name its members in a table: ``"LLM": ".entrypoints.llm:LLM"``."""
        entry = re.search(rf'"{re.escape(name)}"\s*:\s*"(\.[\w.]+):(\w+)"', module.text)
        source = self.module(module.name + entry[1]) if entry else None
        return self.lookup(source, entry[2], depth + 1) if source and entry else None


def _bind(module: Module, statements: Iterable[ast.stmt]) -> None:
    """Enter the names that statements bind; an import never hides a definition."""
    for node in statements:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            module.names[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            module.names |= dict.fromkeys(assigned_names(node), node)
        elif isinstance(node, ast.ImportFrom):
            _bind_import_from(module, node)
        elif isinstance(node, ast.Import):
            _bind_import(module, node)
        elif isinstance(node, ast.If | ast.Try):
            handlers = node.handlers if isinstance(node, ast.Try) else []
            for block in (node.body, *(handler.body for handler in handlers), node.orelse):
                _bind(module, block)


def assigned_names(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """Return the plain names that an assignment binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _bind_import_from(module: Module, node: ast.ImportFrom) -> None:
    base = _absolute(module, node)
    for alias in node.names:
        if alias.name == "*":
            module.stars.append(base)
        else:
            module.names.setdefault(alias.asname or alias.name, _Import(base, alias.name))


def _bind_import(module: Module, node: ast.Import) -> None:
    for alias in node.names:
        first = alias.name.partition(".")[0]
        target = alias.name if alias.asname else first
        module.names.setdefault(alias.asname or first, _Import(target, None))


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    is_package = module.path.endswith("/__init__.py")
    parts = module.name.split(".")
    kept = parts[: len(parts) - node.level + is_package]
    return ".".join([*kept, *([node.module] if node.module else [])])
