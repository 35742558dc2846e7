"""Sending a prepared request."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared
from vllmctl.cli.waiting import waiting
from vllmctl.client.server import Server, server_of
from vllmctl.client.transport import Response, open_exchange
from vllmctl.env import Environment
from vllmctl.render.body import as_bytes
from vllmctl.render.notes import write_note
from vllmctl.request.origin import Origin
from vllmctl.request.server.connection import Connection, connection
from vllmctl.request.server.settings import Settings

if TYPE_CHECKING:
    from vllmctl.client.answer import Answer
    from vllmctl.client.hints import Asked


def open_server(
    settings: Settings, path: str, given: Given, env: Environment
) -> tuple[Server, Connection]:
    """Return the server that ``settings`` lead to; what is to be known goes to stderr."""

    def notify(text: str) -> None:
        if not given.has("quiet"):
            write_note(text, env)

    link = connection(settings, env)
    for notice in link.notices:
        notify(notice)
    return server_of(link, env, notify, path=path), link


def send(
    prepared: Prepared,
    server: Server,
    link: Connection,
    given: Given,
    env: Environment,
    *,
    begun: Callable[["Answer"], None] = lambda _: None,
) -> "Answer":
    """Send ``prepared``, write the answer and return it.

    ``begun`` gets the answer as soon as one begins, so that what arrived can be looked at
    even when the rest never comes.
    """
    path = prepared.request.endpoint.path
    with waiting(env, "the server to name its model", quiet=given.has("quiet")):
        _name_model(prepared, server)
    if given.has("verbose"):
        from vllmctl.client.probe import remembered_target
        from vllmctl.render.preview import write_preview

        is_told = remembered_target(server, env) is not None
        release = "the server's" if is_told else "the newest known"
        write_preview(prepared.request, link, server.url.full(path), env, release=release)
    body = as_bytes(prepared.request.body)
    with (
        waiting(env, "the first token", quiet=given.has("quiet")) as wait,
        open_exchange(server, "POST", path, body, meanwhile=_get_ready) as response,
    ):
        from vllmctl.cli.receiving import blamed, receive
        from vllmctl.client.answer import Answer

        if given.has("include") or given.has("verbose"):
            from vllmctl.render.preview import write_head

            write_head(response, env)
        asked = _asked(response, prepared, server, link)
        if not 200 <= response.status < 300:
            from vllmctl.client.failures import refusal

            raise blamed(refusal(response, asked), prepared)
        answer = Answer(sent=response.sent)
        begun(answer)
        return receive(response, asked, prepared, given, env, answer=answer, arrived=wait)


def _get_ready() -> None:
    """Import what an answer needs while the server thinks about the request."""
    import vllmctl.cli.receiving  # noqa: F401


def _name_model(prepared: Prepared, server: Server) -> None:
    """Name the server's only model where none is named."""
    request = prepared.request
    if not request.body.get("model"):
        from vllmctl.client.probe import only_model

        model = only_model(server)
        also = f", also called {', '.join(model.aliases)}" if model.aliases else ""
        request.body = {**request.body, "model": model.id}
        request.origins["model"] = Origin("server", f"the server's only model{also}")


def _asked(response: Response, prepared: Prepared, server: Server, link: Connection) -> "Asked":
    """What was asked, for words about why it failed."""
    from vllmctl.client.hints import Asked
    from vllmctl.client.probe import names_of, served_models

    origin = link.origins.get("base_url")
    return Asked(
        response.url,
        "POST",
        model=str(prepared.request.body.get("model") or ""),
        key_source=server.key_source,
        url_source=str(origin) if origin else "",
        served=lambda: names_of(served_models(server)),
    )
