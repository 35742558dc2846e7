"""Log probabilities of tokens: made up, but consistent and the same for the same text."""

from collections.abc import Iterable, Sequence
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
    best = -random.expovariate(20.0)
    if sampled or random.random() < 0.3:
        chosen = Candidate(token, best, 1)
        ranked = [chosen, *_others(random, token, best, top - 1, 2)]
    else:
        chosen = Candidate(token, best - random.uniform(1.0, 12.0), random.randint(30, 2000))
        ranked = [*_others(random, token, best, top, 1)]
    asked = [
        Candidate(one, best - random.uniform(8.0, 20.0), random.randint(30, 2000))
        for one in ids
        if one != token
    ]
    return [chosen, *(one for one in [*ranked[:top], *asked] if one.token != token)]


def _others(random: Random, token: int, best: float, count: int, rank: int) -> Iterable[Candidate]:
    logprob = best - (2.0 if rank > 1 else 0.0)
    for _ in range(max(0, min(count, VOCABULARY_SIZE))):
        other = random.randrange(FIRST_BYTE + 256, VOCABULARY_SIZE)
        if other != token:
            yield Candidate(other, logprob, rank)
        logprob -= random.uniform(0.1, 2.0)
        rank += 1


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
