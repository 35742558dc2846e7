"""The answers of ``/v1/completions``, whole and streamed."""

from collections.abc import Iterator, Sequence
from typing import Any

from vllmctl.mock.chat_message import prompt_top, token_ids
from vllmctl.mock.generate import Step
from vllmctl.mock.job import Choice, Group, Job, in_turn
from vllmctl.mock.logprobs import candidates, prompt_logprobs, token_text
from vllmctl.mock.tokenizer import decode, decode_steps
from vllmctl.mock.usage import completion_usage, counts, running_usage
from vllmctl.mock.wire import DONE, Piece, compact, event


def completion_answer(job: Job) -> tuple[dict[str, Any], int]:
    """Return the whole answer, and how many tokens were made for it."""
    made = [(choice, list(choice.steps)) for choice in job.choices()]
    total = sum(len(steps) for _, steps in made)
    answer = {
        **_head(job),
        "choices": [_choice(job, choice, steps) for choice, steps in made],
        "service_tier": None,
        "system_fingerprint": job.fingerprint,
        "usage": completion_usage(job, total),
        "kv_transfer_params": None,
        "ec_transfer_params": None,
        "metrics": None,
    }
    return answer, total


def completion_stream(job: Job) -> Iterator[Piece]:
    """Yield the events of a streamed answer, and the waits between them."""
    return _Stream(job).pieces()


def _choice(job: Job, choice: Choice, steps: Sequence[Step]) -> dict[str, Any]:
    prompt = job.prompts[choice.prompt]
    text = "".join(text for step in steps for _, text in step.spans)
    top = prompt_top(job, "logprobs")
    echo = job.wants("echo")
    shown = [] if _only_echoes(job) else steps
    return {
        "index": choice.number,
        "text": f"{_echoed(job, choice)}{text if shown else ''}" if echo else text,
        "logprobs": _logprobs(job, prompt if echo else (), shown, 0, 0),
        "finish_reason": steps[-1].finish,
        "stop_reason": steps[-1].stop_reason,
        "token_ids": token_ids(job, steps),
        "prompt_logprobs": None if top is None else prompt_logprobs(prompt, top),
        "prompt_token_ids": prompt if job.wants("return_token_ids") else None,
        "routed_experts": None,
    }


class _Stream:
    """Turns steps into chunks."""

    def __init__(self, job: Job) -> None:
        self._job = job
        options = job.body.get("stream_options") or {}
        self._usage = bool(options.get("include_usage"))
        self._running = self._usage and bool(options.get("continuous_usage_stats"))
        self._made: dict[int, int] = {}
        self._offsets: dict[int, int] = {}

    def pieces(self) -> Iterator[Piece]:
        choices = self._job.choices()
        pace = self._job.pace
        yield from pace.first()
        for choice, group in in_turn(self._job, choices):
            if choice is choices[0] and choice.number in self._made:
                for _ in group:
                    yield from pace.between()
            yield event(compact(self._chunk(choice, group)))
        if self._usage:
            yield event(compact(self._last()))
        yield DONE

    def _chunk(self, choice: Choice, group: Group) -> dict[str, Any]:
        job, last = self._job, group[-1]
        opens = choice.number not in self._made
        before = self._made.get(choice.number, 0)
        self._made[choice.number] = before + len(group)
        prompt = job.prompts[choice.prompt]
        echoes = opens and job.wants("echo")
        shown = [] if _only_echoes(job) else group
        text = "".join(text for step in shown for _, text in step.spans)
        entry = {
            "index": choice.number,
            "text": f"{_echoed(job, choice)}{text}" if echoes else text,
            "logprobs": self._chunk_logprobs(choice, prompt if echoes else (), shown, before),
            "finish_reason": last.finish,
            "stop_reason": last.stop_reason,
            "prompt_token_ids": (
                prompt if echoes or (opens and job.wants("return_token_ids")) else None
            ),
            "token_ids": token_ids(job, group),
        }
        chunk: dict[str, Any] = {**_head(job), "choices": [entry]}
        if last.finish and not self._usage:
            chunk["system_fingerprint"] = job.fingerprint
        if self._running:
            made = self._made[choice.number]
            chunk["usage"] = running_usage(job, len(prompt), made, None)
        return chunk

    def _chunk_logprobs(
        self, choice: Choice, prompt: Sequence[int], steps: Sequence[Step], before: int
    ) -> dict[str, Any] | None:
        offset = self._offsets.get(choice.number, 0)
        found = _logprobs(self._job, prompt, steps, before, offset)
        if found and found["tokens"]:
            end = found["text_offset"][-1] + len(found["tokens"][-1])
            self._offsets[choice.number] = end
        return found

    def _last(self) -> dict[str, Any]:
        job = self._job
        usage: dict[str, Any] = counts(job.prompt_tokens, sum(self._made.values()))
        usage["prompt_tokens_details"] = {"cached_tokens": job.cached}
        return {
            **_head(job),
            "choices": [],
            "usage": usage,
            "system_fingerprint": job.fingerprint,
        }


def _head(job: Job) -> dict[str, Any]:
    return {"id": job.id, "object": "text_completion", "created": job.created, "model": job.model}


def _only_echoes(job: Job) -> bool:
    """Whether the prompt alone is wanted; one token is made, and billed, all the same."""
    return job.wants("echo") and job.body.get("max_tokens") == 0


def _echoed(job: Job, choice: Choice) -> str:
    return "" if job.wants("return_token_ids") else decode(job.prompts[choice.prompt])


def _logprobs(
    job: Job, prompt: Sequence[int], steps: Sequence[Step], before: int, offset: int
) -> dict[str, Any] | None:
    top = job.body.get("logprobs")
    if top is None:
        return None
    table = _Table(job, offset)
    spelt = decode_steps(prompt)
    for place, token in enumerate(prompt):
        table.add(token, spelt[place], place, top, sampled=False)
    for place, step in enumerate(steps):
        table.add(step.token.id, step.spelt, before + place, top, sampled=True)
    return table.columns


class _Table:
    """The four columns of log probabilities."""

    def __init__(self, job: Job, offset: int) -> None:
        self._ids = job.body.get("logprob_token_ids") or ()
        self._as_id = job.wants("return_tokens_as_token_ids")
        self._offset = offset
        self.columns: dict[str, list[Any]] = {
            "text_offset": [],
            "token_logprobs": [],
            "tokens": [],
            "top_logprobs": [],
        }

    def add(self, token: int, spelt: str, place: int, top: int, *, sampled: bool) -> None:
        text = token_text(token, as_id=True) if self._as_id else spelt
        known = sampled or place > 0
        top = 0 if self._ids else top
        found = candidates(token, place, top, sampled=sampled, ids=self._ids) if known else []
        row = {token_text(one.token, as_id=self._as_id): one.logprob for one in found[1:]}
        values: tuple[Any, ...] = (
            self._offset,
            found[0].logprob if found else None,
            text,
            {text: found[0].logprob, **row} if found else None,
        )
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)
        self._offset += len(text)
