"""``vllmctl lint``: what a server of some release would make of a request."""

from contextlib import suppress

from vllmctl.catalog.target import SERVER, newest
from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import CONNECTION, HELP, SHOWN_COLOR, formats, row
from vllmctl.cli.targets import named_target, tell_target
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group
from vllmctl.lint.endpoints import named
from vllmctl.lint.inputs import Input, Kind, inputs
from vllmctl.lint.judge import Judge
from vllmctl.lint.linter import Linter
from vllmctl.lint.run import Run
from vllmctl.render.lint_results import (
    FORMATS,
    GithubReport,
    JsonLinesReport,
    JsonReport,
    Report,
    Tally,
    TextReport,
)
from vllmctl.render.terminal import guarded
from vllmctl.render.words import Words
from vllmctl.request.server.settings import Setting

_PAGE = Page(
    usage="vllmctl lint [OPTIONS] [FILE|-|JSON|'curl …']…",
    summary="Say what a server would refuse, ignore or alter in a request, and mend it. Takes "
    "JSON files, files with a request a line (.jsonl, batch files), profiles, curl commands. "
    "Exit code 2 when something would be refused.",
    examples=(
        "vllmctl lint body.json --target vllm==0.10.2",
        "vllmctl lint --lines batch.jsonl --format jsonl",
        "vllmctl lint body.json --fix > right.json",
        """vllmctl lint '{"prompt": "hi", "temperatur": 1}'""",
    ),
)

_TARGETS = "vllm==0.32.0|vllm>=0.11,<0.14|furiosa|server"
_OPTIONS = (
    row("--lines", "", "One request a line (said by .jsonl too)", Group.BODY, common=True),
    row(
        "--profile -p",
        "NAME|PATH",
        "Lint a profile; repeat it",
        Group.BODY,
        common=True,
        offers="profile",
    ),
    row(
        "--endpoint",
        "chat|complete|PATH",
        "The endpoint, if not told",
        Group.BODY,
        common=True,
        offers="endpoint",
    ),
    row(
        "--target",
        "TARGET",
        f"A release, a range, a server: {_TARGETS}",
        Group.CHECKS,
        common=True,
        offers="target",
    ),
    row("--strict", "", "Exit 2 for ignored fields too", Group.CHECKS, common=True),
    row("--fix", "", "Print it mended; with --target, translated", Group.CHECKS, common=True),
    row("--in-place", "", "The same, into the file itself", Group.CHECKS, common=True),
    *formats(FORMATS),
    row("--quiet -q", "", "No summary and notes on stderr", Group.OUTPUT, common=True),
    SHOWN_COLOR,
    *CONNECTION,
    *HELP,
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("lint", _PAGE, _OPTIONS, _run)


def _run(given: Given, env: Environment) -> int:
    found = inputs(given.all("prompt"), given.all("profile"), env, lines=given.has("lines"))
    run = _prepared(given, env)
    report = _report(given, env, found)
    tally = Tally(strict=given.has("strict"))
    with suppress(BrokenPipeError):  # who reads no further still gets the right exit code
        for source in found:
            for result in run.results(source):
                tally.add(result)
                report.write(result)
        report.finish()
        env.stdout.flush()
        if not given.has("quiet"):
            Words(env.stderr, env).write(str(tally))
    return ExitCode.DONE if tally.is_ok else ExitCode.USAGE


def _prepared(given: Given, env: Environment) -> Run:
    target = named_target(given, env)
    judge = _judge(target, given, env)
    in_place = given.has("in_place")
    mends = given.has("fix") or in_place
    if mends and len(judge.targets) > 1:
        raise UsageError("--fix wants one release, not a range", f"--target {judge.newest}")
    endpoint = given.last("endpoint")
    linter = Linter(judge, named(endpoint, judge.engine) if endpoint else None, mends)
    if mends:
        from vllmctl.lint.translate import translate

        newer = given.has("target") or given.has("base_url")
        linter.translate = lambda body, name: translate(body, judge.facts(name), newer=newer)
    to_stdout = mends and not in_place and given.format(FORMATS) == "text"
    write = guarded(env.stdout, env).write if to_stdout else None
    return Run(linter, env, not target, in_place, write)


def _judge(target: Setting | None, given: Given, env: Environment) -> Judge:
    if target is None:
        return Judge.of(str(newest()))
    if target.value == SERVER:
        from vllmctl.cli.serving import the_server

        server = the_server(given, env)
        return Judge((server,), str(server))
    judge = Judge.of(target.value, str(target.origin))
    if not given.has("quiet"):
        tell_target(judge.newest, env)
    return judge


def _report(given: Given, env: Environment, found: list[Input]) -> Report:
    fixed = given.has("fix") or given.has("in_place")
    strict = given.has("strict")
    out = guarded(env.stdout, env)
    match given.format(FORMATS):
        case "json":
            many = len(found) > 1 or any(source.kind is Kind.LINES for source in found)
            return JsonReport(out, strict=strict, many=many, fixed=fixed)
        case "jsonl":
            return JsonLinesReport(out, strict=strict, named=len(found) > 1, fixed=fixed)
        case "github":
            return GithubReport(out)
        case _:
            to_stdout = not fixed or given.has("in_place")
            return TextReport(env.stdout if to_stdout else env.stderr, env)
