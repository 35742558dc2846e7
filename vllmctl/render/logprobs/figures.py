"""Probabilities and log-probabilities in words, and what they come to together."""

import math
from collections.abc import Iterable

from vllmctl.render.logprobs.tokens import Token


def percent(probability: float | None) -> str:
    """Return a probability as a person reads it."""
    if probability is None:
        return "-"
    if 0 < probability < 0.001:
        return "<0.1%"
    return f"{probability * 100:.1f}%"


def natural(logprob: float | None) -> str:
    """Return a log-probability to four places."""
    return "-" if logprob is None else f"{logprob:.4f}"


def summary(tokens: Iterable[Token]) -> str:
    """Return the mean log-probability and the perplexity, exp(-mean), as one line.

    Tokens without a log-probability do not count. One that was impossible makes the perplexity
    infinite; the line then says what it is without such tokens.
    """
    logprobs = [token.logprob for token in tokens]
    known = [logprob for logprob in logprobs if logprob is not None]
    finite = [logprob for logprob in known if logprob > -math.inf]
    line = f"{_count(len(logprobs))}"
    if not known:
        return f"{line}, no log-probabilities"
    impossible = len(known) - len(finite)
    if impossible:
        line += f", {impossible} of them with probability 0: perplexity infinite"
    if finite:
        mean = math.fsum(finite) / len(finite)
        without = ", without those" if impossible else ","
        line += f"{without} mean logprob {mean:.4f}, perplexity {_perplexity(mean)}"
    missing = len(logprobs) - len(known)
    return line + (f" ({missing} without a log-probability)" if missing else "")


def _perplexity(mean: float) -> str:
    try:
        return f"{math.exp(-mean):.4g}"
    except OverflowError:
        return "infinite"


def _count(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"
