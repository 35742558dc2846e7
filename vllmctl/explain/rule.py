"""The explanation of a rule: what the server does, and with which fields."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vllmctl.catalog.facts import RuleFact
from vllmctl.catalog.files import read_endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import Target
from vllmctl.explain.explanation import Explanation, Kind, Ruling
from vllmctl.explain.findings import finding
from vllmctl.explain.homes import ordered_names

if TYPE_CHECKING:
    from vllmctl.rules.registry import OwnRule

_SAYS = {
    "reject": "The server refuses the request",
    "ignore": "The server takes the request and leaves this out, without a word.",
    "normalize": "The server takes the request and changes or reads it its own way.",
    "server": "It depends on how the server was started, or on its model.",
}


def explain_rule(name: str, target: Target) -> Explanation | None:
    """Return what the rule called ``name`` says; ``None`` for no such rule."""
    ruling = _in_force(name, target) or _of_other_release(name, target)
    if ruling is None:
        return None
    fact = ruling.fact
    holds = _in_force(name, target) is not None
    found = Explanation(name, Kind.RULE, target, _verdict(fact, target, holds), sendable=False)
    found.meaning = [fact.text]
    found.rules = [ruling]
    found.related = list(fact.fields)
    found.notes = [f"`vllmctl lint` reports it under the code {name}."] if holds else []
    return found


def explain_finding(code: str, target: Target) -> Explanation | None:
    """Return what a code of ``vllmctl lint`` means that stands for no rule of the server."""
    words = finding(code)
    if not words or "." not in code:
        return None
    return Explanation(code, Kind.FINDING, target, words, sendable=False)


def _verdict(fact: RuleFact, target: Target, holds: bool) -> str:
    if not holds:
        return f"Not in force at {target}: it holds {_span(fact)}."
    status = f" ({fact.status})." if fact.status else "."
    return _SAYS[fact.kind] + (status if fact.kind == "reject" else "")


def _span(fact: RuleFact) -> str:
    if not fact.until:
        return f"since {fact.since}"
    return f"from {fact.since} to {fact.until}" if fact.since else f"up to {fact.until}"


def _in_force(name: str, target: Target) -> Ruling | None:
    found: dict[str, RuleFact] = {}
    for each in ordered_names(target):
        if name in read_endpoint(target.engine, each)["rules"]:
            fact = endpoint(each, target).rules.get(name)
            if fact:
                found[each] = fact
    found = found or _own_in_force(name, target)
    return Ruling(next(iter(found.values())), tuple(found)) if found else None


def _own_in_force(name: str, target: Target) -> dict[str, RuleFact]:
    from vllmctl.rules.registry import own_rules

    own = _own_rule(name, target)
    if own is None:
        return {}
    there = [each for each in ordered_names(target) if each in own.endpoints]
    return {each: own.fact for each in there if own.fact in own_rules(endpoint(each, target))}


def _of_other_release(name: str, target: Target) -> Ruling | None:
    known: dict[str, Mapping[str, Any]] = {}
    for each in ordered_names(target):
        rule = read_endpoint(target.engine, each)["rules"].get(name)
        if rule:
            known[each] = rule
    if not known:
        return _own_of_other_release(name, target)
    rule = next(iter(known.values()))
    fact = RuleFact(
        name,
        rule["text"],
        rule["kind"],
        tuple(rule["fields"]),
        None,
        rule["since"],
        rule.get("until"),
        rule.get("status"),
    )
    return Ruling(fact, tuple(known))


def _own_of_other_release(name: str, target: Target) -> Ruling | None:
    own = _own_rule(name, target)
    return Ruling(own.fact, own.endpoints) if own else None


def _own_rule(name: str, target: Target) -> "OwnRule | None":
    from vllmctl.rules.registry import all_own_rules

    if target.engine != "vllm":
        return None
    return next((rule for rule in all_own_rules() if rule.name == name), None)
