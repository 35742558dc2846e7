"""Tab-separated values: a line a token, for other programs."""

import math
from collections.abc import Iterable, Sequence

from vllmctl.render.logprobs.tokens import Token
from vllmctl.render.style import harmless

COLUMNS = ("choice", "part", "index", "token", "logprob", "probability", "rank", "id", "bytes")
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def tsv_header(alternatives: int = 0) -> str:
    """Return the names of the columns."""
    others = [
        f"alternative_{n}{end}" for n in range(1, alternatives + 1) for end in ("", "_logprob")
    ]
    return "\t".join([*COLUMNS, *others]) + "\n"


def tsv(tokens: Iterable[Token], choice: int, part: str, *, alternatives: int = 0) -> str:
    """Return the lines of ``part``, ``prompt`` or ``answer``, of a choice.

    Log-probabilities have all their digits, minus infinity is ``-inf``; what is not known is
    empty. In a token ``\\t``, ``\\n``, ``\\r`` and ``\\\\`` stand for themselves; bytes are
    hexadecimal. A token known by its id alone has no text.
    """
    return "".join(
        "\t".join([str(choice), part, str(index), *_values(token, alternatives)]) + "\n"
        for index, token in enumerate(tokens)
    )


def _values(token: Token, alternatives: int) -> Sequence[str]:
    others: list[str] = []
    for place in range(alternatives):
        if place < len(token.alternatives):
            other = token.alternatives[place]
            others += [_name(other), _number(other.logprob)]
        else:
            others += ["", ""]
    return [
        _text(token.text or ""),
        _number(token.logprob),
        _number(token.probability),
        "" if token.rank is None else str(token.rank),
        "" if token.id is None else str(token.id),
        "" if token.data is None else token.data.hex(),
        *others,
    ]


def _name(token: Token) -> str:
    return _text(f"token_id:{token.id}" if token.text is None else token.text)


def _text(text: str) -> str:
    return harmless(text.translate(_ESCAPES))


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return "-inf" if value == -math.inf else repr(value)
