"""How long prompts and answers may be."""

from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop, put
from vllmctl.rules.finding import Level
from vllmctl.rules.registry import own_rule, rule

_LIMITS = ("max_completion_tokens", "max_tokens")


@rule("sp.max_tokens")
def max_tokens(case: Case) -> Faults:
    """The limit that counts is at least 1; completions give back the prompt alone at 0."""
    name, value = _limit(case)
    if value is None or value >= 1:
        return
    if value == 0 and case.endpoint.name == "completions" and case.value.get("echo"):
        return
    called = "" if name == "max_tokens" else " (the server speaks of max_tokens)"
    yield Fault(name, f"{name} must be at least 1, got {value}{called}", drop(name))


@rule("sp.min_tokens")
def min_tokens(case: Case) -> Faults:
    """Between nothing and max_tokens."""
    least = case.number("min_tokens")
    if least is None:
        return
    if least < 0:
        yield Fault(
            "min_tokens", f"min_tokens must be at least 0, got {least}", put("min_tokens", 0)
        )
        return
    name, most = _limit(case)
    if most is None and case.endpoint.name == "completions":
        name, most = "max_tokens, left at its default", 16
    if most is not None and 1 <= most < least:
        message = f"min_tokens must not be above {name} ({most}), got {least}"
        yield Fault("min_tokens", message, put("min_tokens", most))


@rule("max_tokens.precedence")
def two_limits(case: Case) -> Faults:
    """max_completion_tokens wins."""
    new, old = case.value.get("max_completion_tokens"), case.value.get("max_tokens")
    if new is not None and old is not None and new != old:
        message = f"max_tokens {old} is ignored: max_completion_tokens {new} is there and wins"
        yield Fault("max_tokens", message, drop("max_tokens"), Level.IGNORED)


@own_rule(
    "truncation_side.alone",
    "truncation_side has no effect without truncate_prompt_tokens.",
    ("truncation_side",),
    since="0.22.0",
)
def idle_side(case: Case) -> Faults:
    """Nothing is cut, so it is cut at no side."""
    if case.is_set("truncation_side") and not case.is_set("truncate_prompt_tokens"):
        message = "truncation_side has no effect without truncate_prompt_tokens"
        yield Fault("truncation_side", message, drop("truncation_side"))


@own_rule(
    "truncate.to_nothing",
    "truncate_prompt_tokens 0 leaves an empty prompt.",
    ("truncate_prompt_tokens",),
    kind="reject",
    since="0.17.0",
)
def truncated_away(case: Case) -> Faults:
    """A prompt without tokens is refused, and this leaves none."""
    if case.value.get("truncate_prompt_tokens") == 0:
        message = (
            "truncate_prompt_tokens 0 leaves nothing of the prompt, and an empty one is refused"
        )
        yield Fault("truncate_prompt_tokens", message, drop("truncate_prompt_tokens"))


def _limit(case: Case) -> tuple[str, Any]:
    """The limit that counts for the answer: its field and its number."""
    for name in _LIMITS:
        value = case.number(name)
        if value is not None:
            return name, value
    return "max_tokens", None


@own_rule(
    "min_tokens.stop_strings",
    "Up to 0.10.0 the V1 engine looked for stop strings before min_tokens was reached.",
    ("min_tokens", "stop"),
    kind="normalize",
    since="0.8.0",
    until="0.10.0",
)
def stopped_early(case: Case) -> Faults:
    """Only end tokens were held back."""
    if case.number("min_tokens") and case.value.get("stop"):
        message = f"{case.endpoint.target} stops at a stop string before min_tokens is reached"
        yield Fault("min_tokens", message)
