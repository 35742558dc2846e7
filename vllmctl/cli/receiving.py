"""Receiving an answer: writing it, and saying at the end what it lacks."""

from collections.abc import Callable
from typing import TextIO, TypeVar

from vllmctl.cli.given import Given
from vllmctl.cli.preparing import Prepared
from vllmctl.cli.settings import VIEWS
from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Notice, Thought
from vllmctl.client.hints import Asked
from vllmctl.client.stream import read_answer
from vllmctl.client.transport import Response
from vllmctl.env import Environment
from vllmctl.errors import IncompleteAnswerError, VllmctlError
from vllmctl.fields.sugar import CHAT
from vllmctl.render.notes import write_note
from vllmctl.render.writer import TextWriter
from vllmctl.render.writers import PARTS, Writer, part_writer, raw_form, writer_for
from vllmctl.request.layers import origin_of
from vllmctl.request.model_names import remember_models
from vllmctl.verify.asked import choices_wanted

Fault = TypeVar("Fault", bound=VllmctlError)


def receive(
    response: Response,
    asked: Asked,
    prepared: Prepared,
    given: Given,
    env: Environment,
    *,
    answer: Answer,
    arrived: Callable[[], None],
) -> Answer:
    """Take what is in ``response`` into ``answer`` and write it, and return it if it is as asked.

    ``arrived`` is called when the first of it is there.
    """
    wanted = choices_wanted(prepared.request.body)
    form = raw_form(prepared.format)
    notices: list[str] = []
    writer = _writer(prepared, given, env, env.stdout, choices=wanted)
    if isinstance(writer, TextWriter):
        writer.tells_length = not given.has("strict")
    try:
        for events in read_answer(response, answer, raw=form, expected=wanted, asked=asked):
            arrived()
            writer.take(_without_notes(events) if given.has("quiet") else events)
            notices += [event.text for event in events if isinstance(event, Notice)]
    finally:
        # an interrupted answer, too, is shown as far as it came
        missing = _finish(writer, answer)
    if prepared.format == "text" and answer[0].logprobs and not given.shows_logprobs:
        notices.append("the log-probabilities are not shown; --show-logprobs or --json has them")
    if given.has("only_reasoning"):
        from vllmctl.client.outcome import said_once

        notices += said_once(
            answer, lambda one: () if one.reasoning else ("there is no reasoning in the answer",)
        )
    if prepared.request.body.get("bad_words"):
        from vllmctl.verify.verify import bad_words_in

        notices += bad_words_in(prepared.request.body, answer)
    for notice in [] if given.has("quiet") else notices:
        write_note(notice, env)
    remember_models(filter(None, [prepared.request.body.get("model")]), env)
    _conclude(answer, response.request_id, prepared, given, env, missing=missing)
    return answer


def _finish(writer: Writer, answer: Answer) -> IncompleteAnswerError | None:
    """Write what is left; return the fault of an answer without the part that was asked for."""
    try:
        writer.finish(answer)
    except IncompleteAnswerError as fault:
        return fault
    return None


def _without_notes(events: list[Event]) -> list[Event]:
    """Leave out how long was thought."""
    return [event for event in events if not isinstance(event, Thought)]


def _writer(
    prepared: Prepared, given: Given, env: Environment, out: TextIO, *, choices: int
) -> Writer:
    part = next((part for part in PARTS if given.has(part)), None)
    if part is not None:
        return part_writer(part, env, out)
    reasoning = not given.has("hide_reasoning")
    if given.has("show_logprobs"):
        from vllmctl.render.logprobs.writer import LogprobsWriter

        view, others = given.one_of("show_logprobs", VIEWS, VIEWS[0]), given.count("alternatives")
        return LogprobsWriter(env, out, view, others or 0, reasoning=reasoning, choices=choices)
    as_it_is = given.has("plain") or given.has("format")
    is_chat = prepared.request.endpoint.name == CHAT
    return writer_for(
        "markdown" if prepared.format == "text" and is_chat and not as_it_is else prepared.format,
        env,
        out,
        reasoning=reasoning,
        choices=choices,
        side_by_side=not as_it_is,
    )


def _conclude(
    answer: Answer,
    request_id: str,
    prepared: Prepared,
    given: Given,
    env: Environment,
    *,
    missing: IncompleteAnswerError | None,
) -> None:
    if given.has("usage_json") or given.has("usage"):
        from vllmctl.render.stats import write_usage, write_usage_json

        (write_usage_json if given.has("usage_json") else write_usage)(answer, env)
    if answer.failure is not None:
        failure = blamed(answer.failure, prepared)
        if "request id " not in failure.hint:
            failure.hint = "\n".join(filter(None, (failure.hint, f"request id {request_id}")))
        raise failure
    if missing is not None:
        raise missing
    if not given.has("no_verify"):
        _verify(answer, request_id, prepared)
    if given.has("strict") and any(c.finish_reason == "length" for c in answer.choices.values()):
        raise IncompleteAnswerError(
            "the answer was cut by the token limit", "raise --max-tokens, or leave out --strict"
        )


def _verify(answer: Answer, request_id: str, prepared: Prepared) -> None:
    """Raise ``IncompleteAnswerError`` when the answer is not what was asked for."""
    from vllmctl.verify.verify import faults

    found = faults(prepared.request.body, answer)
    if found:
        lines = found if len(found) == 1 else ["the answer is not as asked", *found]
        raise IncompleteAnswerError(
            "\n  ".join(lines), f"--no-verify takes it as it is\nrequest id {request_id}"
        )


def blamed(error: Fault, prepared: Prepared) -> Fault:
    """Add to the server's words where the value that it blames was set."""
    param = getattr(error, "param", None)
    origin = origin_of(param, prepared.request.origins) if param else None
    if origin is not None:
        error.message += f"\n  {origin.deed}"
    return error
