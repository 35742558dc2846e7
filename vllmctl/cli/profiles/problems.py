"""What ``vllmctl profiles check`` finds: names, types, limits, and the rules between fields."""

from collections.abc import Iterator

from vllmctl.env import Environment
from vllmctl.lint.finding import TextFinding
from vllmctl.lint.profile import lint_profile
from vllmctl.request.profiles.check import check_config
from vllmctl.request.profiles.listing import list_profiles
from vllmctl.request.profiles.places import Place
from vllmctl.rules.finding import Finding, Level


def problems_of(names: list[str], env: Environment) -> list[str]:
    """Return a line for each problem of the profiles ``names``, or of all there are."""
    lines = list(_everywhere(env)) if not names else []
    listed = [row.name for row in list_profiles(env) if not row.problem]
    for name in names or dict.fromkeys(listed):
        result = lint_profile(name, env, None, None)
        broken = [finding for finding in result.findings if finding.level is Level.ERROR]
        lines += [_line(finding, result.name) for finding in broken]
    return list(dict.fromkeys(lines))


def _everywhere(env: Environment) -> Iterator[str]:
    for place in (Place.USER, Place.PROJECT):
        yield from map(str, check_config(place, env))
    for row in list_profiles(env):
        if row.problem:
            yield row.problem


def _line(finding: Finding, name: str) -> str:
    if isinstance(finding, TextFinding):
        return f"{finding.file or name}:{finding.line}: {finding.message}"
    return f"{name}: {finding.message}"
