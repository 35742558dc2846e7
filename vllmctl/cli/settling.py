"""Whether a request may be sent: what was found is told, and what stops it is raised."""

from collections.abc import Callable, Sequence

from vllmctl.catalog.target import Target
from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.render.notes import write_note
from vllmctl.rules.finding import Finding, Level


def settle(
    prepared: Prepared,
    given: Given,
    env: Environment,
    before: Callable[[], None] = lambda: None,
    told: set[str] | None = None,
) -> None:
    """Say what was found, do what comes ``before``, and raise if it is not to be sent.

    What is in ``told`` was said before and is not said again, unless it stops the request.
    """
    stopping = tell(prepared, given, env, told)
    before()
    if stopping:
        raise UsageError(f"not sent: {counted(stopping)}", _way_out(stopping))


def tell(
    prepared: Prepared, given: Given, env: Environment, told: set[str] | None = None
) -> list[Finding]:
    """Say what was found and what was done that the user did not type.

    Returns the findings that keep the request from being sent.
    """
    told = set() if told is None else told
    stopping = [finding for finding in prepared.findings if stops(finding, given)]
    findings = stopping if given.has("quiet") else _worth_saying(prepared.findings, given)
    for notice in [] if given.has("quiet") else _notices(prepared):
        if notice not in told:
            told.add(notice)
            write_note(notice, env)
    new = [one for one in findings if one in stopping or repr(one) not in told]
    told.update(map(repr, new))
    if new:
        from vllmctl.render.findings import write_findings

        write_findings(new, prepared.request.origins, env)
    return stopping


def tell_release(
    prepared: Prepared, real: Target | None, env: Environment, told: set[str] | None = None
) -> None:
    """Say so when the server does not run the release that the request is checked for."""
    target = prepared.request.endpoint.target
    if real is None or real == target:
        return
    origin = prepared.settings["target"].origin
    notice = f"the server runs {real}, and this is checked for {target} ({origin})"
    if told is None or notice not in told:
        write_note(notice, env)
    if told is not None:
        told.add(notice)


def stops(finding: Finding, given: Given) -> bool:
    """Whether ``finding`` keeps a request from being sent."""
    if finding.level is Level.ERROR:
        return True
    if finding.level is not Level.IGNORED:
        return False
    return given.has("strict") or (finding.is_of_unknown_name and not given.has("allow_unknown"))


def counted(findings: Sequence[Finding]) -> str:
    """Return how many errors and ignored fields there are."""
    errors = sum(finding.level is Level.ERROR for finding in findings)
    ignored = len(findings) - errors
    parts = [(errors, "error"), (ignored, "ignored field")]
    return " and ".join(f"{n} {word}{'s' * (n > 1)}" for n, word in parts if n)


def _notices(prepared: Prepared) -> list[str]:
    target = prepared.request.endpoint.target
    return [*filter(None, [target.notice]), *prepared.resolved.notices, *prepared.request.notices]


def _worth_saying(findings: Sequence[Finding], given: Given) -> Sequence[Finding]:
    """Notes are for those who look before they send; an answer speaks for itself."""
    if given.has("dry_run") or given.has("verbose"):
        return findings
    return [finding for finding in findings if finding.level is not Level.NOTE]


def _way_out(findings: Sequence[Finding]) -> str:
    if any(finding.level is Level.ERROR for finding in findings):
        return "--no-check sends it anyway"
    return "--allow-unknown sends it anyway"
