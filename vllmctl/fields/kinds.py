"""From a field's schema to the form in which a person types its value."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from vllmctl.record import Record


class Form(StrEnum):
    """How a value is written on the command line; its value is the usual metavar."""

    BOOLEAN = "true|false"
    INTEGER = "INT"
    NUMBER = "NUM"
    TEXT = "TEXT"
    INTEGERS = "INT,INT…"
    TEXTS = "TEXT…"
    MAP = "KEY=VALUE|JSON"
    JSON = "JSON|@FILE"
    JSONS = "JSON|@FILE…"


_METAVAR_LIMIT = 16


class Kind(Record, frozen=True):
    """The form of a field's values, and the words allowed where only some are."""

    form: Form
    choices: tuple[str, ...] = ()

    @property
    def metavar(self) -> str:
        """What stands for the value in help."""
        if not self.choices:
            return self.form.value
        words = "|".join(self.choices if self.form is Form.TEXT else (*self.choices, "JSON"))
        return words if len(words) <= _METAVAR_LIMIT else "WORD"

    @property
    def repeats(self) -> bool:
        """Whether giving the flag again adds to the value."""
        return self.form in (Form.INTEGERS, Form.TEXTS, Form.MAP, Form.JSONS)


def kind_of(schema: Mapping[str, Any]) -> Kind:
    """Return the kind that ``schema`` (see ``catalog.facts.Field``) asks for."""
    branches = list(_branches(schema))
    choices = tuple(str(word) for branch in branches for word in branch.get("enum", ()))
    if choices:
        plain = all("enum" in branch for branch in branches)
        return Kind(Form.TEXT if plain else Form.JSON, choices)
    types = {_name(branch) for branch in branches}
    if types == {"model"} and len(branches) > 1:
        return Kind(Form.JSON)
    for wanted, form in _FORMS:
        if types <= wanted:
            return Kind(form)
    return Kind(Form.JSON)


_FORMS = (
    ({"boolean"}, Form.BOOLEAN),
    ({"integer"}, Form.INTEGER),
    ({"integer", "number"}, Form.NUMBER),
    ({"string"}, Form.TEXT),
    ({"array<integer>"}, Form.INTEGERS),
    ({"string", "array<string>"}, Form.TEXTS),
    ({"string", "array<string>", "array<integer>", "array<array>"}, Form.TEXTS),
    ({"object"}, Form.MAP),
    ({"model"}, Form.MAP),
    ({"array<object>", "array<array>", "array<any>", "array<union>"}, Form.JSONS),
)


def _branches(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "anyOf" in schema:
        for branch in schema["anyOf"]:
            yield from _branches(branch)
    elif schema.get("type") != "null":
        yield schema


def _name(branch: Mapping[str, Any]) -> str:
    if "$ref" in branch:
        return "model"
    kind = str(branch.get("type", "any"))
    if kind != "array":
        return kind
    items = list(_branches(branch.get("items", {})))
    names = {_name(item).split("<")[0].replace("model", "object") for item in items}
    return f"array<{names.pop() if len(names) == 1 else 'union'}>"
