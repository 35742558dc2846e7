"""Shows how well the sources of a release bear out what the catalogue says of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from tools.catalogue.compare import Change, Comparison, compare
from tools.catalogue.extract import extract
from tools.catalogue.facts import ReleaseFacts
from tools.catalogue.modules import Sources
from tools.catalogue.rule_claims import Claims, claims, count, rule_lines
from tools.catalogue.rule_sites import enforced
from tools.catalogue.shipped import Shipped, facts_at, rules_at
from tools.catalogue.source_tree import SourceTree
from tools.catalogue.words import change_lines


@dataclass(slots=True)
class Verdict:
    """The comparison of one release; ``rules`` counts pairs of a rule and an endpoint."""

    facts: ReleaseFacts
    comparison: Comparison
    rules: int
    claims: Claims

    @property
    def compared(self) -> int:
        """How many facts were compared."""
        return sum(change.compared for change in self.comparison.changes)

    @property
    def differing(self) -> int:
        """How many of them differ."""
        return sum(change.differing for change in self.comparison.changes)

    @property
    def share(self) -> float:
        """Equal facts in percent."""
        return 100 * (1 - self.differing / self.compared)


def verify(tree: SourceTree, shipped: Shipped) -> Verdict:
    """Compare what the catalogue says of a release in its list with the release."""
    facts = extract(tree, shipped.index)
    is_latest = tree.release == shipped.releases[-1]
    comparison = compare(facts_at(shipped, tree.release), facts, only_dated=not is_latest)
    said = rules_at(shipped, tree.release)
    return Verdict(facts, comparison, count(said), claims(said, facts, enforced(Sources(tree))))


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """Yield the figures, a table, and every difference."""
    equal = verdict.compared - verdict.differing
    release, rules = verdict.facts.release, verdict.claims
    yield f"vllm {release}: {equal} of {verdict.compared} facts equal ({verdict.share:.2f} %)"
    sought = verdict.rules - count(rules.signless)
    found = sought - count(rules.missed)
    yield f"{found} of {sought} rules found, counted once for each endpoint"
    yield from _table(verdict.comparison.changes)
    yield from _titled("Catalogue → source", list(change_lines(verdict.comparison, verdict.facts)))
    yield from _titled("Rules that the source does not bear out", rule_lines(rules.missed))
    yield from _titled("Rules that classes of further bodies check", rule_lines(rules.further))
    yield from _titled("Rules that rule_sites.json does not know", rule_lines(rules.signless))


def _table(changes: list[Change]) -> Iterator[str]:
    yield f"\n{'':36}{'facts':>7}{'equal':>7}"
    for change in changes:
        if change.kind == "endpoint":
            yield _row(change.name, [change])
    for title, kind in (("nested models", "model"), ("engine classes", "engine class")):
        yield _row(title, [change for change in changes if change.kind == kind])


def _row(title: str, changes: list[Change]) -> str:
    compared = sum(change.compared for change in changes)
    differing = sum(change.differing for change in changes)
    return f"{title:36}{compared:7}{compared - differing:7}{'  ≠' if differing else ''}"


def _titled(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"\n{title}:"
        yield from lines
