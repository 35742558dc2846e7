"""Compares the rules that the catalogue gives an endpoint with those that a release enforces."""

from typing import NamedTuple

from tools.catalogue.facts import ReleaseFacts
from tools.catalogue.rule_sites import Enforced, can_be_found

Rules = dict[str, list[str]]
"""The endpoints of each rule."""


class Claims(NamedTuple):
    """How the catalogue's rules fare.

    ``missed`` are found no more for these endpoints; ``further`` are checked by classes of
    bodies of endpoints that the catalogue does not give them; ``signless`` are rules of
    which nothing tells how to find them.
    """

    missed: Rules
    further: Rules
    signless: Rules


def claims(said: Rules, facts: ReleaseFacts, found: Enforced) -> Claims:
    """Compare; ``said`` is what the catalogue says."""
    body_classes = facts.body_classes

    def is_missed(rule: str, name: str) -> bool:
        endpoint = facts.endpoints.get(name)
        return endpoint is not None and not found.holds(rule, endpoint, body_classes)

    def is_further(rule: str, name: str) -> bool:
        checks = found.owners[rule] & facts.endpoints[name].classes
        return bool(checks) and name not in said.get(rule, ())

    return Claims(
        _some(
            {
                rule: [name for name in names if is_missed(rule, name)]
                for rule, names in said.items()
                if can_be_found(rule)
            }
        ),
        _some(
            {
                rule: [name for name in facts.endpoints if is_further(rule, name)]
                for rule in found.owners
            }
        ),
        {rule: names for rule, names in said.items() if not can_be_found(rule)},
    )


def count(rules: Rules) -> int:
    """Return the number of pairs of a rule and an endpoint."""
    return sum(len(names) for names in rules.values())


def rule_lines(rules: Rules, mark: str = "") -> list[str]:
    """Return a line for each rule with its endpoints."""
    return [f"  {mark}{rule}: {', '.join(names)}" for rule, names in rules.items()]


def _some(rules: Rules) -> Rules:
    return {rule: names for rule, names in sorted(rules.items()) if names}
