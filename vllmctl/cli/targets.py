"""Which release, or which server, a command speaks of."""

from vllmctl.catalog.target import SERVER, Target, parse_target
from vllmctl.cli.given import Given
from vllmctl.env import Environment


def asked_target(given: Given, env: Environment) -> Target:
    """Return the target that ``--target`` names, the newest release if none.

    Raises what a server that cannot be asked, or a release that never was, raises.
    """
    named = given.last("target") or "vllm"
    if named != SERVER:
        return parse_target(named)
    from vllmctl.cli.serving import the_server

    return the_server(given, env)
