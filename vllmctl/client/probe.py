"""Asking a server what it is: its models, its release."""

from collections.abc import Sequence
from time import time
from typing import Any

from vllmctl.catalog.target import Target, closest, version_key
from vllmctl.client.failures import refusal
from vllmctl.client.hints import Asked
from vllmctl.client.payload import parse
from vllmctl.client.server import Limits, Server
from vllmctl.client.transport import open_exchange
from vllmctl.env import Environment
from vllmctl.errors import IncompleteAnswerError, UsageError, VllmctlError
from vllmctl.record import Record, replace
from vllmctl.request.cache_file import CacheFile

_FRESH = 600
"""Seconds that a server is taken to run the release it told."""
_PATIENCE = 5.0
"""Seconds that it is worth waiting for what a server says of itself."""
_CALENDAR_YEAR = 2000
"""Furiosa-LLM's releases are calendar versions (2026.4.0), vLLM's are not."""


class Model(Record, frozen=True):
    """A model that the server serves.

    ``max_model_len`` is the longest prompt and answer together in tokens; ``root`` the
    model behind an alias; ``parent`` the base model of an adapter. ``aliases`` are its other
    names, where somebody asked for those.
    """

    id: str
    max_model_len: int | None = None
    root: str | None = None
    parent: str | None = None
    aliases: tuple[str, ...] = ()


def served_models(server: Server) -> list[Model]:
    """Return what ``/v1/models`` lists, in the server's order.

    Raises what ``open_exchange`` raises, ``HttpStatusError`` when the server refuses, and
    ``IncompleteAnswerError`` when the answer is no list of models.
    """
    value = _get(server, "/v1/models")
    entries = value.get("data") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise IncompleteAnswerError(
            f"{server.url.full('/v1/models')} gives no list of models",
            "another program answers there; -m/--model needs no list",
        )
    return [_model(entry) for entry in entries if isinstance(entry, dict) and entry.get("id")]


def only_model(server: Server) -> Model:
    """Return the one model that the server serves; names of one model count once.

    Raises as ``served_models`` does, and ``UsageError`` with the list when there are more,
    or none.
    """
    models = served_models(server)
    roots = {model.root or model.id for model in models}
    if len(roots) == 1:
        return replace(models[0], aliases=tuple(names_of(models[1:])))
    names = ", ".join(model.id for model in models)
    url = server.url.full()
    if not models:
        raise UsageError(f"{url} serves no model")
    raise UsageError(
        f"{url} serves {len(roots)} models, and the request names none: {names}",
        f"choose one with -m/--model, for example -m {models[0].id}",
    )


def names_of(models: Sequence[Model]) -> list[str]:
    """Return the names of ``models``."""
    return [model.id for model in models]


def server_target(server: Server, env: Environment) -> Target | None:
    """Return the release that the server runs, or ``None`` when it cannot be known.

    ``/version`` is asked for five seconds at most, and its answer kept for ten minutes in
    the cache folder. Raises nothing: a server that is not there is found out by the request.
    """
    if server.url.is_mock:  # another one each time
        return _target_of(_version(server) or "")
    kept = _Kept(env)
    version = kept.version(server)
    if version is None:
        version = _version(server)
        if version is None:
            return None
        kept.keep(server, version)
    return _target_of(version)


def openapi_document(server: Server) -> dict[str, Any] | None:
    """Return what ``/openapi.json`` says, or ``None`` for a server that has none.

    Raises ``CannotConnectError`` and ``TimedOutError``.
    """
    with open_exchange(server, "GET", "/openapi.json") as response:
        if response.status != 200:
            return None
        try:
            document = parse(response.read())
        except ValueError:
            return None
    return document if isinstance(document, dict) else None


def hurried(server: Server, seconds: float | None = None) -> Server:
    """Return ``server`` for a question whose answer is worth five seconds, or so many."""
    seconds = seconds or _PATIENCE
    connect = min(server.limits.connect or seconds, seconds)
    return replace(server, limits=Limits(connect, total=seconds), retries=0)


def remembered_target(server: Server, env: Environment) -> Target | None:
    """Return the release that the server told lately; nobody is asked."""
    if server.url.is_mock:
        return None
    version = _Kept(env).version(server)
    return _target_of(version) if version else None


def _target_of(version: str) -> Target | None:
    key = version_key(version)
    engine = "furiosa" if key and key[0] and key[0][0] >= _CALENDAR_YEAR else "vllm"
    return closest(engine, version)


def _version(server: Server) -> str | None:
    try:
        value = _get(hurried(server), "/version")
    except VllmctlError:
        return None
    version = value.get("version") if isinstance(value, dict) else None
    return version if isinstance(version, str) else None


def _get(server: Server, path: str) -> Any:
    with open_exchange(server, "GET", path) as response:
        if response.status != 200:
            asked = Asked(response.url, "GET", key_source=server.key_source)
            raise refusal(response, asked)
        try:
            return parse(response.read())
        except ValueError:
            raise IncompleteAnswerError(f"{response.url} does not answer with JSON") from None


def _model(entry: dict[str, Any]) -> Model:
    length = entry.get("max_model_len")
    return Model(
        str(entry["id"]),
        length if isinstance(length, int) else None,
        entry.get("root") or None,
        entry.get("parent") or None,
    )


class _Kept:
    """The releases of servers asked lately."""

    def __init__(self, env: Environment) -> None:
        self._file = CacheFile("servers.json", env)

    def version(self, server: Server) -> str | None:
        """Return what ``server`` told within the last ten minutes."""
        return _fresh_version(self._file.read_object().get(server.url.name))

    def keep(self, server: Server, version: str) -> None:
        """Remember what ``server`` told, and forget what is old."""
        self._file.update_object(
            lambda known: {
                **{name: entry for name, entry in known.items() if _fresh_version(entry)},
                server.url.name: [version, time()],
            }
        )


def _fresh_version(entry: Any) -> str | None:
    if not isinstance(entry, list) or len(entry) != 2:
        return None
    version, asked = entry
    fresh = isinstance(asked, int | float) and 0 <= time() - asked < _FRESH
    return version if fresh and isinstance(version, str) else None
