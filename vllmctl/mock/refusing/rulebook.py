"""The rules of an endpoint, asked one by one in the server's own order."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from vllmctl.catalog.facts import Endpoint, RuleFact
from vllmctl.rules.case import Case, Fault, searches_beams
from vllmctl.rules.check import LEVELS
from vllmctl.rules.declared import declared
from vllmctl.rules.finding import Level
from vllmctl.rules.registry import Function, function_of, own_rules
from vllmctl.rules.stages import is_before_types, is_skipped_by_beam


class Broken(NamedTuple):
    """A rule that a request breaks."""

    rule: str
    fault: Fault


@cache
def rulebook(endpoint: Endpoint) -> "Rulebook":
    """Return the rules of an endpoint, made once."""
    return Rulebook(endpoint)


class Rulebook:
    """Those rules of one endpoint at one release that can refuse a request."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._rules = {fact.id: (fact, function) for fact, function in _refusing(endpoint)}

    def broken(
        self, order: Iterable[str], sent: Mapping[str, Any], value: Mapping[str, Any] | None = None
    ) -> Iterator[Broken]:
        """Yield the broken rules among those named, in that order.

        ``value`` is the body as coerced, or ``None`` before types are looked at. A rule over
        a field that ``value`` has not is passed over when the body sent it: its type is wrong.
        """
        known = {name: sent[name] for name in sent if name in self._endpoint.fields}
        faulty = frozenset() if value is None else frozenset(known) - frozenset(value)
        case = Case(self._endpoint, known, known if value is None else value, faulty)
        for name in order:
            fact, function = self._rules.get(name, (None, None))
            if function is None or fact is None or not faulty.isdisjoint(_tops(fact)):
                continue
            for fault in _faults(function, case):
                if (fault.level or LEVELS[fact.kind]) is Level.ERROR:
                    yield Broken(name, fault)

    def in_field_order(self, rules: Iterable[str]) -> list[str]:
        """Return ``rules`` in the order in which the server reads their fields."""
        places = {name: place for place, name in enumerate(self._endpoint.fields)}
        known = [name for name in rules if name in self._rules]
        return sorted(known, key=lambda name: places.get(min(_tops(self._rules[name][0])), 0))

    def others(self, named: Iterable[str], *, before_types: bool) -> list[str]:
        """Return the rules that ``named`` leaves out, of one of the two times of looking."""
        named = frozenset(named)
        return [
            name
            for name in self._rules
            if name not in named and is_before_types(name) is before_types
        ]


def _refusing(endpoint: Endpoint) -> Iterator[tuple[RuleFact, Function]]:
    for fact in (*endpoint.rules.values(), *own_rules(endpoint)):
        function = function_of(fact.id)
        if function is None and fact.check is not None:
            function = declared(fact, before_types=is_before_types(fact.id))
        if function is not None:
            yield fact, _unless_beams(fact.id, function)


def _unless_beams(rule: str, function: Function) -> Function:
    if not is_skipped_by_beam(rule):
        return function
    return lambda case: () if searches_beams(case) else function(case)


def _faults(function: Function, case: Case) -> list[Fault]:
    """What a rule finds; one that cannot read a value of the wrong type finds nothing."""
    try:
        return list(function(case))
    except (TypeError, AttributeError, ValueError, KeyError, IndexError):
        return []


def _tops(fact: RuleFact) -> frozenset[str]:
    return frozenset(path.partition(".")[0].partition("[")[0] for path in fact.fields)
