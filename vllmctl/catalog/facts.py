"""The shapes of the facts: an endpoint, its fields, nested models and rules at one release."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vllmctl.catalog.target import Target


@dataclass(frozen=True, slots=True)
class Field:
    """One request field as it was at one release.

    ``schema`` is a JSON-Schema-like dict with the release's types and limits; a nested
    object reads ``{"$ref": "#/models/NAME"}`` and is found in ``Endpoint.models``.
    ``until`` is the last release that has the field, or ``None`` while it is current.
    ``effect`` is ``None`` for an ordinary field, else why it has no effect here
    (``ignored``, ``render endpoints only``).
    """

    name: str
    schema: Mapping[str, Any]
    required: bool
    default: Any
    nullable: bool
    description: str
    since: str
    until: str | None
    deprecated_since: str | None
    effect: str | None
    changes: tuple[Mapping[str, Any], ...]
    source: str


@dataclass(frozen=True, slots=True)
class Model:
    """A nested object's fields; ``unknown`` is ``refused`` or ``ignored``."""

    name: str
    kind: str
    fields: Mapping[str, Field]
    unknown: str


@dataclass(frozen=True, slots=True)
class RuleFact:
    """What a rule says, as a fact.

    ``kind`` is ``reject``, ``ignore``, ``normalize`` or ``server``; ``check`` is the
    declarative form (see ``vllmctl.rules.expression``), or ``None``.
    """

    id: str
    text: str
    kind: str
    fields: tuple[str, ...]
    check: Any | None
    since: str
    until: str | None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint as it was at ``target``.

    ``unknown`` says what the server does with a field it does not know: ``refused`` or
    ``ignored``. ``absent`` holds the fields that the endpoint has in other releases only.
    """

    name: str
    path: str
    target: Target
    unknown: str
    fields: Mapping[str, Field]
    models: Mapping[str, Model]
    absent: Mapping[str, Field]
    rules: Mapping[str, RuleFact]
