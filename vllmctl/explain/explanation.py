"""The shape of an answer of ``vllmctl explain``; how it reads as text is elsewhere."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from vllmctl.catalog.facts import RuleFact
from vllmctl.catalog.target import Target
from vllmctl.record import Record, field


class Kind(StrEnum):
    """What a name is."""

    FIELD = "field"
    REMOVED = "removed field"
    LATER = "field of a later release"
    ENGINE = "member of the engine's parameters"
    CLASS = "class of the engine"
    RULE = "rule"
    FINDING = "finding of vllmctl lint"
    ENDPOINT = "endpoint"
    OPTION = "option of vllmctl"
    SETTING = "setting of a profile"
    HEADER = "request header"
    GENERATION_KEY = "generation_config.json key"
    ELSEWHERE = "name from elsewhere"


class Place(Record, frozen=True):
    """A field as one endpoint takes it.

    ``is_here`` is whether the release in question has it; ``default`` says in words what
    holds when it is not sent. ``schema`` is the catalogue's.
    """

    endpoint: str
    url: str
    is_here: bool
    since: str
    until: str | None
    type: str
    limits: tuple[str, ...]
    default: str
    required: bool
    schema: Mapping[str, Any]
    deprecated_since: str | None = None
    effect: str | None = None
    where: str = "body"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "endpoint": self.endpoint,
            "url": self.url,
            "is_here": self.is_here,
            "since": self.since or None,
            "until": self.until,
            "type": self.type,
            "limits": list(self.limits),
            "default": self.default,
            "required": self.required,
            "schema": self.schema,
            "deprecated_since": self.deprecated_since,
            "effect": self.effect,
            "in": self.where,
        }


class Ruling(Record, frozen=True):
    """A rule and the endpoints on which it holds."""

    fact: RuleFact
    endpoints: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        fact = self.fact
        return {
            "id": fact.id,
            "kind": fact.kind,
            "text": fact.text,
            "fields": list(fact.fields),
            "endpoints": list(self.endpoints),
            "since": fact.since or None,
            "until": fact.until,
            "status": fact.status,
        }


class Event(Record, frozen=True):
    """What changed with a release."""

    release: str
    text: str


class Explanation(Record):
    """All that is known of a name.

    ``verdict`` is the one sentence that matters: whether it can be sent, and where;
    ``sendable`` the same as a flag. ``decided_by`` lists who decides on the value, first
    who comes first. ``flag``, ``profile``, ``instead`` and ``example`` are empty where there
    is none. ``disagreements`` tell where documents say something else than the server does.
    """

    name: str
    kind: Kind
    target: Target
    verdict: str
    sendable: bool
    meaning: list[str] = field(factory=list)
    places: list[Place] = field(factory=list)
    decided_by: list[str] = field(factory=list)
    flag: str = ""
    profile: str = ""
    instead: str = ""
    rules: list[Ruling] = field(factory=list)
    history: list[Event] = field(factory=list)
    related: list[str] = field(factory=list)
    example: str = ""
    disagreements: list[str] = field(factory=list)
    notes: list[str] = field(factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form that ``explain --format json`` prints."""
        return {
            "name": self.name,
            "kind": self.kind.value,
            "target": str(self.target),
            "verdict": self.verdict,
            "sendable": self.sendable,
            "meaning": self.meaning,
            "endpoints": [place.as_dict() for place in self.places],
            "decided_by": self.decided_by,
            "flag": self.flag or None,
            "profile": self.profile or None,
            "instead": self.instead or None,
            "rules": [ruling.as_dict() for ruling in self.rules],
            "history": [{"release": e.release, "what": e.text} for e in self.history],
            "related": self.related,
            "example": self.example or None,
            "disagreements": self.disagreements,
            "notes": self.notes,
        }
