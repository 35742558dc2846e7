"""Checks a body for an endpoint at a release: names, types, then the rules over fields."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from vllmctl.catalog.facts import Endpoint, RuleFact
from vllmctl.catalog.schema import TypeCheck, checker
from vllmctl.rules.case import Case, searches_beams
from vllmctl.rules.declared import declared, fires_on_nothing
from vllmctl.rules.finding import Finding, Level
from vllmctl.rules.names import NameCheck
from vllmctl.rules.registry import Function, function_of, own_rules
from vllmctl.rules.stages import is_before_types, is_skipped_by_beam
from vllmctl.rules.types import type_findings

LEVELS = {
    "reject": Level.ERROR,
    "ignore": Level.IGNORED,
    "normalize": Level.WARNING,
    "server": Level.NOTE,
}


def check(body: Mapping[str, Any], endpoint: Endpoint) -> list[Finding]:
    """Return what the author of ``body`` should know, in a fixed order: names, types, rules."""
    return prepared(endpoint).check(body)


@cache
def prepared(endpoint: Endpoint) -> "Checker":
    """Return the checker of an endpoint, made once."""
    return Checker(endpoint)


class _Active(NamedTuple):
    """A rule that holds for the endpoint; ``place`` keeps the order."""

    place: int
    fact: RuleFact
    function: Function
    names: frozenset[str]
    before_types: bool


class Checker:
    """Checks many bodies of one endpoint at one release; prepared once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._types = checker(endpoint)
        self._names = NameCheck(endpoint)
        self._always: list[_Active] = []
        self._by_field: dict[str, list[_Active]] = {}
        for rule in _active_rules(endpoint):
            self._file(rule)

    def check(self, body: Any) -> list[Finding]:
        """Return the findings of one body."""
        types = self._types.check(body)
        if not isinstance(body, Mapping):
            return list(type_findings(types.faults, self._endpoint))
        return _apart(
            [
                *self._names.findings(body),
                *type_findings(types.faults, self._endpoint),
                *self._of_rules(body, types),
            ]
        )

    def _file(self, rule: _Active) -> None:
        if not rule.names or fires_on_nothing(rule.fact):
            self._always.append(rule)
            return
        for name in rule.names:
            self._by_field.setdefault(name, []).append(rule)

    def _of_rules(self, body: Mapping[str, Any], types: TypeCheck) -> Iterator[Finding]:
        fields = self._endpoint.fields
        known = {name: value for name, value in body.items() if name in fields}
        read = {name: types.value[name] for name in known}
        faulty = frozenset(map(_top, (fault.path for fault in types.faults)))
        case = Case(self._endpoint, known, read, faulty)
        for rule in self._candidates(known):
            if rule.before_types or faulty.isdisjoint(rule.names):
                for fault in rule.function(case):
                    level = fault.level or LEVELS[rule.fact.kind]
                    yield Finding(level, rule.fact.id, fault.path, fault.message, fault.fix)

    def _candidates(self, known: Iterable[str]) -> list[_Active]:
        found = {rule.place: rule for rule in self._always}
        for name in known:
            found.update((rule.place, rule) for rule in self._by_field.get(name, ()))
        return [found[place] for place in sorted(found)]


def _active_rules(endpoint: Endpoint) -> Iterator[_Active]:
    """The rules of the endpoint that have logic, the catalogue's first."""
    for place, fact in enumerate((*endpoint.rules.values(), *own_rules(endpoint))):
        before = is_before_types(fact.id)
        function = function_of(fact.id)
        if function is None and fact.check is not None:
            function = declared(fact, before_types=before)
        if function is not None:
            names = frozenset(map(_top, fact.fields))
            yield _Active(place, fact, _guarded(fact.id, function), names, before)


def _guarded(rule: str, function: Function) -> Function:
    """Beam search asks for no sampling parameters, so their rules are silent then."""
    if not is_skipped_by_beam(rule):
        return function
    return lambda case: () if searches_beams(case) else function(case)


def _top(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _apart(findings: list[Finding]) -> list[Finding]:
    """Leave one error a place: what else is said there is the same fault seen again."""
    wrong = set()
    kept = []
    for finding in findings:
        if finding.path not in wrong:
            kept.append(finding)
        if finding.level is Level.ERROR:
            wrong.add(finding.path)
    return kept
