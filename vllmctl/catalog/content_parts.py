"""The shapes of a message's content parts, by their ``type``.

pydantic's own words about a part that no shape fits speak of all shapes. These validators
know which one was meant.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import SchemaValidator

from vllmctl.catalog.core_schema import field_schema, flat
from vllmctl.catalog.facts import Model
from vllmctl.catalog.files import read_external
from vllmctl.catalog.type_faults import Loc, TypeFault
from vllmctl.catalog.validators import judge, make_validator

_MESSAGE = "CustomChatCompletionMessageParam"
_TEXT_PARTS: Mapping[str, Any] = {"x-external": "openai.types.chat.ChatCompletionContentPartParam"}


class ContentParts:
    """Judges single parts of messages at one release."""

    def __init__(self, models: Mapping[str, Model], unknown: str) -> None:
        self._models = models
        self._unknown = unknown
        self._shapes = {kind: shape for shape in self._every() for kind in self._kinds_of(shape)}
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

    def _every(self) -> Iterator[Mapping[str, Any]]:
        """Yield the shapes that the release's messages take."""
        yield from flat(_TEXT_PARTS)
        message = self._models.get(_MESSAGE)
        content = message.fields["content"].schema if message else {}
        for option in content.get("anyOf", ()):
            for part in option.get("items", {}).get("anyOf", ()):
                yield from flat(part)

    def _kinds_of(self, shape: Mapping[str, Any]) -> list[str]:
        if "$ref" in shape:
            model = self._models.get(shape["$ref"].removeprefix("#/models/"))
            field = model.fields.get("type") if model else None
            return list(field.schema.get("enum", ())) if field else []
        known = read_external()["shapes"].get(shape.get("x-external"), {})
        return list(known.get("properties", {}).get("type", {}).get("enum", ()))
