"""What one release of vLLM has: endpoints, fields, nested models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]

MODEL_PREFIX = "#/models/"


@dataclass(slots=True)
class FieldFacts:
    """One field of a body, a model, a query or a path.

    ``name`` is the name in the request, ``attribute`` the one in the source where that
    differs. ``schema`` is ``None`` when a handler reads the value by hand: then its type,
    its default and whether it must be given cannot be read from the source.
    ``default_note`` stands for a default that is no JSON value (``random id``).
    ``variants`` names the bodies of an endpoint that have the field, when not all have it.
    """

    name: str
    schema: Schema | None
    required: bool = False
    default: Any = None
    default_note: str = ""
    attribute: str | None = None
    deprecated: bool = False
    place: str = "body"
    internal: bool = False
    variants: tuple[str, ...] = ()
    source: str = ""


@dataclass(slots=True)
class ModelFacts:
    """A nested object or one of the engine's parameter classes.

    ``unknown`` is ``refused``, ``ignored``, or ``None`` for a typed dictionary, which does as
    the body does that it is in.
    """

    name: str
    kind: str
    unknown: str | None
    fields: dict[str, FieldFacts]


@dataclass(slots=True)
class EndpointFacts:
    """An endpoint; ``unknown`` is ``refused``, ``ignored``, or ``None`` without a body model.

    ``classes`` names the classes whose checks only bodies with these classes pass: the
    body's own, its ancestors, and those nested in it, without the engine's.
    """

    name: str
    path: str
    method: str
    body: str | None
    unknown: str | None
    fields: dict[str, FieldFacts]
    aliases: tuple[str, ...] = ()
    classes: frozenset[str] = frozenset()


@dataclass(slots=True)
class ReleaseFacts:
    """Everything of one release that the catalogue keeps, but for the rules.

    ``models`` holds every nested model by name, ``engine`` the engine's own parameter
    classes; ``uncharted`` the routes (``POST /v1/new``) that the catalogue does not know.
    """

    release: str
    endpoints: dict[str, EndpointFacts]
    models: dict[str, ModelFacts]
    engine: dict[str, ModelFacts]
    uncharted: tuple[str, ...] = ()

    @property
    def body_classes(self) -> frozenset[str]:
        """The classes of all endpoints' bodies."""
        return frozenset(name for each in self.endpoints.values() for name in each.classes)


def references(schema: Any) -> list[str]:
    """Return the names of the models that a schema refers to, in order."""
    if isinstance(schema, Mapping):
        own = [schema["$ref"].removeprefix(MODEL_PREFIX)] if "$ref" in schema else []
        return own + [name for value in schema.values() for name in references(value)]
    if isinstance(schema, list):
        return [name for item in schema for name in references(item)]
    return []


def reachable(fields: Mapping[str, FieldFacts], models: Mapping[str, ModelFacts]) -> list[str]:
    """Return the names of the models that fields lead to, however deep, in order of finding."""
    found: dict[str, None] = {}
    waiting = list(fields.values())
    while waiting:
        for name in references(waiting.pop(0).schema):
            if name in models and name not in found:
                found[name] = None
                waiting += models[name].fields.values()
    return list(found)
