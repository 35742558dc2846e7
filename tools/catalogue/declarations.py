"""Reads declarations: ``name: annotation = value`` of a class or a handler's parameter."""

import ast
import re
from typing import NamedTuple

from tools.catalogue.annotations import Annotations
from tools.catalogue.constants import Constants, Unknown
from tools.catalogue.facts import FieldFacts
from tools.catalogue.modules import Module

_FIELD_MAKERS = {"Field", "field", "Form", "Query", "Body", "File", "PrivateAttr"}
_DEPRECATED = re.compile(r"\bdeprecated\b", re.IGNORECASE)


class Declaration(NamedTuple):
    """A name, its annotation and its value, as they stand in ``module``."""

    module: Module
    name: str
    annotation: ast.expr | None
    value: ast.expr | None
    line: int


class Declarations:
    """Turns declarations into facts."""

    def __init__(self, annotations: Annotations, constants: Constants) -> None:
        self._annotations = annotations
        self._constants = constants

    def field(self, given: Declaration) -> FieldFacts:
        """Return the facts of one declaration."""
        facts = FieldFacts(
            given.name,
            dict(self._annotations.schema(given.module, given.annotation)),
            required=given.value is None,
            source=f"{given.module.path}:{given.line}",
        )
        value = given.value
        if isinstance(value, ast.Call) and _name(value) in _FIELD_MAKERS:
            self._read_call(given.module, facts, value)
        elif value is not None:
            self._set_default(given.module, facts, value)
        return facts

    def _read_call(self, module: Module, facts: FieldFacts, call: ast.Call) -> None:
        """Read ``Field(default, ge=…, alias=…)`` and its like."""
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        default = given.get("default", call.args[0] if call.args else None)
        factory = given.get("default_factory")
        if factory is not None:
            self._set_made_default(module, facts, factory)
        elif default is not None and ast.unparse(default) != "...":
            self._set_default(module, facts, default)
        else:
            facts.required = True
        if facts.schema is not None:
            self._annotations.limit(module, facts.schema, call.keywords)
        self._read_notes(module, facts, given)

    def _read_notes(self, module: Module, facts: FieldFacts, given: dict[str, ast.expr]) -> None:
        alias = given.get("validation_alias", given.get("alias"))
        if alias is not None:
            facts.attribute = facts.name
            facts.name = str(self._constants.value(module, alias))
        described = given.get("description")
        text = self._constants.value(module, described) if described is not None else ""
        facts.deprecated = "deprecated" in given or bool(_DEPRECATED.search(str(text)))
        init = given.get("init")
        facts.internal = isinstance(init, ast.Constant) and init.value is False

    def _set_default(self, module: Module, facts: FieldFacts, value: ast.expr) -> None:
        default = self._constants.value(module, value)
        if isinstance(default, Unknown):
            facts.default_note = str(default)
        else:
            facts.default = default

    def _set_made_default(self, module: Module, facts: FieldFacts, factory: ast.expr) -> None:
        text = ast.unparse(factory)
        if text in ("list", "List", "dict", "Dict"):
            facts.default = [] if text.lower() == "list" else {}
        elif "uuid" in text:
            prefixed = " with prefix resp_" if "resp_" in text else ""
            facts.default_note = f"random id{prefixed}"
        elif isinstance(factory, ast.Lambda):
            self._set_default(module, facts, factory.body)
        else:
            facts.default_note = text


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]
