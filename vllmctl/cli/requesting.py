"""The main job: build a body, check it, then print or send it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.target import Target
from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared, prepare
from vllmctl.cli.settings import FORMATS, RUN_TOOLS
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.render.notes import write_note
from vllmctl.request.file_paths import shown
from vllmctl.request.server.settings import Settings
from vllmctl.request.sessions import Session
from vllmctl.rules.finding import Finding, Level

if TYPE_CHECKING:
    from vllmctl.client.answer import Answer


def request(name: str, given: Given, env: Environment) -> int:
    """Do what ``vllmctl chat`` and ``vllmctl complete`` do; return the exit code."""
    output_format = given.format(FORMATS)
    runs_tools = _runs_tools(given)
    if given.has("dry_run"):
        return _show(name, given, env, output_format)
    from vllmctl.cli.sending import open_server, send
    from vllmctl.cli.serving import served_endpoint
    from vllmctl.client.probe import remembered_target

    opened = []

    def probe(settings: Settings) -> Endpoint | None:
        opened.append(open_server(settings, "", given, env))
        return None if given.has("no_check") else served_endpoint(name, opened[0][0], env)

    prepared = prepare(name, given, env, output_format, probe)
    server, link = opened[0] if opened else open_server(prepared.settings, "", given, env)
    if not opened and not given.has("quiet"):
        _compare(prepared, remembered_target(server, env), env)
    _settle(prepared, given, env, lambda: _save_profile(name, given, env))

    def exchange(prepared: Prepared, env: Environment) -> "Answer":
        return send(prepared, server, link, given, env)

    if runs_tools:
        from vllmctl.cli.turning import converse, turns

        how = turns(prepared, given, env, exchange, lambda p: _settle(p, given, env))
        prepared, answer = converse(prepared, how)
    else:
        answer = exchange(prepared, env)
    if prepared.session is not None:
        _keep(prepared.session, prepared, answer, given, env)
    return ExitCode.DONE


def _show(name: str, given: Given, env: Environment, output_format: str) -> int:
    from vllmctl.cli.dry_run import show

    prepared = prepare(name, given, env, output_format, lambda _: None)
    stopping = _tell(prepared, given, env)
    _save_profile(name, given, env)
    show(
        prepared,
        env,
        verbose=given.has("verbose"),
        quiet=given.has("quiet"),
        full=given.has("full"),
    )
    return ExitCode.USAGE if stopping else ExitCode.DONE


def _compare(prepared: Prepared, real: Target | None, env: Environment) -> None:
    """Say so when the server does not run the release that the request is checked for."""
    target = prepared.request.endpoint.target
    if real is not None and real != target:
        origin = prepared.settings["target"].origin
        write_note(f"the server runs {real}, and this is checked for {target} ({origin})", env)


def _keep(
    session: Session, prepared: Prepared, answer: "Answer", given: Given, env: Environment
) -> None:
    """Keep the conversation for the next turn; say where when it is a new one."""
    from vllmctl.turns.conversation import finished

    session.keep(finished(prepared.request.body, answer[0]), env)
    if not session.messages and not given.has("quiet"):
        write_note(f"the conversation is kept in {shown(session.path, env)}", env)


def _runs_tools(given: Given) -> bool:
    runs = given.one_of("run_tools", RUN_TOOLS, "never") != "never"
    if not runs and given.has("tool_command"):
        raise UsageError("--tool-command runs nothing by itself", "add --run-tools ask or auto")
    return runs


def _settle(
    prepared: Prepared, given: Given, env: Environment, before: Callable[[], None] = lambda: None
) -> None:
    """Say what was found, do what comes ``before``, and raise if it is not to be sent."""
    stopping = _tell(prepared, given, env)
    before()
    if stopping:
        raise UsageError(f"not sent: {_counted(stopping)}", _way_out(stopping))


def _tell(prepared: Prepared, given: Given, env: Environment) -> list[Finding]:
    """Say what was found and what was done that the user did not type.

    Returns the findings that keep the request from being sent.
    """
    stopping = [finding for finding in prepared.findings if _stops(finding, given)]
    findings = stopping if given.has("quiet") else _worth_saying(prepared.findings, given)
    if not given.has("quiet"):
        target = prepared.request.endpoint.target
        if target.asked:
            write_note(f"{target.asked} is not known; it is checked as {target}", env)
        for notice in (*prepared.resolved.notices, *prepared.request.notices):
            write_note(notice, env)
    if findings:
        from vllmctl.render.findings import write_findings

        write_findings(findings, prepared.request.origins, env)
    return stopping


def _worth_saying(findings: Sequence[Finding], given: Given) -> Sequence[Finding]:
    """Notes are for those who look before they send; an answer speaks for itself."""
    if given.has("dry_run") or given.has("verbose"):
        return findings
    return [finding for finding in findings if finding.level is not Level.NOTE]


def _save_profile(name: str, given: Given, env: Environment) -> None:
    profile = given.last("save_profile")
    if profile is not None:
        from vllmctl.cli.profiles.save import save_profile, tell

        tell(save_profile(profile, given, env, name), env)


def _stops(finding: Finding, given: Given) -> bool:
    if finding.level is Level.ERROR:
        return True
    if finding.level is not Level.IGNORED:
        return False
    return given.has("strict") or (_is_unknown(finding) and not given.has("allow_unknown"))


def _is_unknown(finding: Finding) -> bool:
    return finding.code.startswith("field.") and finding.code != "field.no_effect"


def _counted(findings: Sequence[Finding]) -> str:
    errors = sum(finding.level is Level.ERROR for finding in findings)
    ignored = len(findings) - errors
    parts = [(errors, "error"), (ignored, "ignored field")]
    return " and ".join(f"{n} {word}{'s' * (n > 1)}" for n, word in parts if n)


def _way_out(findings: Sequence[Finding]) -> str:
    if any(finding.level is Level.ERROR for finding in findings):
        return "--no-check sends it anyway"
    return "--allow-unknown sends it anyway"
