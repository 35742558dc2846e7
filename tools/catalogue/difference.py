"""What a release changes: fields, models, routes, rules and refusals."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tools.catalogue.compare import Comparison, compare
from tools.catalogue.extract import extract
from tools.catalogue.facts import ReleaseFacts
from tools.catalogue.known_sites import unknown_sites
from tools.catalogue.modules import Sources
from tools.catalogue.raise_sites import Site
from tools.catalogue.rule_claims import Claims, claims, rule_lines
from tools.catalogue.rule_sites import Enforced, enforced
from tools.catalogue.shipped import Shipped, facts_at, rules_at
from tools.catalogue.source_tree import ReleaseError, SourceTree
from tools.catalogue.versions import newer
from tools.catalogue.words import change_lines, site_lines


@dataclass(slots=True)
class Difference:
    """A release against what the catalogue says of it, or of the newest one it knows.

    ``is_latest`` tells that it was compared with the newest one, be it that one or newer.
    ``gone_fields`` are gone from bodies without a rename entry that says what became of
    them; ``new_sites`` are the refusals that belong to no rule and that nobody looked at.
    """

    against: str
    is_newer: bool
    is_latest: bool
    facts: ReleaseFacts
    enforced: Enforced
    comparison: Comparison
    claims: Claims
    new_sites: list[Site]
    gone_fields: dict[str, list[str]]


def difference(tree: SourceTree, shipped: Shipped) -> Difference:
    """Compare a release with the catalogue.

    Raises:
        ReleaseError: a release that is neither in the list nor newer.
    """
    against = _against(tree.release, shipped)
    is_newer = against != tree.release
    old = facts_at(shipped, against)
    facts = extract(tree, shipped.index)
    found = enforced(Sources(tree))
    is_latest = against == shipped.releases[-1]
    comparison = compare(old, facts, only_dated=not is_latest)
    return Difference(
        against,
        is_newer,
        is_latest,
        facts,
        found,
        comparison,
        claims(rules_at(shipped, against), facts, found),
        unknown_sites(found.others) if is_latest else [],
        _gone_without_rename(comparison, shipped),
    )


def _against(release: str, shipped: Shipped) -> str:
    if release in shipped.releases:
        return release
    last = shipped.releases[-1]
    if not newer(release, last):
        raise ReleaseError(f"{release} is not in the list and not newer than {last}")
    return last


def _gone_without_rename(comparison: Comparison, shipped: Shipped) -> dict[str, list[str]]:
    """Fields that are gone from a body without a word on what became of them."""
    gone: dict[str, list[str]] = {}
    for change in comparison.changes:
        if change.kind == "endpoint":
            renames = shipped.endpoints.get(change.name, {}).get("renames", ())
            told = {rename["from"].partition(":")[0] for rename in renames}
            for field in change.fields:
                if field.new is None and field.name not in told:
                    gone.setdefault(field.name, []).append(change.name)
    return gone


def difference_lines(found: Difference) -> Iterator[str]:
    """Yield the difference in words."""
    release, against = found.facts.release, found.against
    what = f"against {against}" if found.is_newer else "against what the catalogue says of it"
    yield f"vllm {release} {what}"
    yield from _section("Fields, models and classes", change_lines(found.comparison, found.facts))
    yield from _section(
        "New routes (give each a name with --name, or list it in guide.toml)",
        (f"  + {route}" for route in found.facts.uncharted),
    )
    yield from _section(
        "Gone fields that want a rename entry",
        rule_lines(found.gone_fields, "- "),
    )
    yield from _section(
        "Rules that are found no more (ended, or worded anew: then mend rule_sites.json)",
        rule_lines(found.claims.missed, "- "),
    )
    yield from _section(
        "Rules that the classes of an endpoint check and the catalogue does not give it",
        rule_lines(found.claims.further, "+ "),
    )
    if not found.is_latest:
        return
    yield from _section(
        "Refusals that no known rule covers: each wants a rule and a function, or --settle",
        site_lines(found.new_sites, found.facts),
    )


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    told = list(lines)
    yield f"\n{title}:" if told else f"\n{title}: none"
    yield from told
