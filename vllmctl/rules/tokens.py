"""Stop strings, token ids, biases and banned words."""

from collections.abc import Iterator
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop, put
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.registry import mend, own_rule, rule
from vllmctl.rules.words import plain, shown

_STRONGEST = 100
LARGEST_ID = 2**31
"""No vocabulary has so many tokens."""
_LARGEST_WORD = 2**32 - 1
_UNESCAPED = {r"\n": "\n", r"\t": "\t", r"\r": "\r"}


@mend("sp.stop_empty")
def _without_empty(case: Case, _: str) -> tuple[Edit, ...]:
    rest = [text for text in case.items("stop") if text != ""]
    return put("stop", rest) if rest else drop("stop")


@rule("sp.stop_token_ids")
def stop_token_ids(case: Case) -> Faults:
    """Ids count from 0; how far they go only the server knows."""
    yield from _impossible_ids(case, "stop_token_ids")


@rule("sp.allowed_token_ids")
def allowed_token_ids(case: Case) -> Faults:
    """Nothing allowed is nothing to choose from."""
    if case.value.get("allowed_token_ids") == []:
        message = "allowed_token_ids must not be empty: no token would be left to choose"
        yield Fault("allowed_token_ids", message, drop("allowed_token_ids"))
    yield from _impossible_ids(case, "allowed_token_ids")


@rule("sp.logprob_token_ids_len")
def logprob_token_ids(case: Case) -> Faults:
    """At most 128 of them."""
    ids = case.items("logprob_token_ids")
    if len(ids) > 128:
        message = f"logprob_token_ids takes at most 128 ids, got {len(ids)}"
        yield Fault("logprob_token_ids", message)
    yield from _impossible_ids(case, "logprob_token_ids")


def _impossible_ids(case: Case, name: str) -> Iterator[Fault]:
    ids = case.items(name)
    wrong = [number for number in ids if isinstance(number, int) and not 0 <= number < LARGEST_ID]
    if wrong:
        rest = [number for number in ids if number not in wrong]
        message = f"{name} must hold token ids of 0 and above, got {shown(wrong)}"
        yield Fault(name, message, put(name, rest) if rest else drop(name))


@rule("sp.logit_bias_keys")
def logit_bias_keys(case: Case) -> Faults:
    """Keys are token ids, written as strings."""
    for key in case.object("logit_bias"):
        number = _as_id(key)
        if number is None or not 0 <= number < LARGEST_ID:
            path = (
                f"logit_bias[{shown(str(key))}]"
                if not str(key).isidentifier()
                else f"logit_bias.{key}"
            )
            message = f"logit_bias has token ids as keys, got {shown(key)}"
            yield Fault(path, message, drop(path))


def _as_id(key: Any) -> int | None:
    try:
        return int(key)
    except ValueError:
        return None


@rule("sp.logit_bias_clamp")
def logit_bias_values(case: Case) -> Faults:
    """What is stronger than 100 is taken as 100."""
    for key, bias in case.object("logit_bias").items():
        if isinstance(bias, int | float) and abs(bias) > _STRONGEST:
            limit = _STRONGEST if bias > 0 else -_STRONGEST
            path = f"logit_bias[{shown(str(key))}]"
            message = f"the bias {plain(bias)} of token {key} is cut to {limit}"
            yield Fault(path, message, put(path, limit))


@rule("sp.bad_words")
def bad_words(case: Case) -> Faults:
    """Words, not nothing; since 0.26.0 a word must encode to a token, and 128 are enough."""
    words = case.items("bad_words")
    empty = [word for word in words if not (word.strip() if case.since("0.26.0") else word)]
    if empty:
        rest = [word for word in words if word not in empty]
        message = f"bad_words must not hold empty words, got {shown(empty[0])}"
        yield Fault("bad_words", message, put("bad_words", rest) if rest else drop("bad_words"))
    distinct = set(words)
    if case.since("0.26.0") and len(distinct) > 128:
        yield Fault("bad_words", f"bad_words takes at most 128 words, got {len(distinct)}")


@own_rule(
    "stop.escaped",
    "A backslash in a stop string is a backslash.",
    ("stop",),
    kind="normalize",
)
def escaped_stop(case: Case) -> Faults:
    """Shells leave escapes as they are, and the server too."""
    stops = case.value.get("stop")
    for place, text in enumerate(stops if isinstance(stops, list) else [stops]):
        meant = _unescaped(text)
        if meant is not None:
            path = f"stop[{place}]" if isinstance(stops, list) else "stop"
            message = f"{path} {shown(text)} has a backslash and a letter, not {shown(meant)}"
            yield Fault(path, message, put(path, meant))


def _unescaped(text: Any) -> str | None:
    """The text that was meant by one made of escapes alone, or ``None``."""
    if not isinstance(text, str) or "\\" not in text:
        return None
    meant = text
    for escape, character in _UNESCAPED.items():
        meant = meant.replace(escape, character)
    return meant if "\\" not in meant and not meant.strip() else None


@own_rule(
    "bad_words.other_spellings",
    "A bad word is banned as it is spelt, and no other way.",
    ("bad_words",),
    kind="normalize",
)
def other_spellings(case: Case) -> Faults:
    """Blanks before a word are taken away; it is banned behind one where that costs no token."""
    words = [word.lstrip() if isinstance(word, str) else "" for word in case.items("bad_words")]
    given = set(words)
    for place, word in enumerate(words):
        other = word[:1].swapcase() + word[1:]
        if word[:1].isalpha() and other not in given:
            message = (
                f"{shown(word)} leaves out {shown(other)}; behind a blank it is banned only where "
                "it has as many tokens there, and a blank in front of it changes nothing"
            )
            yield Fault(f"bad_words[{place}]", message, None, Level.NOTE)


@own_rule(
    "detokenize.wide_id",
    "Ids of tokens have 32 bits.",
    ("tokens",),
    kind="reject",
    endpoints=("detokenize",),
)
def wide_ids(case: Case) -> Faults:
    """The tokenizer cannot take them; others that no token has are left out of the text."""
    for place, number in enumerate(case.items("tokens")):
        if number > _LARGEST_WORD:
            path = f"tokens[{place}]"
            yield Fault(path, f"{path} is no id of a token: it has 32 bits, got {shown(number)}")
