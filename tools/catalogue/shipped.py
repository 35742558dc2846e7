"""Reads the catalogue that ships with the project: its files, and its facts at a release."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.catalogue.fact_files import read_facts
from tools.catalogue.facts import EndpointFacts, FieldFacts, ModelFacts, ReleaseFacts
from tools.catalogue.schemas import settled

Json = dict[str, Any]


@dataclass(slots=True)
class Shipped:
    """The data files of one engine."""

    index: Json
    endpoints: dict[str, Json]
    engine: Json

    @property
    def releases(self) -> list[str]:
        """The known releases, oldest first."""
        return list(self.index["releases"])


def read_shipped(folder: Path) -> Shipped:
    """Return the data files in ``folder``.

    Raises:
        ReleaseError: a file is missing or is no JSON.
    """
    index = read_facts(folder / "index.json")
    endpoints = {name: read_facts(folder / f"{name}.json") for name in index["endpoints"]}
    return Shipped(index, endpoints, read_facts(folder / "engine.json"))


class Clock:
    """Tells which facts hold at one release."""

    def __init__(self, releases: list[str], release: str) -> None:
        self._order = {each: place for place, each in enumerate(releases)}
        self._now = self._order[release]

    def reached(self, release: str) -> bool:
        """Whether ``release`` is the present one or older."""
        return self._order[release] <= self._now

    def has(self, facts: Mapping[str, Any]) -> bool:
        """Whether something with ``since`` or ``states``, ``until``, ``ranges``, ``gaps`` is."""
        since = facts["states"][0]["since"] if "states" in facts else facts["since"]
        spans = facts.get("ranges", [[since, facts.get("until")]])
        there = any(self._within(*span) for span in spans)
        return there and not any(self._within(*gap) for gap in facts.get("gaps", ()))

    def _within(self, since: str, until: str | None) -> bool:
        over = until not in (None, "current") and self._order[str(until)] < self._now
        return self.reached(since) and not over

    def policy(self, facts: Mapping[str, Any]) -> str | None:
        """Return what is done with unknown fields; ``None`` where that means nothing."""
        policies = [policy for since, policy in facts["unknown"] if self.reached(since)]
        return policies[-1] if policies else None

    def state(self, facts: Mapping[str, Any]) -> Json:
        """Return what a field is by now: its states' changes, one after the other."""
        state: Json = {}
        for change in facts["states"]:
            if not state or self.reached(change["since"]):
                state |= change
        return state


def facts_at(shipped: Shipped, release: str) -> ReleaseFacts:
    """Return what the catalogue says of ``release``.

    Raises:
        KeyError: the catalogue does not know the release.
    """
    clock = Clock(shipped.releases, release)
    here = {name: facts for name, facts in shipped.endpoints.items() if clock.has(facts)}
    models: dict[str, ModelFacts] = {}
    for facts in here.values():
        models |= _models(facts["models"], clock)
    return ReleaseFacts(
        release,
        {name: _endpoint(name, facts, shipped.index, clock) for name, facts in here.items()},
        models,
        _models(shipped.engine["models"], clock),
    )


def rules_at(shipped: Shipped, release: str) -> dict[str, list[str]]:
    """Return the rules of ``release``, each with the endpoints that it holds for."""
    clock = Clock(shipped.releases, release)
    found: dict[str, list[str]] = {}
    for endpoint, facts in shipped.endpoints.items():
        for name, rule in facts["rules"].items():
            if clock.has(rule) and clock.has(facts):
                found.setdefault(name, []).append(endpoint)
    return found


def _endpoint(name: str, facts: Json, index: Json, clock: Clock) -> EndpointFacts:
    return EndpointFacts(
        name,
        facts["path"],
        facts["method"],
        facts["body"],
        clock.policy(facts),
        _fields(facts["fields"], clock),
        tuple(index["endpoints"][name].get("aliases", ())),
    )


def _models(facts: Json, clock: Clock) -> dict[str, ModelFacts]:
    return {
        name: ModelFacts(name, known["kind"], clock.policy(known), _fields(known["fields"], clock))
        for name, known in facts.items()
        if clock.has(known)
    }


def _fields(facts: Json, clock: Clock) -> dict[str, FieldFacts]:
    return {name: _field(name, known, clock) for name, known in facts.items() if clock.has(known)}


def _field(name: str, known: Json, clock: Clock) -> FieldFacts:
    state = clock.state(known)
    deprecated = known.get("deprecated_since")
    return FieldFacts(
        name,
        settled(state["schema"]),
        required=state.get("required", False),
        default=state.get("default"),
        default_note=state.get("default_note", ""),
        attribute=known.get("attribute"),
        deprecated=deprecated is not None and clock.reached(deprecated),
        place=known.get("in", "body"),
        internal=known.get("internal", False),
        variants=tuple(known.get("variants", ())),
        source=known.get("source", ""),
    )
