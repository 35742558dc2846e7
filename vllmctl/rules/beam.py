"""Beam search: in the engine up to 0.6.2, in the API server since then."""

import math

from vllmctl.rules.case import Case, Fault, Faults, drop, put, searches_beams
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.logprobs import MOST_LOGPROBS
from vllmctl.rules.registry import mend, own_rule, rule
from vllmctl.rules.words import shown

_MOST_BEAMS = MOST_LOGPROBS // 2
"""Two log probabilities a beam are asked for."""

_LEAST_POWER, _MOST_POWER = -1074, 1024
"""What 2, the shortest beam with its prompt, may be raised to; longer ones allow less."""

_DROPPED = (
    *("stop", "stop_token_ids", "min_tokens", "logit_bias", "bad_words", "allowed_token_ids"),
    *("structured_outputs", "response_format", "guided_json", "guided_regex", "guided_choice"),
    *("guided_grammar", "tools", "top_p", "top_k", "min_p", "presence_penalty"),
    *("frequency_penalty", "repetition_penalty", "seed", "prompt_logprobs", "priority"),
    *("repetition_detection", "thinking_token_budget", "vllm_xargs", "stream_interval"),
)
_NEUTRAL = {
    "top_p": (1,),
    "top_k": (-1, 0),
    "min_p": (0,),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "repetition_penalty": (1,),
    "min_tokens": (0,),
    "priority": (0,),
    "response_format": ({"type": "text"},),
}


@own_rule(
    "beam.drops",
    "Beam search looks at n, max_tokens, temperature, length_penalty, ignore_eos and little else.",
    ("use_beam_search",),
    since="0.6.3",
)
def drops(case: Case) -> Faults:
    """What steers sampling steers no beam."""
    if not searches_beams(case):
        return
    for name in _DROPPED:
        value = case.value.get(name)
        kept = name == "allowed_token_ids" and case.since("0.33.0")
        if value in (None, [], {}, "") or kept or value in _NEUTRAL.get(name, ()):
            continue
        yield Fault(name, f"{name} has no effect with use_beam_search", drop(name))


@own_rule(
    "beam.length_penalty",
    "Beam search raises the length of a beam to the power of length_penalty.",
    ("length_penalty", "use_beam_search"),
    kind="reject",
    since="0.6.3",
)
def length_power(case: Case) -> Faults:
    """A power too large for a number, or so small that it is 0 and nothing is divided by it."""
    power = case.number("length_penalty")
    if searches_beams(case) and power is not None and _LEAST_POWER > power > -math.inf:
        message = f"length_penalty {power} divides by 0 with use_beam_search"
        yield Fault("length_penalty", message, put("length_penalty", 0))
    elif searches_beams(case) and power is not None and math.inf > power >= _MOST_POWER:
        message = f"length_penalty {power} leads out of the numbers with use_beam_search"
        yield Fault("length_penalty", message, put("length_penalty", 1))


@own_rule(
    "beam.width",
    "Beam search asks for twice n log probabilities.",
    ("n", "use_beam_search"),
    kind="server",
    since="0.6.3",
)
def width(case: Case) -> Faults:
    """More beams than log probabilities are given for."""
    count = case.number("n")
    if searches_beams(case) and count is not None and count > _MOST_BEAMS:
        message = (
            f"{count} beams ask for {2 * count} log probabilities; servers refuse more than "
            f"{MOST_LOGPROBS} unless started with --max-logprobs"
        )
        yield Fault("n", message)


@rule("beam.old_rules")
def old_rules(case: Case) -> Faults:
    """In the engine, beams were made of the best_of candidates of greedy decoding."""
    if not case.value.get("use_beam_search"):
        return
    if (case.number("best_of") or case.number("n") or 1) < 2:
        yield Fault("best_of", "use_beam_search needs a best_of above 1, the number of beams")
    for name, neutral in (("temperature", 0), ("top_p", 1), ("top_k", -1)):
        value = case.number(name)
        default = 1 if name == "temperature" else neutral
        if (default if value is None else value) != neutral:
            given = "and it is left at its default" if value is None else f"got {value}"
            message = f"with use_beam_search {name} must be {neutral}, {given}"
            yield Fault(name, message, put(name, neutral))
    stopping = case.value.get("early_stopping", False)
    if stopping not in (True, False, "never"):
        message = f"early_stopping is true, false or never, got {shown(stopping)}"
        yield Fault("early_stopping", message)


@mend("beam.only_with_beam")
def _without_beam_fields(_: Case, path: str) -> tuple[Edit, ...]:
    return drop(path)


@rule("beam.allowlist")
def allowlist(case: Case) -> Faults:
    """Since 0.33.0 beams can be kept to some tokens."""
    if not searches_beams(case) or "allowed_token_ids" not in case.value:
        return
    if case.value["allowed_token_ids"] == []:
        yield Fault(
            "allowed_token_ids", "allowed_token_ids must not be empty", drop("allowed_token_ids")
        )
    elif case.value["allowed_token_ids"] and case.is_set("structured_outputs"):
        message = "with use_beam_search allowed_token_ids does not go with structured_outputs"
        yield Fault("allowed_token_ids", message, drop("structured_outputs"))


@rule("beam.inputs")
def inputs(case: Case) -> Faults:
    """Beams grow from tokens."""
    if searches_beams(case) and case.value.get("prompt_embeds"):
        message = "use_beam_search does not take prompt_embeds"
        yield Fault("use_beam_search", message, drop("use_beam_search"))


@rule("beam.deprecated_062")
def deprecated(case: Case) -> Faults:
    """For one release it had to be asked for on the server."""
    if case.value.get("use_beam_search"):
        message = "use_beam_search needs VLLM_ALLOW_DEPRECATED_BEAM_SEARCH=1 on the server"
        yield Fault("use_beam_search", message, None, Level.NOTE)
