"""The judge of ``lint --target server``: what the server itself says that it is."""

from vllmctl.catalog.openapi import fitted
from vllmctl.catalog.target import newest
from vllmctl.cli.connecting import settings
from vllmctl.cli.given import Given
from vllmctl.cli.sending import open_server
from vllmctl.client.probe import openapi_document, server_target
from vllmctl.client.server import Server
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.fields.sugar import CHAT
from vllmctl.lint.judge import Judge
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.sources import Sources


def server_judge(given: Given, env: Environment) -> Judge:
    """Return the judge for the server that flags, environment or config name.

    A server that runs a known release is judged by the facts of it; of any other the
    ``/openapi.json`` decides which fields exist. Raises ``CannotConnectError`` and the
    like, and ``UsageError`` for a server that tells neither.
    """
    server = _server(given, env)
    target = server_target(server, env)
    if target is not None and target.asked is None:
        return Judge((target,), str(target))
    document = openapi_document(server)
    if document is None:
        if target is None:
            raise UsageError(
                f"{server.url.full()} tells neither its release nor its fields",
                "name the release: --target vllm==0.32.0",
            )
        return Judge((target,), str(target))
    known = target or newest()
    return Judge((known,), str(known), lambda facts: fitted(facts, document) or facts)


def _server(given: Given, env: Environment) -> Server:
    plain = Given({name: given.values[name] for name in given.values if name != "target"}, ())
    found = settings(plain, resolve([], CHAT, env).server, env, Sources(env))
    return open_server(found, "", given, env)[0]
