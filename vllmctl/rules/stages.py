"""When the server looks: at the body as it was sent, or after types were checked.

vLLM's request models check some rules before pydantic reads the fields, so ``"no"`` counts
as true there; everything else sees the values after coercion. The rest of an endpoint's
work depends on the way taken: beam search asks for no sampling parameters.
"""

_BEFORE_TYPES = (
    "cache_salt.",
    "completions.beam_echo_logprobs",
    "completions.logprobs",
    "completions.prompt_count",
    "completions.prompt_or_embeds",
    "completions.prompt_required",
    "guided.one_kind",
    "guided.or_tools",
    "logprob_token_ids.",
    "logprobs.",
    "prompt.continue_vs_generation",
    "prompt_logprobs.",
    "response_format.",
    "stream_options.needs_stream",
    "structured_outputs.one_kind",
    "structured_outputs.or_named_tool",
    "structured_outputs.structural_tag_invalid",
    "tool_choice.",
    "tools.",
    "top_logprobs.",
)

_WITHOUT_BEAM = ("sp.", "so.")
_WITH_BEAM = frozenset(
    (
        "sp.finite",
        "sp.n_min",
        "sp.n_max",
        "sp.repetition_detection_count",
        "sp.repetition_detection_sizes",
        "sp.temperature_max",
        "sp.temperature_min",
    )
)


def is_before_types(rule: str) -> bool:
    """Whether the server checks ``rule`` on the body as it was sent."""
    return rule.startswith(_BEFORE_TYPES)


def is_skipped_by_beam(rule: str) -> bool:
    """Whether ``rule`` is not checked for beam search, since it moved out of the engine."""
    return rule.startswith(_WITHOUT_BEAM) and rule not in _WITH_BEAM
