"""Where the catalogue's endpoints are found: its index, read the other way round."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tools.catalogue.guide import guide


class Place(NamedTuple):
    """An endpoint's path and method, and the other paths that lead to it."""

    name: str
    path: str
    method: str
    aliases: tuple[str, ...]


class Places:
    """Names routes as the catalogue does."""

    def __init__(self, index: Mapping[str, Any]) -> None:
        self.all = [
            Place(name, facts["path"], facts["method"], tuple(facts.get("aliases", ())))
            for name, facts in index["endpoints"].items()
        ]

    def of(self, method: str, path: str, handler: str) -> Place | None:
        """Return the endpoint that a route leads to, or ``None`` for an unknown route."""
        found = [
            place
            for place in self.all
            if place.method == method and path in (place.path, *place.aliases)
        ]
        handlers = guide().handlers
        named = [place for place in found if handlers.get(place.name) == handler]
        unnamed = [place for place in found if place.name not in handlers]
        return next(iter([*named, *unnamed]), None)
