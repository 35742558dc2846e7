"""Checks a body for an endpoint at a release: names, types, then the rules over fields."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Protocol

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.schema import TypeCheck, checker
from vllmctl.rules.active import ActiveRule, active_rules, top_of
from vllmctl.rules.case import Case, searches_beams
from vllmctl.rules.finding import Finding, Level
from vllmctl.rules.names import NameCheck
from vllmctl.rules.types import coerced, type_findings

_MOST_KEPT = 1000

_PASSED_ON = "batch.passthrough"
"""The rule of endpoints that make chats of their body, also of fields that they do not declare."""

_PLAIN_KEYS = {"role", "content"}
_PLAIN_ROLES = ("system", "user", "assistant")

LEVELS = {
    "reject": Level.ERROR,
    "ignore": Level.IGNORED,
    "normalize": Level.WARNING,
    "server": Level.NOTE,
}


def check(body: Mapping[str, Any], endpoint: Endpoint) -> list[Finding]:
    """Return what the author of ``body`` should know, in a fixed order: names, types, rules."""
    return prepared(endpoint).check(body)


class Checks(Protocol):
    """Checks many bodies of one endpoint at one release."""

    def check(self, body: Any) -> list[Finding]:
        """Return the findings of one body."""


@cache
def prepared(endpoint: Endpoint) -> Checks:
    """Return the checker of an endpoint, made once."""
    if _PASSED_ON not in endpoint.rules:
        return Checker(endpoint)
    from vllmctl.rules.conversations import ConversationsChecker

    return ConversationsChecker(endpoint)


class Checker:
    """Checks many bodies of one endpoint at one release; prepared once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._types = checker(endpoint)
        self._names = NameCheck(endpoint)
        self._rules = tuple(active_rules(endpoint))
        served = endpoint.target.served
        self._refused = served.refused if served else {}
        self._by_fields: dict[frozenset[str], tuple[ActiveRule, ...]] = {}

    def check(self, body: Any) -> list[Finding]:
        """Return the findings of one body."""
        types = self._types.check(body)
        if not isinstance(body, Mapping):
            return list(type_findings(types.faults, body, self._endpoint))
        fields = self._endpoint.fields
        known = {name: value for name, value in body.items() if name in fields}
        wrong = list(type_findings(types.faults, body, self._endpoint))
        names = self._names.findings(body)
        return _apart(
            [
                *(_uncovered(names, wrong) if wrong else names),
                *wrong,
                *coerced(known, types.value),
                *self._of_rules(known, types),
            ]
        )

    def _of_rules(self, known: Mapping[str, Any], types: TypeCheck) -> Iterator[Finding]:
        read = {name: types.value[name] for name in known}
        faulty = frozenset(top_of(fault.path) for fault in types.faults)
        case = Case(self._endpoint, known, read, faulty)
        beams, plain = searches_beams(case), _is_plain_talk(case.items("messages"))
        for rule in self._candidates(frozenset(known)):
            if (beams and rule.without_beam) or (plain and rule.of_messages):
                continue
            if faulty and rule.is_lost(faulty):
                continue
            for fault in rule.function(case):
                fact = rule.fact
                level = fault.level or LEVELS[fact.kind]
                found = Finding(level, fact.id, fault.path, fault.message, fault.fix, fact.fields)
                yield self._remembered(found) if self._refused else found

    def _remembered(self, finding: Finding) -> Finding:
        """The finding as the server's own words make it, if it has said so before."""
        refusal = self._refused.get(finding.code)
        if refusal is None or finding.level is Level.ERROR:
            return finding
        from vllmctl.rules.served import with_memory

        return with_memory(finding, refusal)

    def _candidates(self, known: frozenset[str]) -> tuple[ActiveRule, ...]:
        """The rules that may speak; bodies with the same fields share them."""
        found = self._by_fields.get(known)
        if found is None:
            found = tuple(rule for rule in self._rules if rule.may_speak(known))
            if len(self._by_fields) < _MOST_KEPT:
                self._by_fields[known] = found
        return found


def _is_plain_talk(messages: list[Any]) -> bool:
    """Whether all messages are plain text of usual roles: no rule of messages has a word then."""
    return bool(messages) and all(
        type(message) is dict
        and message.keys() <= _PLAIN_KEYS
        and message.get("role") in _PLAIN_ROLES
        and type(content := message.get("content")) is str
        and not (content.isspace() or content == "")
        for message in messages
    )


def _uncovered(names: Iterable[Finding], wrong: list[Finding]) -> Iterator[Finding]:
    """Leave out parts of objects that get another shape as a whole: they are no strangers there."""
    shaped = [f"{edit.path}." for error in wrong for edit in error.fix or () if edit.op == "set"]
    for finding in names:
        if not finding.path.startswith(tuple(shaped)):
            yield finding


def _apart(findings: list[Finding]) -> list[Finding]:
    """Leave one error a place, as what else is said there is the same fault seen again.

    Nothing is said twice, though two ways lead to it.
    """
    wrong = set()
    said = set()
    kept = []
    for finding in findings:
        what = (finding.path, finding.code, finding.message)
        if finding.path not in wrong and what not in said:
            kept.append(finding)
        said.add(what)
        if finding.level is Level.ERROR:
            wrong.add(finding.path)
    return kept
