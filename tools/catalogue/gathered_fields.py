"""Rebuilds what a field was, release by release, from the gathered catalogue.

That holds the newest facts in full, and before them what each change took away.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tools.catalogue.corrections import LimitCorrection
from tools.catalogue.facts import Schema
from tools.catalogue.schemas import settled
from tools.catalogue.type_texts import Names, parse_type, with_limits

Json = dict[str, Any]
History = list[tuple[str, Json]]
"""From which release on a field was what: schema, default, whether it is required."""

_NOT_A_VALUE = re.compile(r"random id|Literal\[|RequestOutputKind\.")
"""A default that the server makes up, or that is no JSON value."""


class Histories:
    """Rebuilds the histories of one engine's fields."""

    def __init__(
        self, names: Names, releases: Iterable[str], corrections: Sequence[LimitCorrection]
    ) -> None:
        self._names = names
        self._order = {release: place for place, release in enumerate(releases)}
        self._corrections = corrections

    def states(self, name: str, facts: Json, endpoint: str = "") -> list[Json]:
        """Return what a field was; later states hold the changes only."""
        history = self._history(facts)
        for correction in self._corrections:
            if correction.field == name and correction.endpoint in ("", endpoint):
                history = self._corrected(history, correction)
        return list(_changes(history))

    def schemas(self, facts: Json) -> list[Schema]:
        """Return the schemas that a field had."""
        return [state["schema"] for _, state in self._history(facts)]

    def _history(self, facts: Json) -> History:
        """Walk back from the newest state through the changes."""
        changes: dict[str, Json] = {}
        for change in facts.get("changes", ()):
            changes.setdefault(change["at"], {})[change["what"]] = change["from"]
        known: Json = {
            "type": _newest_type(facts),
            "limits": facts.get("limits", {}),
            "default": "required" if facts.get("required") else facts.get("default"),
        }
        newest, history = dict(known), []
        for at, before in reversed(changes.items()):
            history.append((at, self._state(known, newest, facts)))
            known = {**known, **before}
        history.append((facts["since"], self._state(known, newest, facts)))
        return history[::-1]

    def _state(self, known: Json, newest: Json, facts: Json) -> Json:
        required = known["default"] == "required"
        default = None if required else _first_body(known["default"])
        note = default if isinstance(default, str) and _NOT_A_VALUE.match(default) else ""
        return {
            "schema": settled(self._schema(known, newest, facts)),
            "required": required,
            "default": None if note else default,
            "default_note": note,
        }

    def _schema(self, known: Json, newest: Json, facts: Json) -> Schema:
        """The schema in full where the texts say the same as those of the newest state."""
        schema: Schema | None = facts.get("schema") if newest["type"] == facts["type"] else None
        if schema is None or known["type"] != newest["type"]:
            return with_limits(parse_type(known["type"], self._names), _first_body(known["limits"]))
        if known["limits"] != newest["limits"]:
            return with_limits(schema, _first_body(known["limits"]))
        return schema

    def _corrected(self, history: History, correction: LimitCorrection) -> History:
        """Put a correction in, from its release on."""
        first = max(correction.since, history[0][0], key=self._order.__getitem__)
        before = [(at, state) for at, state in history if self._order[at] < self._order[first]]
        after = [(at, state) for at, state in history if self._order[at] > self._order[first]]
        now = [state for at, state in history if self._order[at] <= self._order[first]][-1]
        return before + [
            (at, {**state, "schema": correction.applied(state["schema"])})
            for at, state in [(first, now), *after]
        ]


def _newest_type(facts: Json) -> str:
    """The type, or those of an endpoint's bodies one beside the other where they differ."""
    types = dict.fromkeys(body["type"] for body in facts.get("by_variant", {}).values())
    return " / ".join(types) if len(types) > 1 else facts["type"]


def _first_body(value: Any) -> Any:
    """What differs between an endpoint's bodies is joined with `` / ``; take the first."""
    if isinstance(value, str) and " / " in value:
        return json.loads(value.split(" / ")[0])
    return value


def _changes(history: History) -> Iterator[Json]:
    previous: Json = {"required": False, "default_note": ""}
    for at, state in history:
        changed = {k: v for k, v in state.items() if k not in previous or previous[k] != v}
        if changed:
            yield {"since": at, **changed}
        previous = state
