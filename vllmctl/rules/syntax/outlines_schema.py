"""What Outlines refuses in a JSON Schema: it makes a regular expression of it, part by part."""

from typing import Any

from vllmctl.rules.syntax.json_schema import TYPES, RefusalError, Schema, is_number

_FORMATS = ("date-time", "date", "time", "uuid", "uri", "email")
_DEEPEST = 3
"""So often may references lead on; what lies deeper is left out where it can be."""


class TooDeepError(RefusalError):
    """A reference that leads to itself again and again."""


def outlines_refusal(schema: Schema) -> str:
    """Return why Outlines does not take a schema, or an empty text."""
    try:
        _Walk(schema).visit(schema)
    except RefusalError as refusal:
        return str(refusal)
    return ""


class _Walk:
    """Visits a schema as Outlines does: the first key that it knows decides."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._depth = 0
        self._followed: dict[tuple[str, int], RefusalError | None] = {}

    def visit(self, schema: Any) -> None:
        """Raise ``RefusalError`` at the first part that it makes nothing of."""
        if not isinstance(schema, dict):
            raise RefusalError(f"a schema is an object, got {schema!r}")
        for key, read in (
            ("properties", self._properties),
            ("allOf", self._options),
            ("anyOf", self._options),
            ("oneOf", self._options),
            ("prefixItems", self._options),
            ("enum", self._enum),
            ("const", self._constant),
            ("$ref", self._ref),
            ("type", self._type),
        ):
            if key in schema:
                read(key, schema)
                return
        if schema:
            raise RefusalError("a schema needs a type, or one of properties, anyOf, enum …")

    def _properties(self, key: str, schema: Schema) -> None:
        if not isinstance(schema[key], dict):
            raise RefusalError("properties must be an object")
        for inner in schema[key].values():
            try:
                self.visit(inner)
            except TooDeepError:
                continue

    def _options(self, key: str, schema: Schema) -> None:
        if not isinstance(schema[key], list):
            raise RefusalError(f"{key} must be a list")
        for option in schema[key]:
            self.visit(option)

    def _enum(self, key: str, schema: Schema) -> None:
        if not isinstance(schema[key], list):
            raise RefusalError("enum must be a list")

    def _constant(self, _key: str, _schema: Schema) -> None:
        """Any value is written out."""

    def _ref(self, key: str, schema: Schema) -> None:
        if self._depth > _DEEPEST:
            raise TooDeepError("$ref leads to itself")
        if not isinstance(schema[key], str):
            raise RefusalError(f"$ref must be a string, got {schema[key]!r}")
        known = schema[key], self._depth
        if known not in self._followed:
            self._followed[known] = self._follow(schema[key])
        if refusal := self._followed[known]:
            raise refusal

    def _follow(self, reference: str) -> RefusalError | None:
        """Visit what a reference leads to; from equally deep it is the same each time."""
        self._depth += 1
        try:
            self.visit(self._resolved(reference))
        except RefusalError as refusal:
            return refusal
        finally:
            self._depth -= 1
        return None

    def _resolved(self, reference: str) -> Any:
        base, _, fragment = reference.rpartition("#")
        if base and base != self._root.get("$id"):
            raise RefusalError(f"$ref {reference} leads out of the schema")
        found: Any = self._root
        for part in filter(None, fragment.split("/")):
            if not isinstance(found, dict) or part not in found:
                raise RefusalError(f"$ref {reference} leads nowhere")
            found = found[part]
        return found

    def _type(self, key: str, schema: Schema) -> None:
        names = schema[key]
        names = names if isinstance(names, list) else [names]
        for name in names:
            if not isinstance(name, str) or name not in TYPES:
                raise RefusalError(f"there is no type {name!r}")
        for name in dict.fromkeys(names):
            self._typed(name, schema)

    def _typed(self, name: str, schema: Schema) -> None:
        if name == "string":
            _string(schema)
        elif name == "array" and "items" in schema and schema.get("maxItems") != 0:
            self.visit(schema["items"])
        elif name == "object" and schema.get("maxProperties") != 0:
            others = schema.get("additionalProperties", True)
            if others is not True:
                self.visit(others)


def _string(schema: Schema) -> None:
    least, most = schema.get("minLength"), schema.get("maxLength")
    if least is not None or most is not None:
        if None not in (least, most) and _number(least) > _number(most):
            raise RefusalError("minLength is above maxLength")
    elif not isinstance(schema.get("pattern"), str):
        form = schema.get("format")
        if isinstance(form, str) and form not in _FORMATS:
            raise RefusalError(f"there is no format {form!r}")


def _number(value: Any) -> float:
    """A number; what is none lies below all of them."""
    return value if is_number(value) else float("-inf")
