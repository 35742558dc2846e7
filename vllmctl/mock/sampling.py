"""How a request limits what is generated."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from vllmctl.mock.pieces import TURN_END
from vllmctl.mock.tokenizer import encode
from vllmctl.record import Record

DEFAULT_MAX_TOKENS = 16
_FORCES = 50.0

END = encode(TURN_END)[0]


class Repetition(Record, frozen=True):
    """Ends a text that repeats a pattern of ``least`` to ``most`` tokens ``count`` times."""

    least: int
    most: int
    count: int

    def found(self, ids: Sequence[int]) -> bool:
        """Whether ``ids`` ends with so many equal patterns."""
        longest = min(self.most, len(ids) // self.count) if self.count > 0 else 0
        for size in range(max(1, self.least), longest + 1):
            tail = list(ids[-size * self.count :])
            if tail == tail[:size] * self.count:
                return True
        return False


class Sampling(Record, frozen=True):
    """Limits, stops and preferences of one request; see ``sampling``."""

    max_tokens: int
    min_tokens: int = 0
    stop: tuple[str, ...] = ()
    stop_ids: frozenset[int] = frozenset()
    includes_stop: bool = False
    ignores_end: bool = False
    shows_marks: bool = False
    allowed: frozenset[int] | None = None
    banned: frozenset[int] = frozenset()
    forced: int | None = None
    repetition: Repetition | None = None
    interval: int = 1
    end_reason: int | None = None
    """The ``stop_reason`` of a natural end: beam search gives the token."""

    @property
    def held_back(self) -> int:
        """How many characters wait until no stop string can begin in them."""
        if not self.stop or self.includes_stop:
            return 0
        return max(map(len, self.stop)) - 1


def sampling(body: Mapping[str, Any], room: int, *, chat: bool) -> Sampling:
    """Return what ``body`` asks for when ``room`` tokens fit after the prompt."""
    if body.get("use_beam_search"):
        ignores_end = bool(body.get("ignore_eos"))
        return Sampling(_most(body, room, chat), ignores_end=ignores_end, end_reason=END)
    bias = {int(key): float(value) for key, value in (body.get("logit_bias") or {}).items()}
    strongest = max(bias, key=lambda token: bias[token], default=None)
    stop = body.get("stop") or ()
    return Sampling(
        max_tokens=_most(body, room, chat),
        min_tokens=body.get("min_tokens") or 0,
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
        stop_ids=frozenset(body.get("stop_token_ids") or ()),
        includes_stop=bool(body.get("include_stop_str_in_output")),
        ignores_end=bool(body.get("ignore_eos")),
        shows_marks=chat or body.get("skip_special_tokens") is False,
        allowed=_ids(body.get("allowed_token_ids")),
        banned=frozenset(t for t in bias if bias[t] <= -_FORCES) | _bad_words(body),
        forced=strongest if strongest is not None and bias[strongest] >= _FORCES else None,
        repetition=_repetition(body.get("repetition_detection")),
        interval=body.get("stream_interval") or 1,
    )


def chance(body: Mapping[str, Any], prompt: Sequence[int], index: int, seed: int | None) -> Random:
    """Return the dice of one choice: the same for the same seed, or without temperature."""
    given = body.get("seed")
    if given == -1 or given is None:
        given = seed
    if given is None and body.get("temperature") == 0:
        given = "greedy"
    if given is None:
        return Random()
    return Random(repr((given, list(prompt), index)))


def _most(body: Mapping[str, Any], room: int, chat: bool) -> int:
    wanted = body.get("max_completion_tokens") if chat else None
    wanted = body.get("max_tokens") if wanted is None else wanted
    if wanted is None:
        wanted = room if chat else DEFAULT_MAX_TOKENS
    return max(1, min(wanted, room))


def _ids(given: Sequence[int] | None) -> frozenset[int] | None:
    return frozenset(given) if given else None


def _bad_words(body: Mapping[str, Any]) -> frozenset[int]:
    """The words that are one token, alone or after a space; longer ones are let through."""
    forms = [form for word in body.get("bad_words") or () for form in (word, f" {word}")]
    return frozenset(ids[0] for ids in map(encode, forms) if len(ids) == 1)


def _repetition(given: Mapping[str, Any] | None) -> Repetition | None:
    if not given or not given.get("max_pattern_size"):
        return None
    least, count = given.get("min_pattern_size") or 1, given.get("min_count") or 0
    return Repetition(least, given["max_pattern_size"], count)
