"""The shapes of a message's content parts, by their ``type``.

pydantic's own words about a part that no shape fits speak of all shapes. These validators
know which one was meant.
"""

from collections.abc import Mapping
from typing import Any

from pydantic_core import SchemaValidator

from vllmctl.catalog.core_schema import field_schema
from vllmctl.catalog.facts import Model
from vllmctl.catalog.part_keys import part_shapes, properties_of
from vllmctl.catalog.type_faults import Loc, TypeFault
from vllmctl.catalog.validators import judge, make_validator


class ContentParts:
    """Judges single parts of messages at one release."""

    def __init__(self, models: Mapping[str, Model], unknown: str) -> None:
        self._models = models
        self._unknown = unknown
        self._shapes = {
            kind: shape for shape in part_shapes(models) for kind in self._kinds_of(shape)
        }
        self._validators: dict[str, SchemaValidator] = {}

    def faults(self, part: Any, place: Loc) -> list[TypeFault]:
        """Return what is wrong with a part of a known type; nothing for all others."""
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str) or kind not in self._shapes:
            return []
        return judge(self._validator(kind), part, place)[1]

    def _validator(self, kind: str) -> SchemaValidator:
        if kind not in self._validators:
            core = field_schema(self._shapes[kind], self._models, self._unknown)
            self._validators[kind] = make_validator(core)
        return self._validators[kind]

    def _kinds_of(self, shape: Mapping[str, Any]) -> list[str]:
        return list(properties_of(shape, self._models).get("type", {}).get("enum", ()))
