"""Sending a prepared request."""

from collections.abc import Callable

from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared
from vllmctl.cli.receiving import blamed, output_path, receive
from vllmctl.cli.waiting import waiting
from vllmctl.client.answer import Answer
from vllmctl.client.failures import refusal
from vllmctl.client.hints import Asked
from vllmctl.client.probe import names_of, only_model, served_models
from vllmctl.client.server import Server, server_of
from vllmctl.client.transport import Response, open_exchange
from vllmctl.env import Environment
from vllmctl.render.body import as_bytes
from vllmctl.render.notes import write_note
from vllmctl.render.preview import write_head, write_preview
from vllmctl.request.origin import Origin
from vllmctl.request.server.connection import Connection, connection
from vllmctl.request.server.settings import Settings


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
    begun: Callable[[Answer], None] = lambda _: None,
) -> Answer:
    """Send ``prepared``, write the answer and return it.

    ``begun`` gets the answer as soon as one begins, so that what arrived can be looked at
    even when the rest never comes.
    """
    path = prepared.request.endpoint.path
    if given.has("output"):
        output_path(given.all("output")[-1], env)
    _name_model(prepared, server)
    if given.has("verbose"):
        write_preview(prepared.request, link, server.url.full(path), env)
    body = as_bytes(prepared.request.body)
    with (
        waiting(env, quiet=given.has("quiet")) as wait,
        open_exchange(server, "POST", path, body) as response,
    ):
        if given.has("include") or given.has("verbose"):
            write_head(response, env)
        asked = _asked(response, prepared, server, link)
        if not 200 <= response.status < 300:
            raise blamed(refusal(response, asked), prepared)
        answer = Answer(sent=response.sent)
        begun(answer)
        return receive(response, asked, prepared, given, env, answer=answer, arrived=wait)


def _name_model(prepared: Prepared, server: Server) -> None:
    """Name the server's only model where none is named."""
    request = prepared.request
    if not request.body.get("model"):
        model = only_model(server).id
        request.body = {**request.body, "model": model}
        request.origins["model"] = Origin("server", "the server's only model")


def _asked(response: Response, prepared: Prepared, server: Server, link: Connection) -> Asked:
    """What was asked, for words about why it failed."""
    origin = link.origins.get("base_url")
    return Asked(
        response.url,
        "POST",
        model=str(prepared.request.body.get("model") or ""),
        key_source=server.key_source,
        url_source=str(origin) if origin else "",
        served=lambda: names_of(served_models(server)),
    )
