"""What a removed or renamed field became."""

from collections.abc import Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.target import index
from vllmctl.record import Record


class Replacement(Record, frozen=True):
    """Where a field went.

    ``to`` is the dotted path that takes the value now, or ``None`` when nothing does.
    ``how`` is ``move`` (the value goes to ``to``), ``alias`` (both work), ``value`` (``old``
    and ``to`` read ``top_k: -1``: a value has another spelling) or ``drop``. ``since`` is the
    first release that has the new form (or lacks the old one, for ``drop``); ``gone_since``
    the first that lacks the old one, or ``None`` while it works.
    """

    name: str
    to: str | None
    how: str
    since: str | None
    gone_since: str | None
    deprecated_since: str | None
    note: str = ""


def replacement(endpoint: Endpoint, name: str) -> Replacement | None:
    """Return what to send instead of ``name`` at the endpoint's release, or ``None``.

    Both ways: the new form of a retired field, and the old form of a field that the
    release does not have yet (``structured_outputs.json`` before 0.11.0).
    """
    for fact in endpoint.renames:
        if fact["how"] == "value":
            continue
        if fact["from"] == name and _has_new(endpoint, fact):
            return _replacement(name, fact["to"], fact)
        if fact["to"] == name and not _has_new(endpoint, fact) and _has_old(endpoint, fact):
            return _replacement(name, fact["from"], fact)
    return None


def renamed(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the fields whose new name is known, or that nothing took the place of."""
    names = (str(fact["from"]) for fact in endpoint.renames if fact["how"] != "value")
    return tuple(name for name in names if "." not in name)


def _replacement(name: str, to: str | None, fact: Mapping[str, Any]) -> Replacement:
    gone = fact.get("gone_since")
    return Replacement(
        name=name,
        to=to,
        how=fact["how"],
        since=fact.get("new_since", gone),
        gone_since=gone,
        deprecated_since=fact.get("deprecated_since"),
        note=fact.get("note", ""),
    )


def _has_new(endpoint: Endpoint, fact: Mapping[str, Any]) -> bool:
    return _reached(endpoint, fact.get("new_since", fact.get("gone_since")))


def _has_old(endpoint: Endpoint, fact: Mapping[str, Any]) -> bool:
    return _reached(endpoint, fact["old_since"]) and not _reached(endpoint, fact.get("gone_since"))


def _reached(endpoint: Endpoint, release: str | None) -> bool:
    engine = endpoint.target.engine
    return release is not None and index(release, engine) <= index(endpoint.target.release, engine)
