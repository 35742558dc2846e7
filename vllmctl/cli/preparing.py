"""Everything before a request is printed or sent: profiles, target, body, findings."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import SERVER, Target, newest, parse_target
from vllmctl.cli.connecting import settings
from vllmctl.cli.given import Given
from vllmctl.env import Environment
from vllmctl.record import Record
from vllmctl.request.build import Request, build
from vllmctl.request.origin import Origin
from vllmctl.request.profiles.resolve import Resolved, resolve
from vllmctl.request.server.settings import Settings
from vllmctl.request.sources import Sources
from vllmctl.rules.check import check
from vllmctl.rules.finding import Finding

if TYPE_CHECKING:
    from vllmctl.request.sessions import Session


STREAMED_FORMATS = ("text", "markdown", "jsonl", "sse")


class Prepared(Record):
    """A request that is ready, what was found in it, and how to reach the server."""

    request: Request
    findings: list[Finding]
    settings: Settings
    resolved: Resolved
    format: str
    session: "Session | None" = None


def prepare(
    name: str,
    given: Given,
    env: Environment,
    output_format: str,
    probe: Callable[[Settings], Endpoint | None],
    *,
    session: "Session | None" = None,
) -> Prepared:
    """Build the body for the endpoint ``name`` and check it for the target.

    ``probe`` gives the endpoint as the server has it, where nobody named a target, or
    ``None`` when that cannot be known: then the newest release's is taken. ``session`` is what
    was said before, unless the flags name it.
    """
    sources = Sources(env)
    if given.has("interactive"):
        sources.leave_stdin("--interactive")
    resolved = resolve(
        given.all("profile"),
        name,
        env,
        target=_given_target(given),
        unknown="kept" if given.has("allow_unknown") or given.has("no_check") else "judged",
    )
    server = settings(given, resolved.server, env, sources)
    asked = given.asked()
    asked.layers = resolved.layers
    session = session or session_of(given, env)
    if session is not None and session.messages:
        asked.layers = [*asked.layers, session.layer]
        asked.words.continues = asked.needs_words
    asked.streams = output_format in STREAMED_FORMATS
    request = build(asked, _endpoint(name, server, probe), sources)
    _add_model(request, server)
    findings = [] if given.has("no_check") else findings_of(request)
    return Prepared(request, findings, server, resolved, output_format, session)


def findings_of(request: Request) -> list[Finding]:
    """What is to be said of the body; a model that is left out is named when it is sent."""
    found = check(request.body, request.endpoint)
    return found if "model" in request.body else [f for f in found if f.path != "model"]


def session_of(given: Given, env: Environment) -> "Session | None":
    """Return the session that flags name, if they do."""
    name = given.last("session")
    if name is None and not given.has("continue"):
        return None
    from vllmctl.request.sessions import last_session, session_named

    return last_session(env) if name is None else session_named(name, env)


def _endpoint(
    name: str, server: Settings, probe: Callable[[Settings], Endpoint | None]
) -> Endpoint:
    named = str(server["target"].value) if "target" in server else SERVER
    if named != SERVER:
        return endpoint(name, parse_target(named, str(server["target"].origin)))
    return probe(server) or endpoint(name, newest())


def _given_target(given: Given) -> Target | None:
    text = given.last("target")
    return parse_target(text, given.name_of("target")) if text and text != SERVER else None


def _add_model(request: Request, server: Settings) -> None:
    """A model that ``[server]`` or the environment names, unless the request names one."""
    setting = server.get("model")
    base = server.get("base_url")
    if base is not None and str(base.value).startswith("mock:"):
        setting = None  # the mock has its own names, and a real server's are still set
    if setting is not None and "model" not in request.body:
        request.body = {"model": setting.value, **request.body}
        request.origins["model"] = Origin(setting.origin.kind, setting.origin.text)
