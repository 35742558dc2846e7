"""The endpoint as the server has it: by its release, or by what it says of itself."""

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.openapi import fitted
from vllmctl.catalog.target import newest
from vllmctl.client.probe import openapi_document, server_target
from vllmctl.client.server import Server
from vllmctl.env import Environment
from vllmctl.errors import VllmctlError


def served_endpoint(name: str, server: Server, env: Environment) -> Endpoint | None:
    """Return the endpoint ``name`` of ``server``, or ``None`` when nothing can be known.

    A known release has its facts; of any other server the ``/openapi.json`` decides which
    fields exist. Raises nothing: a server that is not there is found out by the request.
    """
    target = server_target(server, env)
    if target is not None and target.asked is None:
        return endpoint(name, target)
    try:
        document = openapi_document(server)
    except VllmctlError:
        return None
    facts = endpoint(name, target or newest())
    return (fitted(facts, document) if document else None) or (facts if target else None)
