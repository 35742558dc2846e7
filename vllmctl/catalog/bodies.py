"""The bodies that an endpoint takes: where it takes several, one of them must fit."""

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.target import index
from vllmctl.record import Record


class Body(Record, frozen=True):
    """One of an endpoint's bodies at its release; ``name`` is empty where there is one only."""

    name: str
    fields: frozenset[str]
    required: tuple[str, ...]


def bodies(endpoint: Endpoint) -> tuple[Body, ...]:
    """Return the bodies that an endpoint takes, at least one, in the server's order."""
    names = dict.fromkeys(name for field in endpoint.fields.values() for name in field.variants)
    came = [name for name in names if not _is_yet_to_come(name, endpoint)]
    return tuple(_body(name, endpoint) for name in came) or (_body("", endpoint),)


def _is_yet_to_come(name: str, endpoint: Endpoint) -> bool:
    """A body came with the last of the fields that it requires."""
    engine = endpoint.target.engine
    now = index(endpoint.target.release, engine)
    return any(
        name in field.variants and field.required and index(field.since, engine) > now
        for field in endpoint.absent.values()
    )


def _body(name: str, endpoint: Endpoint) -> Body:
    fields: dict[str, Field] = {
        key: field
        for key, field in endpoint.fields.items()
        if not field.variants or name in field.variants
    }
    required = [key for key, field in fields.items() if field.required and field.place == "body"]
    return Body(name, frozenset(fields), tuple(required))
