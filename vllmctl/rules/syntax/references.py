"""What ``$ref`` leads to, as llguidance finds it: nothing outside of the schema."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from vllmctl.rules.syntax.json_schema import RefusalError

_ONE = (
    *("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
_SEVERAL = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_URI = re.compile(r"(?:[\w.~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*", re.ASCII)
_META = re.compile(r"https?://json-schema\.org/")
_ANCHORS = ("$anchor", "$dynamicAnchor")


class References:
    """The references of one schema."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def refuse_foreign(self) -> None:
        """Raise ``RefusalError`` for a reference that leads out, wherever it stands.

        Names that ``$id`` gives are not looked at: beside one, all of them may lead somewhere.
        """
        if any(isinstance(part.get("$id"), str) for part in self._parts):
            return
        for part in self._parts:
            for key in ("$ref", "$schema"):
                given = part.get(key)
                if isinstance(given, str) and _is_foreign(given):
                    raise RefusalError(f"{key} {given} leads out of the schema")

    def target(self, reference: str) -> Any:
        """Return what a reference leads to; anything, where that is beside an ``$id``."""
        if not _URI.fullmatch(reference):
            raise RefusalError(f"$ref {reference} is no URI")
        base, _, fragment = reference.partition("#")
        if base:
            return True
        if not fragment or fragment.startswith("/"):
            return self._at(reference, fragment)
        for part in self._parts:
            if fragment in (part.get(key) for key in _ANCHORS):
                return part
        raise RefusalError(f"$ref {reference} leads nowhere: there is no such $anchor")

    def _at(self, reference: str, pointer: str) -> Any:
        from urllib.parse import unquote

        found = self._root
        for part in pointer.split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and key in found:
                found = found[key]
            elif isinstance(found, list) and key.isdecimal() and int(key[-9:]) < len(found):
                found = found[int(key[-9:])]
            else:
                raise RefusalError(f"$ref {reference} leads nowhere")
        return found

    @cached_property
    def _parts(self) -> list[Mapping[str, Any]]:
        """All schemas within the schema, and itself."""
        found = [self._root]
        for part in found:
            found += _children(part) if isinstance(part, dict) else ()
        return [part for part in found if isinstance(part, dict)]


def _children(schema: Mapping[str, Any]) -> Iterator[Any]:
    for key, value in schema.items():
        if key in _ONE:
            yield value
        elif key in _SEVERAL and isinstance(value, list):
            yield from value
        elif key in _NAMED and isinstance(value, dict):
            yield from value.values()


def _is_foreign(reference: str) -> bool:
    return bool(reference) and not reference.startswith("#") and not _META.match(reference)
