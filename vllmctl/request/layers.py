"""Merging layers of values, lowest first, while each value keeps its source."""

import re
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.fields.kinds import Form, kind_of
from vllmctl.request.origin import Layer, Origin
from vllmctl.request.paths import get, put, remove


class Merge:
    """A body that grows layer by layer.

    Fields that are maps (``chat_template_kwargs``) or have named parts (``stream_options``)
    merge key by key; every other value replaces the one below it. ``origins`` maps the path
    of each value to its source.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.body: dict[str, Any] = {}
        self.origins: dict[str, Origin] = {}
        self.endpoint = endpoint

    def add(self, layer: Layer) -> None:
        """Put ``layer`` over what is there."""
        for key, value in layer.values.items():
            origin = layer.origins.get(key) or _any_origin(layer, key)
            self.put(key, value, origin, layer.origins)

    def put(
        self, key: str, value: Any, origin: Origin, origins: dict[str, Origin] | None = None
    ) -> None:
        """Set the top-level field ``key``, merging key by key where the field is a map."""
        below = self.body.get(key)
        if isinstance(value, dict) and isinstance(below, dict) and self._merges(key):
            for name, part in value.items():
                path = f"{key}.{name}"
                below[name] = _copied(part)
                self._own(path, (origins or {}).get(path, origin))
            return
        self.body[key] = _copied(value)
        self._own(key, origin)
        for path, source in (origins or {}).items():
            if path.startswith(key + "."):
                self.origins[path] = source

    def put_path(self, path: str, value: Any, origin: Origin) -> None:
        """Set a dotted path."""
        if "." not in path:
            self.put(path, value, origin)
            return
        put(self.body, path, _copied(value))
        self._own(path, origin)

    def unset(self, path: str) -> bool:
        """Take ``path`` away; say whether it was there."""
        self._forget(path)
        return remove(self.body, path)

    def _merges(self, key: str) -> bool:
        field = self.endpoint.fields.get(key) or self.endpoint.absent.get(key)
        return field is None or kind_of(field.schema).form is Form.MAP

    def _own(self, path: str, origin: Origin) -> None:
        self._forget(path)
        self.origins[path] = origin

    def _forget(self, path: str) -> None:
        parts = (path + ".", path + "[")
        for known in [p for p in self.origins if p == path or p.startswith(parts)]:
            del self.origins[known]


def told_origins(body: dict[str, Any], origins: dict[str, Origin]) -> dict[str, Origin]:
    """Return ``origins`` without those of wholes whose every part has its own."""

    def is_whole(path: str) -> bool:
        value = get(body, path)
        parts = list(value) if isinstance(value, dict) else []
        return bool(parts) and all(f"{path}.{key}" in origins for key in parts)

    return {path: origin for path, origin in origins.items() if not is_whole(path)}


def origin_of(path: str, origins: dict[str, Origin]) -> Origin | None:
    """Return where the value at the JSON path ``path`` came from.

    A part of a value has the value's own origin; a whole has its first part's.
    """
    whole = re.sub(r"\[[^]]*\]", "", path)
    by_key = re.sub(r'\["([^]]*)"\]', r".\1", path)
    for candidate in (path, by_key, *_parents(path), whole, *_parents(whole)):
        if candidate in origins:
            return origins[candidate]
    return next((o for p, o in origins.items() if p.startswith((whole + ".", whole + "["))), None)


def _copied(value: Any) -> Any:
    """Copy JSON; ``copy.deepcopy`` knows more than that and takes longer to import."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _parents(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]


def _any_origin(layer: Layer, key: str) -> Origin:
    return next(
        (origin for path, origin in layer.origins.items() if path.startswith(key + ".")),
        Origin("body", "the body"),
    )
