"""Temperature, top-p, top-k, penalties, seed, n and best_of."""

import math
from collections.abc import Mapping

from vllmctl.rules.case import Case, Fault, Faults, drop, put, searches_beams
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.registry import mend, own_rule, rule

_LEAST_TEMPERATURE = 0.01
_GREEDY_RESETS = {"top_p": (1,), "top_k": (-1, 0), "min_p": (0,)}
"""What temperature 0 sets back, and the values that say the same."""


@mend("sp.top_p", "sp.min_p", "sp.presence_penalty", "sp.frequency_penalty", "sp.repetition_0_2")
@mend("sp.temperature_min", "sp.temperature_max", "sp.n_max")
def _within(case: Case, path: str) -> tuple[Edit, ...] | None:
    low, high = _CLOSED_ENDS[path]
    value = case.value[path]
    if high is not None and value > high:
        return put(path, high)
    return put(path, low) if low is not None and value < low else drop(path)


_CLOSED_ENDS: Mapping[str, tuple[float | None, float | None]] = {
    "top_p": (None, 1),
    "min_p": (0, 1),
    "presence_penalty": (-2, 2),
    "frequency_penalty": (-2, 2),
    "repetition_penalty": (None, 2),
    "temperature": (0, 2),
    "n": (1, 16384),
}
"""Where a range includes its ends, a value outside is moved to the nearer one."""


@mend("sp.top_k", "sp.top_k_old")
def _without_top_k(case: Case, _: str) -> tuple[Edit, ...]:
    return put("top_k", 0 if case.since("0.9.0") else -1)


@mend("sp.repetition_positive")
def _left_out(_: Case, path: str) -> tuple[Edit, ...]:
    return drop(path)


@rule("sp.finite")
def finite(case: Case) -> Faults:
    """NaN passes every comparison of a range but the server's."""
    looks_at = ("temperature",) if searches_beams(case) else ("temperature", "repetition_penalty")
    for name in looks_at:
        value = case.number(name)
        if value is not None and not math.isfinite(value):
            yield Fault(name, f"{name} must be a finite number, got {value}", drop(name))


@own_rule(
    "sp.not_a_number",
    "NaN lies in no range.",
    ("top_p", "min_p", "presence_penalty", "frequency_penalty"),
    kind="reject",
)
def not_a_number(case: Case) -> Faults:
    """What is not a number is in no range."""
    if searches_beams(case):
        return
    for name in ("top_p", "min_p", "presence_penalty", "frequency_penalty"):
        value = case.number(name)
        if value is not None and math.isnan(value):
            yield Fault(name, f"{name} is not a number", drop(name))


@rule("sp.temperature_clamp")
def tiny_temperature(case: Case) -> Faults:
    """A temperature close to zero is not zero."""
    value = case.number("temperature")
    if value is not None and 0 < value < _LEAST_TEMPERATURE:
        yield Fault(
            "temperature",
            f"temperature {value} is raised to {_LEAST_TEMPERATURE}; use 0 for greedy decoding",
        )


@rule("sp.greedy_resets")
def resets_of_greedy(case: Case) -> Faults:
    """Greedy decoding looks at the best token only."""
    if case.number("temperature") != 0:
        return
    for name, neutral in _GREEDY_RESETS.items():
        value = case.number(name)
        if value is not None and value not in neutral:
            message = f"{name} {value} has no effect at temperature 0, which takes the best token"
            yield Fault(name, message, drop(name), Level.IGNORED)


@rule("sp.greedy_refuses")
def refusals_of_greedy(case: Case) -> Faults:
    """Before 0.2.3 greedy decoding refused what it resets now."""
    if case.number("temperature") != 0:
        return
    for name, neutral in (("top_p", 1), ("top_k", -1)):
        value = case.number(name)
        if value is not None and value != neutral:
            message = f"at temperature 0, {name} must be {neutral}, got {value}"
            yield Fault(name, message, put(name, neutral))


@rule("sp.n_min")
def few(case: Case) -> Faults:
    """There is at least one answer."""
    value = case.number("n")
    if value is not None and value < 1:
        yield Fault("n", f"n must be at least 1, got {value}", put("n", 1))


@rule("sp.n_greedy")
def many_greedy(case: Case) -> Faults:
    """All greedy answers would be the same."""
    count = case.number("n")
    if count is not None and count > 1 and _is_greedy(case):
        message = (
            f"n must be 1 at temperature 0, where all answers are the same, got {count}; "
            "use a temperature above 0 for different ones"
        )
        yield Fault("n", message, put("n", 1))


def _is_greedy(case: Case) -> bool:
    """Since 0.5.5 what is close to 0 is raised before it is looked at."""
    temperature = case.number("temperature")
    least = 0 if case.since("0.5.5") else 1e-5
    return temperature is not None and (temperature == 0 or 0 < temperature < least)


@rule("sp.best_of")
def best_of(case: Case) -> Faults:
    """The best n are taken out of best_of candidates."""
    best, count = case.number("best_of"), case.number("n") or 1
    if best is not None and best < max(1, count):
        message = f"best_of must be at least 1 and at least n ({count}), got {best}"
        yield Fault("best_of", message, drop("best_of"))


@rule("sp.best_of_delta")
def streamed_best_of(case: Case) -> Faults:
    """Which candidates are best is not known while they stream."""
    best, count = case.number("best_of"), case.number("n") or 1
    if case.value.get("stream") and best is not None and best != count:
        message = f"with stream, best_of must equal n ({count}), got {best}"
        yield Fault("best_of", message, drop("best_of"))


@rule("best_of.v1")
def best_of_in_v1(case: Case) -> Faults:
    """The V1 engine, the default since 0.8.0, has no best_of."""
    best = case.number("best_of")
    if best is not None and best > 1:
        message = f"best_of {best} needs the V0 engine (VLLM_USE_V1=0); V1 refuses more than 1"
        yield Fault("best_of", message, drop("best_of"), Level.ERROR if _is_v1_only(case) else None)


def _is_v1_only(case: Case) -> bool:
    return case.since("0.11.0")


@rule("sp.seed_minus1")
def no_seed(case: Case) -> Faults:
    """Some servers take -1 for a random seed, and so does this one."""
    if case.value.get("seed") == -1:
        yield Fault(
            "seed", "seed -1 means no seed: answers differ from run to run", None, Level.NOTE
        )


@rule("sp.top_k_int")
def whole_top_k(case: Case) -> Faults:
    """Types are checked before; what is left is a number that is not whole."""
    value = case.value.get("top_k")
    if isinstance(value, float) and not value.is_integer():
        yield Fault("top_k", f"top_k must be a whole number, got {value}")


@own_rule(
    "length_penalty.without_beam",
    "length_penalty has no effect without beam search.",
    ("length_penalty",),
    since="0.6.3",
)
def idle_length_penalty(case: Case) -> Faults:
    """Only beam search weighs the length of its candidates."""
    value = case.number("length_penalty")
    if value is not None and value != 1 and not case.value.get("use_beam_search"):
        message = f"length_penalty {value} has no effect without use_beam_search"
        yield Fault("length_penalty", message, drop("length_penalty"))


@rule("priority.v1_fcfs_ignored", "priority.v0")
def priority(case: Case) -> Faults:
    """Only a server that was told to looks at priorities."""
    value = case.number("priority")
    if value:
        message = (
            f"priority {value} counts on servers started with --scheduling-policy priority only; "
            "the lower goes first"
        )
        yield Fault("priority", message, None, Level.NOTE)


@rule("logits_processors.pattern", "logits_processors.v1")
def logits_processors(case: Case) -> Faults:
    """Names of functions on the server."""
    if case.value.get("logits_processors"):
        message = (
            "logits_processors needs --logits-processor-pattern on the server, and the V0 engine"
        )
        yield Fault("logits_processors", message)
