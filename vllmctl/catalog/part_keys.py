"""The keys of messages' content parts at a release, and which other releases have."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from vllmctl.catalog.core_schema import flat
from vllmctl.catalog.facts import Endpoint, Model
from vllmctl.catalog.files import read_external

_MESSAGE = "CustomChatCompletionMessageParam"
_TEXT_PARTS: Mapping[str, Any] = {"x-external": "openai.types.chat.ChatCompletionContentPartParam"}


class PartKeys(NamedTuple):
    """The keys that some type of part has at a release.

    ``inside`` holds those of the objects under a key; ``elsewhere`` are keys of other
    releases, with the first of them.
    """

    keys: frozenset[str]
    inside: Mapping[str, frozenset[str]]
    elsewhere: Mapping[str, str]


@cache
def part_keys(endpoint: Endpoint) -> PartKeys:
    """Return the keys of parts of messages at the endpoint's release."""
    models = endpoint.models
    schemas: dict[str, list[Mapping[str, Any]]] = {}
    elsewhere: dict[str, str] = {}
    for shape in part_shapes(models):
        for key, schema in properties_of(shape, models).items():
            schemas.setdefault(key, []).append(schema)
        model = _model(shape, models)
        if model is not None:
            elsewhere |= {key: field.since for key, field in model.absent.items()}
    inside = {key: _inside(found, models) for key, found in schemas.items()}
    known = {key: names for key, names in inside.items() if names is not None}
    return PartKeys(frozenset(schemas), known, elsewhere)


def _inside(
    schemas: Iterable[Mapping[str, Any]], models: Mapping[str, Model]
) -> frozenset[str] | None:
    """The names in the objects that ``schemas`` take, ``None`` where there may be any."""
    names: set[str] = set()
    for schema in schemas:
        for option in schema.get("anyOf", (schema,)):
            found = [properties_of(shape, models) for shape in flat(option)]
            if option.get("type") == "object" and not any(found):
                return None
            names.update(*found)
    return frozenset(names) or None


def part_shapes(models: Mapping[str, Model]) -> Iterator[Mapping[str, Any]]:
    """Yield the shapes of parts that the release's messages take."""
    yield from flat(_TEXT_PARTS)
    message = models.get(_MESSAGE)
    content = message.fields["content"].schema if message else {}
    for option in content.get("anyOf", ()):
        for part in option.get("items", {}).get("anyOf", ()):
            yield from flat(part)


def properties_of(shape: Mapping[str, Any], models: Mapping[str, Model]) -> Mapping[str, Any]:
    """Return the keys of an object's shape with their schemas."""
    model = _model(shape, models)
    if model is not None:
        return {name: field.schema for name, field in model.fields.items()}
    external = read_external()["shapes"].get(shape.get("x-external"), shape)
    return dict(external.get("properties", {}))


def _model(shape: Mapping[str, Any], models: Mapping[str, Model]) -> Model | None:
    return models.get(str(shape.get("$ref", "")).removeprefix("#/models/"))
