"""Judges one field's value with pydantic's engine."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic_core import CoreSchema, SchemaValidator, ValidationError

from vllmctl.catalog.core_schema import FieldSchema, external_schema, field_schema
from vllmctl.catalog.facts import Model
from vllmctl.catalog.files import read_external
from vllmctl.catalog.type_faults import Loc, TypeFault, faults_of


class FieldValidator:
    """The engine's validator of one field."""

    def __init__(self, name: str, schema: Mapping[str, Any], models: Mapping[str, Model]) -> None:
        core = field_schema(schema, models)
        self._name = name
        self._validator = _validator(core)
        self._reader = _LaterReader(models) if core.is_lazy else None

    def check(self, sent: Any) -> tuple[Any, list[TypeFault]]:
        """Return the coerced value and what is wrong with it."""
        try:
            value = self._validator.validate_python(sent)
        except ValidationError as error:
            return sent, faults_of(error, (self._name,))
        if self._reader is None:
            return value, []
        return sent, self._reader.faults(value, (self._name,))


class _LaterReader:
    """Checks what the server checks only when it reads messages, after the body passed."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        shapes = read_external()["read_again"]
        self._again = {
            kind: _validator(external_schema(name, models)) for kind, name in shapes.items()
        }

    def faults(self, value: Any, place: Loc) -> list[TypeFault]:
        """Return what is wrong below ``place``; the server names the first."""
        try:
            for where, part in self._parts(value, place):
                self._read_again(part, where)
        except _PlacedError as placed:
            return faults_of(placed.error, placed.place)
        return []

    def _parts(self, value: Any, place: Loc) -> Iterator[tuple[Loc, dict[str, Any]]]:
        """Yield each object below ``place``, reading what the engine left unread."""
        if isinstance(value, dict):
            yield place, value
            for key, inner in value.items():
                yield from self._parts(inner, (*place, key))
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                yield from self._parts(inner, (*place, number))
        elif type(value).__name__ == "ValidatorIterator":
            yield from self._parts(_read_all(value, place), place)

    def _read_again(self, part: dict[str, Any], place: Loc) -> None:
        kind = part.get("type")
        if isinstance(kind, str) and kind in self._again and part.get("uuid") is None:
            try:
                self._again[kind].validate_python(part)
            except ValidationError as error:
                raise _PlacedError(error, place) from None


class _PlacedError(Exception):
    def __init__(self, error: ValidationError, place: Loc) -> None:
        self.error = error
        self.place = place


def _read_all(lazy: Iterator[Any], place: Loc) -> list[Any]:
    try:
        return list(lazy)
    except ValidationError as error:
        raise _PlacedError(error, place) from None


def _validator(core: FieldSchema) -> SchemaValidator:
    return SchemaValidator(cast(CoreSchema, core.schema))
