"""Fields that another endpoint has."""

from collections.abc import Iterator, Mapping
from functools import cache

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint, endpoint_names

_NEAR = ("chat.completions", "completions", "responses", "embeddings", "tokenize", "messages")

_ALIKE_ENDPOINTS = ("chat.completions", "completions")

_ALIKE: Mapping[str, tuple[str, ...]] = {
    "max_completion_tokens": ("max_tokens", "max_output_tokens"),
    "max_tokens": ("max_output_tokens",),
    "max_output_tokens": ("max_tokens",),
    "top_logprobs": ("logprobs",),
    "messages": ("input", "prompt"),
    "prompt": ("input", "messages"),
    "input": ("prompt", "messages"),
    "stop": ("stop_sequences",),
    "stop_sequences": ("stop",),
    "reasoning_effort": ("reasoning.effort",),
}
"""What does the work of one endpoint's field at another."""


def sibling_with(name: str, of: Endpoint) -> str | None:
    """Return the path of an endpoint that has the field ``name`` at the same release."""
    return next((other.path for other in _siblings(of) if name in other.fields), None)


def sibling_fields(of: Endpoint) -> Iterator[str]:
    """Yield the names of fields that chat or completions have, whichever ``of`` is not."""
    for other in _siblings(of):
        if other.name in _ALIKE_ENDPOINTS:
            yield from other.fields


@cache
def _siblings(of: Endpoint) -> tuple[Endpoint, ...]:
    there = set(endpoint_names(of.target)) - {of.name}
    return tuple(endpoint(name, of.target) for name in _NEAR if name in there)


def like_it(name: str, of: Endpoint) -> str | None:
    """Return the path in ``of`` that does what ``name`` does elsewhere, if there is one."""
    here = (path for path in _ALIKE.get(name, ()) if path.partition(".")[0] in of.fields)
    return next(here, None)
