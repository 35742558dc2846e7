"""Findings for people: what, where it was set, how to mend it."""

import re
from collections.abc import Iterable, Iterator, Mapping

from vllmctl.env import Environment
from vllmctl.render.words import Words
from vllmctl.request.layers import origin_of
from vllmctl.request.origin import Origin
from vllmctl.rules.finding import Finding


def write_findings(
    findings: Iterable[Finding], origins: Mapping[str, Origin], env: Environment
) -> None:
    """Write ``findings`` to stderr, each with the origin of the value it is about."""
    words = Words(env.stderr, env)
    for finding in findings:
        level = finding.level.value
        words.write((f"{level}:", level), f" {finding.message}")
        for line in _sources(finding, origins):
            words.write(f"  {line}")
        if finding.fix:
            words.write(f"  fix: {', '.join(map(str, finding.fix))}")
    words.flush()


def _sources(finding: Finding, origins: Mapping[str, Origin]) -> Iterator[str]:
    """Say where the value came from; of several that do not go together, each with its name."""
    whole = {finding.path.partition(".")[0], *finding.about}
    named = [p for p in origins if p.partition(".")[0] in whole and _names(finding.message, p)]
    found: dict[Origin, str] = {}
    for path in (finding.path, *named):
        origin = origin_of(path, dict(origins)) if path else None
        if origin is not None:
            found[origin] = path
    for origin, path in found.items():
        label = f"{path}: " if len(found) > 1 else ""
        yield f"{label}{origin.deed}"


def _names(message: str, path: str) -> bool:
    """Whether ``message`` speaks of ``path`` or of its last part."""
    last = path.rpartition(".")[2]
    return re.search(rf"(?<!\w){re.escape(last)}(?!\w)", message) is not None
