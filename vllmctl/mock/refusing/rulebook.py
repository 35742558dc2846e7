"""The rules of an endpoint, asked one by one in the server's own order."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from vllmctl.catalog.facts import Endpoint
from vllmctl.rules.active import ActiveRule, active_rules
from vllmctl.rules.case import Case, Fault, searches_beams
from vllmctl.rules.check import LEVELS
from vllmctl.rules.finding import Level


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
        self._rules = {rule.fact.id: rule for rule in active_rules(endpoint)}

    def __contains__(self, rule: str) -> bool:
        return rule in self._rules

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
        beams = searches_beams(case)
        for name in order:
            rule = self._rules.get(name)
            if rule is None or (beams and rule.without_beam) or not faulty.isdisjoint(rule.names):
                continue
            for fault in _faults(rule, case):
                if (fault.level or LEVELS[rule.fact.kind]) is Level.ERROR:
                    yield Broken(name, fault)

    def in_field_order(self, rules: Iterable[str]) -> list[str]:
        """Return ``rules`` in the order in which the server reads their fields."""
        places = {name: place for place, name in enumerate(self._endpoint.fields)}
        known = [name for name in rules if name in self._rules]
        return sorted(known, key=lambda name: places.get(min(self._rules[name].names), 0))

    def others(self, named: Iterable[str], *, before_types: bool) -> list[str]:
        """Return the rules that ``named`` leaves out, of one of the two times of looking."""
        named = frozenset(named)
        return [
            name
            for name, rule in self._rules.items()
            if name not in named and rule.before_types is before_types
        ]


def _faults(rule: ActiveRule, case: Case) -> list[Fault]:
    """What a rule finds; one that cannot read a value of the wrong type finds nothing."""
    try:
        return list(rule.function(case))
    except (TypeError, AttributeError, ValueError, KeyError, IndexError):
        return []
