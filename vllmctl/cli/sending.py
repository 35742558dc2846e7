"""Sending a prepared request, and writing what comes back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, TypeVar

from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared
from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Notice
from vllmctl.client.failures import refusal
from vllmctl.client.hints import Asked
from vllmctl.client.probe import names_of, only_model, served_models
from vllmctl.client.server import Server, server_of
from vllmctl.client.stream import read_answer
from vllmctl.client.transport import Response, open_exchange
from vllmctl.env import Environment
from vllmctl.errors import HttpStatusError, IncompleteAnswerError, UsageError, VllmctlError
from vllmctl.exitcodes import ExitCode
from vllmctl.render.body import as_bytes
from vllmctl.render.notes import write_note
from vllmctl.render.preview import write_head, write_preview
from vllmctl.render.stats import write_usage, write_usage_json
from vllmctl.render.writers import PARTS, Writer, part_writer, raw_form, writer_for
from vllmctl.request.connection import Connection, connection
from vllmctl.request.layers import origin_of
from vllmctl.request.origin import Origin
from vllmctl.request.server_settings import Settings

Fault = TypeVar("Fault", bound=VllmctlError)


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
    prepared: Prepared, server: Server, link: Connection, given: Given, env: Environment
) -> int:
    """Send ``prepared`` and write the answer; return the exit code."""
    path = prepared.request.endpoint.path
    if given.has("output"):
        output_path(given.all("output")[-1], env)
    _name_model(prepared, server)
    if given.has("verbose"):
        write_preview(prepared.request, link, server.url.full(path), env)
    body = as_bytes(prepared.request.body)
    with open_exchange(server, "POST", path, body) as response:
        if given.has("include") or given.has("verbose"):
            write_head(response, env)
        if not 200 <= response.status < 300:
            raise _refused(response, prepared, server)
        return _receive(response, prepared, given, env)


def _name_model(prepared: Prepared, server: Server) -> None:
    """Name the server's only model where none is named."""
    request = prepared.request
    if not request.body.get("model"):
        model = only_model(server).id
        request.body = {**request.body, "model": model}
        request.origins["model"] = Origin("server", "the server's only model")


def _receive(response: Response, prepared: Prepared, given: Given, env: Environment) -> int:
    answer = Answer(sent=response.sent)
    n = prepared.request.body.get("n")
    expected = n if isinstance(n, int) else 1
    with _output(given, env) as out:
        writer = _writer(prepared, given, env, out)
        form = raw_form(prepared.format)
        for events in read_answer(response, answer, raw=form, expected=expected):
            writer.take(events)
            _notices(events, given, env)
        writer.finish(answer)
    return _conclude(answer, response.request_id, prepared, given, env)


def _writer(prepared: Prepared, given: Given, env: Environment, out: TextIO) -> Writer:
    part = next((part for part in PARTS if given.has(part)), None)
    if part is not None:
        return part_writer(part, out)
    return writer_for(prepared.format, env, out, reasoning=not given.has("hide_reasoning"))


def _conclude(
    answer: Answer, request_id: str, prepared: Prepared, given: Given, env: Environment
) -> int:
    if given.has("usage_json"):
        write_usage_json(answer, env)
    elif given.has("usage"):
        write_usage(answer, env)
    if answer.failure is not None:
        failure = _blamed(answer.failure, prepared)
        failure.hint = "\n".join(filter(None, (failure.hint, f"request id {request_id}")))
        raise failure
    if not given.has("no_verify"):
        _verify(answer, request_id, prepared)
    if given.has("strict") and any(c.finish_reason == "length" for c in answer.choices.values()):
        raise IncompleteAnswerError(
            "the answer was cut by the token limit", "raise --max-tokens, or leave out --strict"
        )
    return ExitCode.DONE


def _verify(answer: Answer, request_id: str, prepared: Prepared) -> None:
    """Raise ``IncompleteAnswerError`` when the answer is not what was asked for."""
    from vllmctl.verify.verify import faults

    found = faults(prepared.request.body, answer)
    if found:
        lines = found if len(found) == 1 else ["the answer is not as asked", *found]
        raise IncompleteAnswerError(
            "\n  ".join(lines), f"--no-verify takes it as it is\nrequest id {request_id}"
        )


def _notices(events: list[Event], given: Given, env: Environment) -> None:
    for event in events:
        if isinstance(event, Notice) and not given.has("quiet"):
            write_note(event.text, env)


def _refused(response: Response, prepared: Prepared, server: Server) -> HttpStatusError:
    """The server's refusal, with where the value that it blames was set."""
    asked = Asked(
        response.url,
        "POST",
        key_source=server.key_source,
        model=str(prepared.request.body.get("model") or ""),
        served=lambda: names_of(served_models(server)),
    )
    return _blamed(refusal(response, asked), prepared)


def _blamed(error: Fault, prepared: Prepared) -> Fault:
    """Add to the server's words where the value that it blames was set."""
    param = getattr(error, "param", None)
    origin = origin_of(param, prepared.request.origins) if param else None
    if origin is not None:
        error.message += f"\n  set by {origin}"
    return error


@contextmanager
def _output(given: Given, env: Environment) -> Iterator[TextIO]:
    """Where the answer goes: stdout, or a file that appears whole at the end."""
    name = given.last("output")
    if name is None:
        yield env.stdout
        return
    from io import StringIO

    from vllmctl.request.atomic_write import write_atomically

    buffer = StringIO()
    try:
        yield buffer
    finally:
        write_atomically(output_path(name, env), buffer.getvalue(), env)


def output_path(name: str, env: Environment) -> Path:
    """Return the path of ``--output``; raises ``UsageError`` when no file can be made there."""
    from vllmctl.request.file_paths import expanded, is_folder

    path = expanded(name, env.cwd, env)
    if is_folder(path):
        raise UsageError(f"--output: {name} is a folder")
    if not is_folder(path.parent):
        raise UsageError(f"--output: there is no folder {path.parent}")
    return path
