"""What ``vllmctl profiles check`` finds: names, types, limits, and the rules between fields."""

from collections.abc import Iterator

from vllmctl.env import Environment
from vllmctl.lint.finding import TextFinding
from vllmctl.lint.profile import lint_profile
from vllmctl.request.profiles.check import check_config
from vllmctl.request.profiles.listing import list_profiles
from vllmctl.request.profiles.places import Place
from vllmctl.request.profiles.problem import with_hint
from vllmctl.rules.finding import Finding, Level


def problems_of(names: list[str], env: Environment) -> list[str]:
    """Return a line for each problem of the profiles ``names``, or of all there are."""
    listed = [row.name for row in list_profiles(env) if not row.problem]
    lines = [line for name in names or dict.fromkeys(listed) for line in _of_profile(name, env)]
    if not names:
        lines = [*_of_files(env, lines), *lines]
    return list(dict.fromkeys(lines))


def _of_profile(name: str, env: Environment) -> Iterator[str]:
    result = lint_profile(name, env, None, None)
    for finding in result.findings:
        if finding.level is Level.ERROR:
            yield _line(finding, result.name)


def _of_files(env: Environment, told: list[str]) -> Iterator[str]:
    """Yield what is wrong with whole files, and in lines that nothing is ``told`` of yet."""
    for place in (Place.USER, Place.PROJECT):
        for problem in check_config(place, env):
            if not any(line.startswith(f"{problem.file}:{problem.line}: ") for line in told):
                yield with_hint(problem)
    yield from (row.problem for row in list_profiles(env) if row.problem)


def _line(finding: Finding, name: str) -> str:
    if isinstance(finding, TextFinding):
        return f"{finding.file or name}:{finding.line}: {finding.message}"
    return f"{name}: {finding.message}"
