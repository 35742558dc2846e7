"""The ``usage`` objects of answers."""

from typing import Any

from vllmctl.mock.job import Job


def counts(prompt: int, completion: int) -> dict[str, Any]:
    """Return the three counts that every usage has."""
    return {
        "prompt_tokens": prompt,
        "total_tokens": prompt + completion,
        "completion_tokens": completion,
    }


def chat_usage(job: Job, completion: int, reasoning: int) -> dict[str, Any]:
    """Return the usage of a whole chat answer."""
    details = {
        "cached_tokens": job.cached,
        "created_cache_tokens": job.created_cache,
        "multimodal_tokens": None,
    }
    return {
        **counts(job.prompt_tokens, completion),
        "prompt_tokens_details": None if job.beams else details,
        "completion_tokens_details": reasoning_details(job, reasoning),
    }


def completion_usage(job: Job, completion: int) -> dict[str, Any]:
    """Return the usage of a whole plain completion."""
    details = {"cached_tokens": job.cached, "created_cache_tokens": None, "multimodal_tokens": None}
    return {
        **counts(job.prompt_tokens, completion),
        "prompt_tokens_details": None if job.beams else details,
        "completion_tokens_details": None,
    }


def running_usage(job: Job, prompt: int, completion: int, reasoning: int | None) -> dict[str, Any]:
    """Return the usage inside a stream; ``reasoning`` is ``None`` for plain completions."""
    usage = counts(prompt, completion)
    if reasoning is not None:
        usage["completion_tokens_details"] = reasoning_details(job, reasoning)
    return usage


def without_nulls(value: Any) -> Any:
    """Return ``value`` without members that are null, at any depth of objects."""
    if not isinstance(value, dict):
        return value
    return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}


def reasoning_details(job: Job, reasoning: int) -> dict[str, int] | None:
    """Return the details that only a server with a reasoning parser gives."""
    return {"reasoning_tokens": reasoning} if job.options.thinks else None
