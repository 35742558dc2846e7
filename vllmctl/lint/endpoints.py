"""Which endpoint a body is meant for."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from vllmctl.catalog.files import read_index
from vllmctl.catalog.load import by_path
from vllmctl.errors import UsageError
from vllmctl.fields.sugar import BY_COMMAND
from vllmctl.nearest import nearest
from vllmctl.request.server.keys import described
from vllmctl.rules.finding import Finding, Level

_TOLD_BY = {
    "messages": "chat.completions",
    "prompt": "completions",
    "prompt_embeds": "completions",
}


def named(text: str, engine: str) -> str:
    """Return the endpoint that a person calls ``chat``, ``embeddings`` or ``/v1/rerank``.

    Raises ``UsageError`` for a name that is none.
    """
    known = read_index(engine)["endpoints"]
    name = BY_COMMAND.get(text, text)
    if name in known:
        return name
    found = at_path(text, engine) if "/" in text else None
    if found is not None:
        return found
    near = nearest(text, [*BY_COMMAND, *known, *(place["path"] for place in known.values())])
    hint = f"did you mean {near}?" if near else f"there are chat, complete, {', '.join(known)}"
    raise UsageError(f"--endpoint: {engine} has no {text!r}", hint)


@lru_cache(256)
def at_path(url: str, engine: str) -> str | None:
    """Return the endpoint of a URL or path; what a proxy puts before the path is forgiven."""
    path = "/" + url.partition("://")[2].partition("/")[2] if "://" in url else url
    parts = path.partition("?")[0].strip("/").split("/")
    for start in range(len(parts)):
        name = by_path("/" + "/".join(parts[start:]), engine)
        if name is not None:
            return name
    return None


def guessed(body: Any) -> str | None:
    """Return the endpoint that takes such a body, or ``None`` when several do."""
    if not isinstance(body, Mapping):
        return None
    return next((name for key, name in _TOLD_BY.items() if key in body), None)


def no_path(url: str, engine: str) -> Finding:
    """Return the finding for a path that no server of ``engine`` has."""
    paths = [place["path"] for place in read_index(engine)["endpoints"].values()]
    near = nearest(url, paths)
    hint = f": did you mean {near}" if near else ""
    return Finding(Level.ERROR, "endpoint.unknown", "", f"{engine} has no {url}{hint}")


def cannot_tell(body: Any) -> Finding:
    """Return the finding for a body that may be meant for many endpoints, or for none."""
    if not isinstance(body, Mapping):
        message = f"a request must be a JSON object, got {described(body)}"
        return Finding(Level.ERROR, "endpoint.not_told", "", message)
    message = "the body does not tell its endpoint: name it with --endpoint chat|complete|PATH"
    return Finding(Level.ERROR, "endpoint.not_told", "", message)
