"""The answers of ``/v1/chat/completions``, whole and streamed."""

from collections.abc import Iterator, Sequence
from typing import Any

from vllmctl.mock import chat_message as part
from vllmctl.mock.generate import Span, Step
from vllmctl.mock.job import Choice, Group, Job, in_turn, reasoning_count
from vllmctl.mock.logprobs import prompt_logprobs
from vllmctl.mock.plan import Part
from vllmctl.mock.usage import chat_usage, running_usage, without_nulls
from vllmctl.mock.wire import DONE, Piece, compact, event


def chat_answer(job: Job) -> tuple[dict[str, Any], int]:
    """Return the whole answer, and how many tokens were made for it."""
    made = [(choice, list(choice.steps)) for choice in job.choices()]
    total = sum(len(steps) for _, steps in made)
    reasoning = sum(reasoning_count(steps) for _, steps in made)
    top = part.prompt_top(job, "top_logprobs")
    answer = {
        **_head(job, "chat.completion"),
        "choices": [_choice(job, choice, steps) for choice, steps in made],
        "service_tier": None,
        "system_fingerprint": job.fingerprint,
        "usage": chat_usage(job, total, reasoning),
        "prompt_logprobs": None if top is None else prompt_logprobs(job.prompts[0], top),
        "prompt_token_ids": job.prompts[0] if job.wants("return_token_ids") else None,
        "prompt_text": None,
        "kv_transfer_params": None,
        "ec_transfer_params": None,
        "metrics": None,
    }
    return answer, total


def chat_stream(job: Job) -> Iterator[Piece]:
    """Yield the events of a streamed answer, and the waits between them."""
    return _Stream(job).pieces()


def _choice(job: Job, choice: Choice, steps: Sequence[Step]) -> dict[str, Any]:
    message = part.message(job, choice, steps)
    shown = part.shows_reasoning(job)
    called = bool(message.get("tool_calls"))
    return {
        "index": choice.number,
        "message": message,
        "logprobs": part.logprobs(job, steps, 0) if shown else None,
        "finish_reason": part.finish_reason(job, steps[-1], called=called),
        "stop_reason": steps[-1].stop_reason,
        "token_ids": part.token_ids(job, steps) if shown else None,
        "routed_experts": None,
    }


class _Stream:
    """Turns steps into chunks."""

    def __init__(self, job: Job) -> None:
        self._job = job
        options = job.body.get("stream_options") or {}
        self._usage = bool(options.get("include_usage"))
        self._running = self._usage and bool(options.get("continuous_usage_stats"))
        self._shown = part.shows_reasoning(job)
        self._made: dict[int, list[Step]] = {}
        self._called: dict[int, set[int]] = {}

    def pieces(self) -> Iterator[Piece]:
        choices = self._job.choices()
        pace = self._job.pace
        yield from pace.first()
        yield from self._opening(choices)
        for choice, group in in_turn(self._job, choices):
            if choice is choices[0] and self._made[choice.number]:
                for _ in group:
                    yield from pace.between()
            chunk = self._chunk(choice, group)
            if chunk is not None:
                yield event(compact(chunk))
        if self._usage:
            yield event(compact(self._last()))
        yield DONE

    def _opening(self, choices: Sequence[Choice]) -> Iterator[bytes]:
        ids = self._job.prompts[0] if self._job.wants("return_token_ids") else None
        delta = {"role": part.role(self._job), "content": ""}
        for choice in choices:
            self._made[choice.number] = []
            self._called[choice.number] = set()
            chunk = self._frame(choice, delta)
            yield event(compact({**chunk, "prompt_token_ids": ids, "prompt_text": None}))
        said = part.echoed(self._job) if self._job.wants("echo") else ""
        for choice in choices if said else ():
            yield event(compact(self._frame(choice, {"content": said})))

    def _chunk(self, choice: Choice, group: Group) -> dict[str, Any] | None:
        """Return the chunk of a group, or ``None`` when nothing in it is for the client."""
        job, last = self._job, group[-1]
        before = len(self._made[choice.number])
        self._made[choice.number] += group
        delta = self._delta(choice, [span for step in group for span in step.spans])
        logprobs = part.logprobs(job, group, before) if self._shown else None
        ids = part.token_ids(job, group) if self._shown else None
        if not (delta or last.finish or logprobs or ids):
            return None
        chunk = self._frame(choice, delta)
        entry = chunk["choices"][0]
        entry["logprobs"] = logprobs
        if last.finish:
            called = bool(self._called[choice.number])
            entry["finish_reason"] = part.finish_reason(job, last, called=called)
            entry["stop_reason"] = last.stop_reason
            if not self._usage:
                chunk["system_fingerprint"] = job.fingerprint
        entry["token_ids"] = ids
        return chunk

    def _delta(self, choice: Choice, spans: Sequence[Span]) -> dict[str, Any]:
        name = part.reasoning_name(self._job)
        content = part.text_of(spans, Part.CONTENT)
        calls = list(self._call_deltas(choice, spans))
        delta: dict[str, Any] = {"content": content or None} if content or calls else {}
        if calls:
            delta["tool_calls"] = calls
        if self._shown and (reasoning := part.text_of(spans, Part.REASONING)):
            delta[name] = reasoning
        elif delta and not self._shown:
            delta[name] = None
        return delta

    def _call_deltas(self, choice: Choice, spans: Sequence[Span]) -> Iterator[dict[str, Any]]:
        called = self._called[choice.number]
        for token, text in spans:
            if token.part is Part.CALL_NAMED and token.call not in called:
                called.add(token.call)
                yield part.call_opening(choice.calls[token.call], token.call)
            elif token.part is Part.CALL_ARGUMENTS:
                yield {"index": token.call, "function": {"arguments": text}}

    def _frame(self, choice: Choice, delta: dict[str, Any]) -> dict[str, Any]:
        entry = {"index": choice.number, "delta": delta, "logprobs": None, "finish_reason": None}
        frame: dict[str, Any] = {**_head(self._job, "chat.completion.chunk"), "choices": [entry]}
        if self._running:
            made = self._made[choice.number]
            reasoning = reasoning_count(made)
            frame["usage"] = running_usage(self._job, self._job.prompt_tokens, len(made), reasoning)
        return frame

    def _last(self) -> dict[str, Any]:
        steps = [step for made in self._made.values() for step in made]
        usage = chat_usage(self._job, len(steps), reasoning_count(steps))
        return {
            **_head(self._job, "chat.completion.chunk"),
            "choices": [],
            "usage": without_nulls(usage),
            "system_fingerprint": self._job.fingerprint,
        }


def _head(job: Job, kind: str) -> dict[str, Any]:
    return {"id": job.id, "object": kind, "created": job.created, "model": job.model}
