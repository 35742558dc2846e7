"""The shapes of the facts: an endpoint, its fields, nested models and rules at one release."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from vllmctl.catalog.target import Target
from vllmctl.record import Record


class Field(NamedTuple):
    """One request field as it was at one release.

    ``schema`` is a JSON-Schema-like dict with the release's types and limits (``nullable``
    beside ``type``); a nested object reads ``{"$ref": "#/models/NAME"}`` and is found in
    ``Endpoint.models``; a type of another library reads ``{"x-external": NAME}``.
    ``since`` is the first release that has the field; ``until`` the last one, or ``None``
    while the newest known has it. ``deprecated_since`` is ``None`` before its deprecation.
    ``effect`` is ``None`` for an ordinary field, else why it has no effect here
    (``ignored``, ``render endpoints only``). ``changes`` lists what changed from release to
    release: ``{"at", "what", "from", "to"}`` with ``what`` one of schema, default, required.
    ``source`` is the file and line in the newest release that has the field.
    ``default_note`` tells of a default that is no value (``random id``); then ``default`` is
    ``None``. ``variants`` names the bodies that have the field, where an endpoint takes
    several and not all do. ``place`` is where the value is sent when not in the body:
    ``path`` or ``query``.
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
    variants: tuple[str, ...] = ()
    place: str = "body"
    default_note: str = ""


class Model(NamedTuple):
    """A nested object's fields at one release.

    ``unknown`` says what the server does with a part that it does not know: ``refused`` or
    ``ignored``. ``absent`` holds the parts that the object has in other releases only.
    """

    name: str
    kind: str
    fields: Mapping[str, Field]
    unknown: str
    description: str = ""
    absent: Mapping[str, Field] = {}


class RuleFact(NamedTuple):
    """What a rule says, as a fact.

    ``kind`` is ``reject``, ``ignore``, ``normalize`` or ``server``; ``check`` is the
    declarative form (see ``vllmctl.rules.expression``), or ``None``. ``status`` is the HTTP
    status of a refusal; ``since`` is empty for a check of vllmctl's own that goes with no
    release; ``source`` lists files and lines of the newest release with the rule.
    """

    id: str
    text: str
    kind: str
    fields: tuple[str, ...]
    check: Any | None
    since: str
    until: str | None
    status: int | None = None
    source: tuple[str, ...] = ()


class Endpoint(Record, eq=False):
    """An endpoint as it was at ``target``.

    ``unknown`` says what the server does with a field it does not know: ``refused`` or
    ``ignored``. ``absent`` holds the fields that the endpoint has in other releases only.
    ``body`` is ``json``, ``form``, ``jsonl`` … or ``None`` for an endpoint without one.
    """

    name: str
    path: str
    target: Target
    unknown: str
    fields: Mapping[str, Field]
    models: Mapping[str, Model]
    absent: Mapping[str, Field]
    rules: Mapping[str, RuleFact]
    method: str = "POST"
    body: str | None = "json"
    description: str = ""
    since: str = ""
    until: str | None = None
    headers: tuple[Mapping[str, Any], ...] = ()
    renames: tuple[Mapping[str, Any], ...] = ()

    def __repr__(self) -> str:
        return f"Endpoint({self.name} of {self.target})"
