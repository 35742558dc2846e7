"""Checks the types and limits of a body with pydantic's engine, as the server does.

The facts are turned into the engine's own schemas; no model class is built. A validator
is made for a field when a body first carries it, and kept, so that one request pays for
its own fields only and thousands of them run at the engine's speed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from vllmctl.catalog.core_schema import field_schema
from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.type_faults import Loc, TypeFault, faults_of, missing_fault, path_text

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator


@dataclass(frozen=True, slots=True)
class TypeCheck:
    """What became of a body: ``value`` with the server's coercions, and what was wrong.

    ``value`` has every key of the body; a field with a fault keeps what was sent. Messages
    are left as they were sent.
    """

    value: dict[str, Any]
    faults: tuple[TypeFault, ...]


def check_types(endpoint: Endpoint, body: Any) -> TypeCheck:
    """Judge types and limits of ``body`` as the server of ``endpoint.target`` would.

    Unknown fields are left alone, and so are rules over several fields.
    """
    return checker(endpoint).check(body)


@cache
def checker(endpoint: Endpoint) -> "TypeChecker":
    """Return the checker of an endpoint, with the validators that it has made so far."""
    return TypeChecker(endpoint)


class TypeChecker:
    """Judges bodies of one endpoint at one release."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._required = tuple(name for name, field in endpoint.fields.items() if field.required)
        self._validators: dict[str, _FieldValidator] = {}

    def check(self, body: Any) -> TypeCheck:
        """Judge one body; see ``check_types``."""
        if not isinstance(body, Mapping):
            return TypeCheck({}, (TypeFault("", "dict_type", "the body must be an object", body),))
        value = dict(body)
        faults = [missing_fault((name,)) for name in self._required if name not in body]
        for name, sent in body.items():
            if name in self._endpoint.fields:
                validator = self._validators.get(name) or self._make(name)
                value[name], found = validator.check(sent)
                faults.extend(found)
        return TypeCheck(value, tuple(faults))

    def _make(self, name: str) -> "_FieldValidator":
        validator = self._validators[name] = _FieldValidator(name, self._endpoint)
        return validator


class _FieldValidator:
    """Judges one field's value."""

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        from pydantic_core import SchemaValidator, ValidationError

        core = field_schema(endpoint.fields[name].schema, endpoint.models)
        self._name = name
        self._validator: SchemaValidator = SchemaValidator(core.schema)  # type: ignore[arg-type]
        self._is_lazy = core.is_lazy
        self._error = ValidationError

    def check(self, sent: Any) -> tuple[Any, list[TypeFault]]:
        """Return the coerced value and what is wrong with it."""
        try:
            value = self._validator.validate_python(sent)
            if not self._is_lazy:
                return value, []
            return sent, self._read_lazily(value)
        except self._error as error:
            return sent, faults_of(error, (self._name,))

    def _read_lazily(self, value: Any) -> list[TypeFault]:
        """Read what the engine checks on reading only, as the server does next."""
        faults: list[TypeFault] = []
        for place, lazy in _lazy_parts(value, (self._name,)):
            try:
                for _ in lazy:
                    pass
            except self._error as error:
                faults += faults_of(error, place)
        return faults


def _lazy_parts(value: Any, place: Loc) -> Iterator[tuple[Loc, Iterator[Any]]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _lazy_parts(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _lazy_parts(inner, (*place, number))
    elif type(value).__name__ == "ValidatorIterator":
        yield place, value


__all__ = ["TypeCheck", "TypeChecker", "TypeFault", "check_types", "checker", "path_text"]
