"""Everything before a request is printed or sent: profiles, target, body, findings."""

from dataclasses import dataclass

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import Target, newest, parse_target
from vllmctl.cli.connecting import settings
from vllmctl.cli.given import Given
from vllmctl.env import Environment
from vllmctl.request.build import Request, build
from vllmctl.request.origin import Origin
from vllmctl.request.profiles import Resolved, resolve
from vllmctl.request.server_settings import Settings
from vllmctl.request.sources import Sources
from vllmctl.rules.check import check
from vllmctl.rules.finding import Finding

STREAMED_FORMATS = ("text", "jsonl", "sse")


@dataclass(slots=True)
class Prepared:
    """A request that is ready, what was found in it, and how to reach the server."""

    request: Request
    findings: list[Finding]
    settings: Settings
    resolved: Resolved
    format: str


def prepare(name: str, given: Given, env: Environment, output_format: str) -> Prepared:
    """Build the body for the endpoint ``name`` and check it for the target."""
    sources = Sources(env)
    resolved = resolve(
        given.all("profile"),
        name,
        env,
        target=_given_target(given),
        allow_unknown=given.has("allow_unknown") or given.has("no_check"),
    )
    server = settings(given, resolved.server, env, sources)
    asked = given.asked()
    asked.layers = resolved.layers
    asked.streams = output_format in STREAMED_FORMATS
    request = build(asked, endpoint(name, target_of(server)), sources)
    _add_model(request, server)
    findings = [] if given.has("no_check") else check(request.body, request.endpoint)
    return Prepared(request, findings, server, resolved, output_format)


def target_of(server: Settings) -> Target:
    """Return the target that a flag, the environment or a profile names, else the newest."""
    return parse_target(str(server["target"].value)) if "target" in server else newest()


def _given_target(given: Given) -> Target | None:
    text = given.last("target")
    return parse_target(text) if text else None


def _add_model(request: Request, server: Settings) -> None:
    """A model that ``[server]`` or the environment names, unless the request names one."""
    if "model" in server and "model" not in request.body:
        setting = server["model"]
        request.body = {"model": setting.value, **request.body}
        request.origins["model"] = Origin(setting.origin.kind, setting.origin.text)
