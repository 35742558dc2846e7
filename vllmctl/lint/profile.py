"""Lints a profile: what it says by itself, and as a request of each endpoint it is for."""

from collections.abc import Iterator, Sequence

from vllmctl.env import Environment
from vllmctl.lint.finding import RangedFinding, TextFinding
from vllmctl.lint.judge import Judge
from vllmctl.lint.result import Result
from vllmctl.record import replace
from vllmctl.request.build import Asked, build
from vllmctl.request.layers import origin_of
from vllmctl.request.messages import Words
from vllmctl.request.profiles.chain import target_of
from vllmctl.request.profiles.check import check
from vllmctl.request.profiles.field_check import SECTIONS
from vllmctl.request.profiles.files import Profile, ProfileFiles
from vllmctl.request.profiles.problem import Problem, only_strange
from vllmctl.request.profiles.resolve import Resolved, resolve
from vllmctl.request.sources import Sources
from vllmctl.rules.edits import keys_in
from vllmctl.rules.finding import Finding, Level

_PROMPT = "Hello"


def lint_profile(name: str, env: Environment, judge: Judge | None, asked: str | None) -> Result:
    """Return what is to be said of the profile called ``name``, or at that path.

    Without a ``judge`` the target is the profile's own, else the newest release. ``asked``
    is the endpoint to judge it for; else all are that its sections are for.

    Raises ``ConfigError`` when there is no such profile, or its file is no TOML.
    """
    profile = ProfileFiles(env).find(name)
    notice = target_of([profile]).notice if judge is None else ""
    judge = judge or _judge_of(profile)
    names = [asked] if asked else _endpoints(profile)
    result = Result(profile.file.shown, None, ",".join(names), judge.label, [])
    problems = check(name, env, target=judge.newest)
    if only_strange(problems):
        result.findings = _findings(name, names, env, judge)
    else:
        result.findings = [_of_problem(problem) for problem in problems]
    if notice:
        result.findings.insert(0, Finding(Level.NOTE, "target.stands_in", "", notice))
    return result


def _judge_of(profile: Profile) -> Judge:
    target = target_of([profile])
    return Judge((target,), str(target))


def _endpoints(profile: Profile) -> list[str]:
    """The endpoints that the profile has a section for; ``[request]`` is for all."""
    own = [
        name for section, names in SECTIONS.items() if section in profile.table for name in names
    ]
    every = [name for names in SECTIONS.values() for name in names]
    return list(dict.fromkeys(own or every))


def _findings(name: str, names: Sequence[str], env: Environment, judge: Judge) -> list[Finding]:
    """What the rules say by line, once where they say the same for several endpoints."""
    found: dict[tuple[str, str], Finding] = {}
    for each in names:
        for finding in _for_endpoint(name, each, env, judge):
            found.setdefault((finding.code, finding.path), finding)
    return sorted(found.values(), key=lambda one: getattr(one, "line", 0))


def _for_endpoint(name: str, own: str, env: Environment, judge: Judge) -> Iterator[Finding]:
    """What the rules say of the request that the profile and a prompt make."""
    resolved = resolve([name], own, env, target=judge.newest, configs=False, unknown="judged")
    words = Words(prompts=[_PROMPT], read_stdin=False)
    asked = Asked(layers=resolved.layers, words=words, streams=True)
    request = build(asked, judge.facts(own), Sources(env))
    for finding in judge.findings(request.body, own):
        origin = origin_of(finding.path, request.origins) if finding.path else None
        if origin is not None and origin.kind in ("profile", "implied"):
            level = Level.ERROR if finding.is_of_unknown_name else finding.level
            yield _placed(replace(finding, level=level), request.body, resolved)


def _placed(finding: Finding, body: object, resolved: Resolved) -> Finding:
    """Say on which line of which file the value was set."""
    keys = keys_in(body, finding.path)
    for profile in reversed(resolved.profiles):
        for section in SECTIONS:
            table = profile.table.get(section)
            if isinstance(table, dict) and keys and keys[0] in table:
                line = profile.line(section, *keys)
                shown = profile.file.shown
                return _at(finding, line, shown)
    return finding


def _at(finding: Finding, line: int, file: str) -> TextFinding:
    return TextFinding(
        finding.level,
        finding.code,
        finding.path,
        finding.message + (finding.where if isinstance(finding, RangedFinding) else ""),
        finding.fix,
        finding.about,
        line,
        0,
        "",
        file,
    )


def _of_problem(problem: Problem) -> Finding:
    code = "field.unknown" if problem.unknown else "profile"
    message = f"{problem.path}: {problem.message}" if problem.path else problem.message
    if problem.hint:
        message = f"{message} ({problem.hint})"
    return TextFinding(
        Level.ERROR, code, problem.path, message, None, (), problem.line, 0, "", problem.file
    )
