"""Every place in a body that has a name, inside unions, lists and foreign types too."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.files import read_external
from vllmctl.catalog.target import version_key
from vllmctl.explain.wording import branches

_INDEX = re.compile(r"\[[^\]]*\]")
_MODEL_PREFIX = "#/models/"


class Spot(NamedTuple):
    """A place: ``path`` reads ``tools[].function.name``; ``is_here`` is whether the
    release in question has it."""

    path: str
    field: Field
    is_here: bool

    @property
    def leaf(self) -> str:
        """The last name of the path."""
        return self.path.rpartition(".")[2].removesuffix("[]")


@cache
def spots(of: Endpoint) -> Mapping[str, Spot]:
    """Return the places of an endpoint's body by plain path (``tools.function.name``).

    Those that other releases have are among them, as far as their parent is there. Where
    several shapes share a name, the place takes what any of them takes.
    """
    found: dict[str, Spot] = {}
    for spot in _all(of):
        key = plain(spot.path)
        found[key] = _merged(found[key], spot) if key in found else spot
    return found


def plain(path: str) -> str:
    """Return a path without its brackets: ``messages[0].role`` is ``messages.role``."""
    return _INDEX.sub("", path)


def _all(of: Endpoint) -> Iterator[Spot]:
    walker = _Walker(of)
    for is_here, fields in ((True, of.fields), (False, of.absent)):
        for name, field in fields.items():
            yield Spot(name, field, is_here)
            yield from walker.inside(name, field.schema, is_here, ())


class _Walker:
    def __init__(self, of: Endpoint) -> None:
        self._models = of.models

    def inside(
        self, prefix: str, schema: Mapping[str, Any], is_here: bool, seen: tuple[str, ...]
    ) -> Iterator[Spot]:
        """Yield the places below ``prefix``; ``seen`` are the shapes on the way to it."""
        for branch in branches(schema):
            if branch.get("type") == "array":
                yield from self.inside(f"{prefix}[]", branch.get("items", {}), is_here, seen)
            name = branch.get("$ref", branch.get("x-external", "")).removeprefix(_MODEL_PREFIX)
            if name in seen:
                continue
            if name in self._models:
                yield from self._model(prefix, name, is_here, (*seen, name))
            elif name:
                shape = read_external()["shapes"].get(name, {})
                yield from self.inside(prefix, shape, is_here, (*seen, name))
            yield from self._properties(prefix, branch, is_here, seen)

    def _model(
        self, prefix: str, name: str, is_here: bool, seen: tuple[str, ...]
    ) -> Iterator[Spot]:
        model = self._models[name]
        for there, fields in ((is_here, model.fields), (False, model.absent)):
            for inner, field in fields.items():
                path = f"{prefix}.{inner}"
                yield Spot(path, field, there)
                yield from self.inside(path, field.schema, there, seen)

    def _properties(
        self, prefix: str, schema: Mapping[str, Any], is_here: bool, seen: tuple[str, ...]
    ) -> Iterator[Spot]:
        for name, inner in schema.get("properties", {}).items():
            path = f"{prefix}.{name}"
            yield Spot(path, _field(name, inner, name in schema.get("required", ())), is_here)
            yield from self.inside(path, inner, is_here, seen)


def _field(name: str, schema: Mapping[str, Any], required: bool) -> Field:
    """A field of a foreign type, of whose releases nothing is known."""
    nullable = bool(schema.get("nullable"))
    return Field(name, schema, required, None, nullable, "", "", None, None, None, (), "")


def _merged(one: Spot, other: Spot) -> Spot:
    if one.is_here != other.is_here:
        return one if one.is_here else other
    if one.field.schema == other.field.schema:
        schema = one.field.schema
    else:
        schema = {"anyOf": list(_distinct(one.field.schema, other.field.schema))}
    first, second = one.field, other.field
    field = first._replace(
        schema=schema,
        description=first.description or second.description,
        required=first.required and second.required,
        since=_earlier(first.since, second.since),
    )
    return Spot(one.path, field, one.is_here)


def _earlier(one: str, other: str) -> str:
    """The earlier of two releases; a foreign type has none."""
    if not one or not other:
        return one or other
    return one if (version_key(one) or ()) <= (version_key(other) or ()) else other


def _distinct(*schemas: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    seen: list[Mapping[str, Any]] = []
    for schema in schemas:
        for branch in branches(schema):
            if branch not in seen:
                seen.append(branch)
                yield branch
