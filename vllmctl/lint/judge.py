"""Judges bodies for one release, for a range of releases, or for a server."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import Target, parse_targets
from vllmctl.errors import UsageError
from vllmctl.lint.finding import RangedFinding, Span
from vllmctl.rules.check import Checks, prepared
from vllmctl.rules.finding import Finding, Level


class Judge:
    """Finds what is wrong with bodies; ``label`` is the target in words."""

    def __init__(self, targets: Sequence[Target], label: str) -> None:
        self.targets = tuple(targets)
        self.label = label
        self._checkers: dict[Target, dict[str, Checks | str]] = {t: {} for t in self.targets}
        self._only = self._checkers[self.targets[0]] if len(self.targets) == 1 else None

    @classmethod
    def of(cls, text: str, origin: str = "") -> "Judge":
        """Return the judge of a target or range, as ``parse_targets`` reads it."""
        targets = parse_targets(text, origin)
        if len(targets) == 1:
            return cls(targets, str(targets[0]))
        return cls(targets, text.replace(" ", ""))

    @property
    def engine(self) -> str:
        """The engine of all targets."""
        return self.targets[0].engine

    @property
    def newest(self) -> Target:
        """The only target, or the newest of the range."""
        return self.targets[-1]

    def findings(self, body: Any, name: str) -> list[Finding]:
        """Return what is to be said of a body for the endpoint called ``name``."""
        if self._only is not None:
            return _check(self._only.get(name) or self._checker(self.newest, name), body)
        return _merged(
            [(target, _check(self._checker(target, name), body)) for target in self.targets]
        )

    def facts(self, name: str) -> Endpoint:
        """Return the endpoint as the newest target has it; raises ``UsageError``."""
        return endpoint(name, self.newest)

    def _checker(self, target: Target, name: str) -> Checks | str:
        """The checker of an endpoint, or why the target has no such endpoint."""
        known = self._checkers[target]
        if name not in known:
            try:
                known[name] = prepared(endpoint(name, target))
            except UsageError as fault:
                known[name] = f"{fault.message}: {fault.hint}"
        return known[name]


def _check(checker: Checks | str, body: Any) -> list[Finding]:
    if isinstance(checker, str):
        return [Finding(Level.ERROR, "endpoint.not_here", "", checker)]
    try:
        return checker.check(body)
    except RecursionError:
        message = "this nests too deeply to be checked"
        return [Finding(Level.WARNING, "json.too_deep", "", message)]


class _Same(NamedTuple):
    """What makes findings of several releases one."""

    level: Level
    code: str
    path: str
    message: str
    fix: str


def _merged(found: list[tuple[Target, list[Finding]]]) -> list[Finding]:
    """Make one finding of those that several releases share."""
    holders: dict[_Same, list[int]] = {}
    examples: dict[_Same, Finding] = {}
    for place, (target, findings) in enumerate(found):
        for finding in findings:
            message = finding.message.replace(str(target), target.engine)
            same = _Same(finding.level, finding.code, finding.path, message, repr(finding.fix))
            holders.setdefault(same, []).append(place)
            examples[same] = finding
    releases = [target.release for target, _ in found]
    return [
        RangedFinding(
            same.level,
            same.code,
            same.path,
            same.message if len(places) > 1 else examples[same].message,
            examples[same].fix,
            examples[same].about,
            tuple(_spans(places, releases)),
            len(set(places)) == len(releases),
        )
        for same, places in holders.items()
    ]


def _spans(places: list[int], releases: list[str]) -> Iterator[Span]:
    first = last = places[0]
    for place in places[1:]:
        if place > last + 1:
            yield Span(releases[first], releases[last])
            first = place
        last = place
    yield Span(releases[first], releases[last])
