"""Fields that matter together, as the rules and the faces have it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from vllmctl.catalog.facts import Endpoint, RuleFact
from vllmctl.explain.explanation import Ruling
from vllmctl.explain.homes import Home
from vllmctl.fields.faces import faces
from vllmctl.fields.sugar import IMPLICATIONS

_MOST = 6
_CROWD = 6
"""A rule on more fields than this tells little of any two of them."""


def rulings(path: str, homes: Iterable[Home]) -> list[Ruling]:
    """Return the rules in force that touch ``path``, its parent or its parts."""
    found: dict[str, Ruling] = {}
    for home in homes:
        for rule in _rules(home.of):
            if any(_touches(path, field) for field in rule.fields):
                before = found.get(rule.id, Ruling(rule, ()))
                found[rule.id] = Ruling(before.fact, (*before.endpoints, home.of.name))
    return sorted(found.values(), key=lambda ruling: path not in ruling.fact.fields)


def related(path: str, of: Endpoint, rules: Iterable[Ruling]) -> list[str]:
    """Return the fields of ``of`` that go with ``path``, the closest first."""
    together = Counter(
        field
        for ruling in rules
        if path in ruling.fact.fields and len(ruling.fact.fields) <= _CROWD
        for field in ruling.fact.fields
    )
    ranked = [field for field, _ in together.most_common()]
    names = dict.fromkeys([*_implied(path), *_siblings(path, of), *ranked, *_neighbours(path)])
    return [name for name in names if name != path and _is_in(name, of)][:_MOST]


def _rules(of: Endpoint) -> Iterable[RuleFact]:
    from vllmctl.rules.registry import own_rules

    return (*of.rules.values(), *own_rules(of))


def _touches(path: str, field: str) -> bool:
    return path == field or field.startswith(f"{path}.") or path.startswith(f"{field}.")


def _implied(path: str) -> Iterator[str]:
    for row in IMPLICATIONS:
        if row.when == path:
            yield row.path
        elif row.path == path:
            yield row.when


def _siblings(path: str, of: Endpoint) -> Iterator[str]:
    parent = path.rpartition(".")[0]
    if parent:
        yield parent
        yield from (p for p in _paths(of) if p.rpartition(".")[0] == parent)


def _neighbours(path: str) -> Iterator[str]:
    rows = faces()
    if path in rows:
        yield from (p for p, face in rows.items() if face.group is rows[path].group)


def _paths(of: Endpoint) -> Iterable[str]:
    from vllmctl.explain.paths import spots

    return (spot.path for spot in spots(of).values() if spot.is_here)


def _is_in(name: str, of: Endpoint) -> bool:
    return name in of.fields or name in _paths(of)
