"""Log probabilities of the answer's tokens and of the prompt's."""

import re
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop, put
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.registry import mend, own_rule, rule
from vllmctl.rules.served import limit_of
from vllmctl.rules.words import shown

MOST_LOGPROBS = 20
"""Servers give so many unless told otherwise."""


def _counts(case: Case) -> tuple[str, ...]:
    own = "top_logprobs" if "top_logprobs" in case.endpoint.fields else "logprobs"
    return own, "prompt_logprobs"


@rule("logprobs.int_type")
def whole_numbers(case: Case) -> Faults:
    """These three are read before types are, so that no text can stand for a number."""
    for name in _counts(case):
        value = case.sent.get(name)
        if value is not None and not isinstance(value, int | float):
            yield Fault(
                name, f"{name} must be an integer, got {shown(value)}", _unquoted(name, value)
            )


def _unquoted(name: str, value: Any) -> tuple[Edit, ...] | None:
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value.strip()):
        return put(name, int(value.strip()))
    return None


@rule("logprob_token_ids.needs_logprobs")
def asked_tokens(case: Case) -> Faults:
    """Chat wants logprobs: true, completions any number."""
    if not case.sent.get("logprob_token_ids"):
        return
    if "top_logprobs" in case.endpoint.fields:
        if not case.sent.get("logprobs"):
            message = "logprob_token_ids needs logprobs: true"
            yield Fault("logprob_token_ids", message, put("logprobs", True))
    elif case.sent.get("logprobs") is None:
        message = "logprob_token_ids needs logprobs to be set, to 0 for example"
        yield Fault("logprob_token_ids", message, put("logprobs", 0))


@mend("top_logprobs.needs_logprobs")
def _with_logprobs(*_: object) -> tuple[Edit, ...]:
    return put("logprobs", True)


@mend("top_logprobs.required_with_logprobs")
def _with_top(*_: object) -> tuple[Edit, ...]:
    return put("top_logprobs", 0)


@mend("prompt_logprobs.no_stream", "logprob_token_ids.no_beam", "logprob_token_ids.needs_output")
@mend("top_logprobs.positive", "top_logprobs.positive_or_all", "top_logprobs.range20")
@mend("prompt_logprobs.positive", "prompt_logprobs.positive_or_all")
@mend("completions.logprobs_positive", "completions.logprobs_positive_or_all")
def _left_out(_: Case, path: str) -> tuple[Edit, ...]:
    return drop(path)


@mend("completions.beam_echo_logprobs")
def _without_echo(*_: object) -> tuple[Edit, ...]:
    return drop("echo")


@rule("sp.max_logprobs")
def more_than_default(case: Case) -> Faults:
    """Servers give 20 at most unless told otherwise."""
    known = limit_of(case, "sp.max_logprobs")
    most = known or (MOST_LOGPROBS if case.since("0.9.0") else 5)
    who = "this server gives" if known else "servers give"
    for name in _counts(case):
        value = case.number(name)
        if value is not None and (value > most or value == -1):
            asked = "for the whole vocabulary" if value == -1 else f"for {value}"
            message = f"{name} asks {asked}; {who} {most} at most without --max-logprobs"
            yield Fault(name, message, None, Level.NOTE)


@own_rule(
    "prompt_logprobs.nothing_streamed",
    "prompt_logprobs 0 brings nothing in a stream.",
    ("prompt_logprobs", "stream"),
    since="0.5.5",
)
def streamed_nothing(case: Case) -> Faults:
    """Accepted, for 0 is no number of alternatives, and not sent either."""
    if case.value.get("prompt_logprobs") == 0 and case.value.get("stream"):
        message = "prompt_logprobs 0 brings nothing when stream is on"
        yield Fault("prompt_logprobs", message, drop("prompt_logprobs"))


@rule("prompt_logprobs.all_needs_v1")
def all_needs_v1(case: Case) -> Faults:
    """For one release."""
    if case.value.get("prompt_logprobs") == -1:
        yield Fault("prompt_logprobs", "prompt_logprobs -1 needs the V1 engine on the server")


@own_rule(
    "top_logprobs.null",
    "For a long time top_logprobs null turned logprobs off.",
    ("top_logprobs", "logprobs"),
    kind="normalize",
    endpoints=("chat.completions",),
    since="0.4.3",
    until="0.24.0",
)
def null_top(case: Case) -> Faults:
    """Clients that write every field, with null for what was not said."""
    if case.value.get("logprobs") and case.value.get("top_logprobs", 0) is None:
        message = "top_logprobs null turns logprobs off; leave it out"
        yield Fault("top_logprobs", message, drop("top_logprobs"))


@own_rule(
    "return_tokens_as_token_ids.without_logprobs",
    "return_tokens_as_token_ids changes how logprobs write tokens.",
    ("return_tokens_as_token_ids",),
)
def token_ids_of_nothing(case: Case) -> Faults:
    """The text stays a text."""
    has_logprobs = case.value.get("logprobs") not in (None, False) or case.is_set("top_logprobs")
    if case.value.get("return_tokens_as_token_ids") is True and not has_logprobs:
        message = "return_tokens_as_token_ids has no effect without logprobs"
        yield Fault("return_tokens_as_token_ids", message, drop("return_tokens_as_token_ids"))
