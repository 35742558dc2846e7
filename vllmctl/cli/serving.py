"""The server as a target: its release, or what it says of itself, and what it has refused."""

from collections.abc import Iterator
from contextlib import contextmanager

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.served import Served
from vllmctl.catalog.target import Target, newest
from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared, findings_of
from vllmctl.client.probe import hurried, openapi_document, served_models, server_target
from vllmctl.client.refusals import confirmed, forget, learn, recall
from vllmctl.client.server import Server
from vllmctl.env import Environment
from vllmctl.errors import HttpStatusError, IncompleteAnswerError, UsageError, VllmctlError
from vllmctl.record import replace
from vllmctl.request.server.secret import masked_url
from vllmctl.rules.check import check


def served_endpoint(name: str, server: Server, env: Environment) -> Endpoint | None:
    """Return the endpoint ``name`` of ``server``, or ``None`` when nothing can be known.

    A known release has its facts; of any other server the ``/openapi.json`` decides which
    fields exist. What the server refused before is as it is remembered: nobody is asked
    about it. Raises nothing: a server that is not there is found out by the request.
    """
    target = server_target(server, env)
    refused = recall(server, env)
    if target is not None and target.asked is None and not refused:
        return endpoint(name, target)
    is_known = target is not None and target.asked is None
    try:
        document = None if is_known else openapi_document(hurried(server))
    except VllmctlError:
        return None
    if target is None and document is None:
        return None
    served = Served(_shown(server), document, not is_known, refused=refused)
    try:
        return endpoint(name, replace(target or newest(), served=served))
    except UsageError:  # it has no such path: the server's own words will say so
        return endpoint(name, target or newest())


def make_sure(prepared: Prepared, server: Server, env: Environment) -> None:
    """Look whether the server that refused what ``prepared`` asks for still runs.

    Most requests ask for no such thing, and then nobody is asked.
    """
    of = prepared.request.endpoint
    served = of.target.served
    if served is None or not any(found.code in served.refused for found in prepared.findings):
        return
    again = replace(served, refused=confirmed(server, env))
    prepared.request.endpoint = endpoint(of.name, replace(of.target, served=again))
    prepared.findings = findings_of(prepared.request)


@contextmanager
def learning(prepared: Prepared, server: Server, env: Environment) -> Iterator[None]:
    """Remember what the server refuses meanwhile, and forget what it does not refuse any more."""
    try:
        yield
    except (HttpStatusError, IncompleteAnswerError) as fault:
        if fault.server_message:
            learn(server, fault.server_message, env)
        raise
    refused = recall(server, env)
    if refused:
        of = prepared.request.endpoint
        served = of.target.served or Served(_shown(server))
        target = replace(of.target, served=replace(served, refused=refused))
        found = check(prepared.request.body, endpoint(of.name, target))
        forget(server, {finding.code for finding in found}, env)


def the_server(given: Given, env: Environment) -> Target:
    """Return as a target the server that flags, environment or config name.

    It is asked for its release, paths, models, and whether it still is the process that
    refused something. Raises ``CannotConnectError`` and the like, and ``UsageError`` for a
    server that tells neither its release nor its fields.
    """
    server = _opened(given, env)
    target = server_target(server, env)
    document = _document(server, needed=target is None)
    if document is None and target is None:
        raise UsageError(
            f"{_shown(server)} tells neither its release nor its fields",
            "name the release: --target vllm==0.32.0",
        )
    names, length = _models(server)
    decides = target is None or target.asked is not None
    refused = confirmed(server, env) if recall(server, env) else {}
    served = Served(_shown(server), document, decides, names, length, refused)
    return replace(target or newest(), served=served)


def _document(server: Server, *, needed: bool) -> dict[str, object] | None:
    """What the server says of its paths; it may be away where that is not ``needed``."""
    try:
        return openapi_document(server)
    except VllmctlError:
        if needed:
            raise
        return None


def _models(server: Server) -> tuple[tuple[str, ...], int | None]:
    """The names that are served, and the longest context where all have the same."""
    try:
        models = served_models(server)
    except VllmctlError:
        return (), None
    lengths = {model.max_model_len for model in models}
    return tuple(model.id for model in models), lengths.pop() if len(lengths) == 1 else None


def _opened(given: Given, env: Environment) -> Server:
    from vllmctl.cli.connecting import settings
    from vllmctl.cli.sending import open_server
    from vllmctl.fields.sugar import CHAT
    from vllmctl.request.profiles.resolve import resolve
    from vllmctl.request.sources import Sources

    plain = Given({name: given.values[name] for name in given.values if name != "target"}, ())
    found = settings(plain, resolve([], CHAT, env).server, env, Sources(env))
    return open_server(found, "", given, env)[0]


def _shown(server: Server) -> str:
    return masked_url(server.url.full())
