"""Log probabilities of tokens: made up, but consistent and the same for the same text."""

from collections.abc import Iterable, Iterator, Sequence
from math import expm1, log, log1p
from random import Random
from typing import Any, NamedTuple

from vllmctl.mock.pieces import FIRST_BYTE, VOCABULARY_SIZE
from vllmctl.mock.tokenizer import decode, piece

LOWEST = -9999.0


class Candidate(NamedTuple):
    """A token that was possible at a place; ``rank`` counts from 1."""

    token: int
    logprob: float
    rank: int


def candidates(
    token: int, position: int, top: int, *, sampled: bool = True, ids: Iterable[int] = ()
) -> list[Candidate]:
    """Return the chosen token first, then the ``top`` most likely ones, then ``ids``.

    A sampled token is the most likely one; a token of the prompt may be any.
    """
    random = Random(token * 1_000_003 + position)
    best = -max(1e-6, random.expovariate(20.0))
    rest = log(-expm1(best))  # what is left for all other tokens
    if sampled or random.random() < 0.3:
        chosen = Candidate(token, best, 1)
        ranked = [chosen, *_others(random, token, rest, top - 1, 2)]
    else:
        chosen = Candidate(token, rest - random.uniform(1.0, 12.0), random.randint(30, 2000))
        ranked = [*_first(random, token, best, top), *_others(random, token, rest, top - 1, 2)]
    asked = [
        Candidate(one, rest - random.uniform(8.0, 20.0), random.randint(30, 2000))
        for one in ids
        if one != token
    ]
    return [chosen, *(one for one in [*ranked[:top], *asked] if one.token != token)]


def _first(random: Random, token: int, best: float, top: int) -> Iterator[Candidate]:
    other = random.randrange(FIRST_BYTE + 256, VOCABULARY_SIZE)
    if top and other != token:
        yield Candidate(other, best, 1)


def _others(random: Random, token: int, rest: float, count: int, rank: int) -> Iterator[Candidate]:
    """Yield tokens that share ``rest``, of which the chosen one may have a third, by rank."""
    left = rest + log(0.6)
    for place in range(max(0, min(count, VOCABULARY_SIZE))):
        other = random.randrange(FIRST_BYTE + 256, VOCABULARY_SIZE)
        share = random.uniform(0.5, 0.8)
        if other != token:
            yield Candidate(other, left + log(share), rank + place)
        left += log1p(-share)


def prompt_logprobs(ids: Sequence[int], top: int) -> list[dict[str, Any] | None]:
    """Return the log probabilities of a prompt's tokens; the first one has none."""
    return [None, *(_prompt_entry(token, place, top) for place, token in enumerate(ids) if place)]


def _prompt_entry(token: int, position: int, top: int) -> dict[str, Any]:
    found = candidates(token, position, top, sampled=False)
    return {
        str(one.token): {
            "logprob": one.logprob,
            "rank": one.rank,
            "decoded_token": decode([one.token]),
        }
        for one in found
    }


def token_text(token: int, *, as_id: bool) -> str:
    """Return how a token is shown: its text, or ``token_id:N``."""
    return f"token_id:{token}" if as_id else decode([token])


def token_bytes(token: int) -> list[int]:
    """Return the bytes of a token."""
    return list(piece(token))
