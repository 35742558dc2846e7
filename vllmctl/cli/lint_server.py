"""Which release ``lint --target server`` is about."""

from vllmctl.catalog.target import Target
from vllmctl.cli.connecting import settings
from vllmctl.cli.given import Given
from vllmctl.cli.sending import open_server
from vllmctl.client.probe import server_target
from vllmctl.client.transport import open_exchange
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.fields.sugar import CHAT
from vllmctl.request.profiles import resolve
from vllmctl.request.sources import Sources


def server_release(given: Given, env: Environment) -> Target:
    """Return the release that the server named by flags, environment or config runs.

    Raises ``CannotConnectError`` and the like, and ``UsageError`` when it does not tell.
    """
    plain = Given({name: given.values[name] for name in given.values if name != "target"}, ())
    found = settings(plain, resolve([], CHAT, env).server, env, Sources(env))
    server, _ = open_server(found, "", given, env)
    target = server_target(server, env)
    if target is not None:
        return target
    with open_exchange(server, "GET", "/version") as response:  # says so if nobody is there
        raise UsageError(
            f"{response.url} does not tell a release (HTTP {response.status})",
            "name it: --target vllm==0.32.0",
        )
