"""What was measured: tables of samples, their medians, spread and ratios."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.measure import Sample


@dataclass(frozen=True, slots=True)
class Table:
    """Samples by name; ``measure`` is the attribute that matters, ``base`` what is compared with.

    A name is compared with the last name before it that begins with ``base``.
    """

    title: str
    measure: str
    base: str
    samples: dict[str, list[Sample]]

    def base_of(self, name: str) -> str:
        """Return the name that ``name`` is compared with."""
        names = list(self.samples)
        before = names[: names.index(name) + 1]
        return next(other for other in reversed(before) if other.startswith(self.base))


@dataclass(slots=True)
class Results:
    """All tables of a run by key, checks a second by body, and what they were measured on."""

    tables: dict[str, Table] = field(default_factory=dict)
    checks: dict[str, list[float]] = field(default_factory=dict)
    machine: dict[str, object] = field(default_factory=dict)

    def values(self, key: str, name: str, measure: str) -> list[float]:
        """Return what was measured round by round; empty when it was not."""
        table = self.tables.get(key)
        samples = table.samples.get(name, []) if table else []
        return [getattr(sample, measure) for sample in samples]

    def median(self, key: str, name: str, measure: str) -> float | None:
        """Return the middle value, or ``None``."""
        values = self.values(key, name, measure)
        return statistics.median(values) if values else None

    def ratio(self, key: str, name: str, base: str, measure: str) -> float | None:
        """Return the median of the ratios to ``base`` in the same round, or ``None``."""
        pairs = zip(self.values(key, name, measure), self.values(key, base, measure), strict=False)
        ratios = [own / other for own, other in pairs if other]
        return statistics.median(ratios) if ratios else None


def spread(values: Sequence[float]) -> float:
    """Return half the distance between the quartiles in percent of the median."""
    if len(values) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return 50 * (high - low) / middle if middle else 0.0
