"""The parts of chat answers: messages, log probabilities, ends."""

from collections.abc import Mapping, Sequence
from typing import Any

from vllmctl.catalog.target import index
from vllmctl.mock.generate import Span, Step
from vllmctl.mock.job import Choice, Job
from vllmctl.mock.logprobs import Candidate, candidates, token_text
from vllmctl.mock.plan import Call, Part
from vllmctl.mock.prompt import content_text

CALL_PARTS = (Part.CALL_HEAD, Part.CALL_NAMED, Part.CALL_ARGUMENTS, Part.CALL_TAIL)

_REASONING_SINCE = "0.11.1"


def message(job: Job, choice: Choice, steps: Sequence[Step]) -> dict[str, Any]:
    """Return the message of a whole answer."""
    spans = [span for step in steps for span in step.spans]
    ended = {token.call for token, _ in spans if token.part is Part.CALL_TAIL}
    calls = [call for number, call in enumerate(choice.calls) if number in ended]
    reasoning = text_of(spans, Part.REASONING) if shows_reasoning(job) else ""
    return {
        "role": role(job),
        "content": _content(job, spans, called=bool(calls)),
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
        **({"tool_calls": [_whole(call) for call in calls]} if calls else {}),
        reasoning_name(job): reasoning or None,
    }


def _content(job: Job, spans: Sequence[Span], *, called: bool) -> str | None:
    """The content; a call that was cut off is text like any other."""
    content: str | None = text_of(spans, Part.CONTENT)
    if called:
        content = None if not (content or "").strip() else content
    else:
        content = f"{content}{text_of(spans, *CALL_PARTS)}" or None
    if is_forced(job) and content is None:
        content = ""
    if job.wants("echo"):
        content = f"{echoed(job)}{content or ''}"
    return content


def text_of(spans: Sequence[Span], *parts: Part) -> str:
    """Return the text of some parts."""
    return "".join(text for token, text in spans if token.part in parts)


def shows_reasoning(job: Job) -> bool:
    """Whether reasoning (and what could give it away) is shown."""
    return job.body.get("include_reasoning") is not False or not job.options.thinks


def reasoning_name(job: Job) -> str:
    """Return the member that holds reasoning; older releases called it otherwise."""
    target = job.options.target
    if target.engine == "vllm" and index(target.release) < index(_REASONING_SINCE):
        return "reasoning_content"
    return "reasoning"


def role(job: Job) -> str:
    """Return the role of the answer: the last message's when no turn was begun."""
    if job.body.get("add_generation_prompt", True) is not False:
        return "assistant"
    return str(job.body["messages"][-1].get("role", "assistant"))


def echoed(job: Job) -> str:
    """Return what ``echo`` puts before the answer."""
    last = job.body["messages"][-1]
    return content_text(last.get("content")) if last.get("role") == role(job) else ""


def is_forced(job: Job) -> bool:
    """Whether a tool call was asked for, by name or not."""
    choice = job.body.get("tool_choice")
    return choice == "required" or isinstance(choice, Mapping)


def finish_reason(job: Job, last: Step, *, called: bool) -> str | None:
    """Return the reason of the end: a call that was named ends with ``stop``."""
    if last.finish == "stop" and called and not isinstance(job.body.get("tool_choice"), Mapping):
        return "tool_calls"
    return last.finish


def token_ids(job: Job, steps: Sequence[Step]) -> list[int] | None:
    """Return the ids when they were asked for."""
    return [step.token.id for step in steps] if job.wants("return_token_ids") else None


def logprobs(job: Job, steps: Sequence[Step], before: int) -> dict[str, Any] | None:
    """Return the log probabilities of steps, ``before`` which others were made."""
    if not job.wants("logprobs"):
        return None
    return {"content": [_logprob(job, step, before + n) for n, step in enumerate(steps)]}


def _logprob(job: Job, step: Step, position: int) -> dict[str, Any]:
    body = job.body
    ids = body.get("logprob_token_ids") or ()
    top = len(ids) + 1 if ids else max(0, body.get("top_logprobs") or 0)
    found = candidates(step.token.id, position, 0 if ids else top, ids=ids)
    as_id = job.wants("return_tokens_as_token_ids")
    shown = token_text(step.token.id, as_id=True) if as_id else step.spelt
    return {
        "token": shown,
        "logprob": found[0].logprob,
        "bytes": None if job.beams else list(step.spelt.encode()),
        "top_logprobs": [_top(one, step, as_id=as_id) for one in found[:top]],
    }


def _top(one: Candidate, step: Step, *, as_id: bool) -> dict[str, Any]:
    text = step.spelt if one.token == step.token.id else token_text(one.token, as_id=False)
    text = token_text(one.token, as_id=True) if as_id else text
    return {"token": text, "logprob": one.logprob, "bytes": list(text.encode())}


def prompt_top(job: Job, own: str) -> int | None:
    """Return how many log probabilities of the prompt were asked for.

    ``echo`` asks for as many as ``own`` says.
    """
    asked = job.body.get("prompt_logprobs")
    if asked is None and job.wants("echo") and not job.beams:
        asked = job.body.get(own, 0 if own == "top_logprobs" else None)
    return asked


def _whole(call: Call) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def call_opening(call: Call, number: int) -> dict[str, Any]:
    """Return the first piece of a streamed call."""
    return {"id": call.id, "type": "function", "index": number, "function": {"name": call.name}}
