"""In which order the server checks a request: rule ids, stage by stage.

What a release checks beyond these comes at the end of its stage, in the catalogue's order.
"""

BEFORE_TYPES = {
    "chat.completions": (
        "prompt.continue_vs_generation",
        "tools.empty",
        "tool_choice.needs_tools",
        "tool_choice.values",
        "tool_choice.shape",
        "tool_choice.must_match",
        "structured_outputs.one_kind",
        "structured_outputs.or_named_tool",
        "structured_outputs.structural_tag_invalid",
        "logprob_token_ids.no_beam",
        "logprob_token_ids.needs_logprobs",
        "logprobs.int_type",
        "prompt_logprobs.no_stream",
        "prompt_logprobs.positive_or_all",
        "top_logprobs.positive_or_all",
        "top_logprobs.needs_logprobs",
        "stream_options.needs_stream",
        "response_format.schema_missing",
        "response_format.structural_tag_invalid",
        "cache_salt.non_empty",
        "cache_salt.chars",
    ),
    "completions": (
        "completions.prompt_count",
        "completions.prompt_or_embeds",
        "completions.prompt_required",
        "stream_options.needs_stream",
        "logprob_token_ids.no_beam",
        "completions.beam_echo_logprobs",
        "logprob_token_ids.needs_output",
        "logprob_token_ids.needs_logprobs",
        "logprobs.int_type",
        "prompt_logprobs.no_stream",
        "prompt_logprobs.positive_or_all",
        "completions.logprobs_positive_or_all",
        "structured_outputs.one_kind",
        "structured_outputs.structural_tag_invalid",
        "response_format.schema_missing",
        "response_format.structural_tag_invalid",
        "cache_salt.non_empty",
        "cache_salt.chars",
    ),
}

WITH_TYPES = (
    "thinking_token_budget.range",
    "sp.repetition_detection_sizes",
    "sp.repetition_detection_count",
    "structured_outputs.exclusive",
    "structured_outputs.not_empty",
)
"""Checked while a field is read; the first one broken ends the reading."""

TEMPLATE = (
    "messages.tool_calls_shape",
    "chat_template.syntax",
    "messages.none",
    "prompt.continue_needs_off",
    "tool_choice.one_tool",
)
"""Found while messages become a prompt."""

SAMPLING = (
    "structured_outputs.with_response_format",
    "structured_outputs.exclusive",
    "sp.logit_bias_keys",
    "sp.n_min",
    "sp.n_max",
    "sp.extra_args_ints",
    "sp.presence_penalty",
    "sp.frequency_penalty",
    "sp.finite",
    "sp.repetition_positive",
    "sp.temperature_min",
    "sp.temperature_max",
    "sp.top_p",
    "sp.top_k",
    "sp.min_p",
    "sp.max_tokens",
    "sp.min_tokens",
    "sp.stream_interval",
    "sp.stop_empty",
    "sp.bad_words",
    "sp.n_greedy",
)

PARSERS = ("chat_template.thinking_switch",)
"""Found when what reads the answer is looked up."""

PROMPT = ("text.surrogate",)
"""Found by the tokenizer."""

TOKENS = ("detokenize.wide_id",)
"""Found while ids become a text."""

PACKING = ("sp.int_width", "text.surrogate")
"""What cannot be sent on to the engine."""

ENGINE = (
    "sp.logprob_token_ids_len",
    "sp.allowed_token_ids",
    "so.choice_empty",
    "so.grammar_empty",
    "so.json_empty",
    "so.nesting",
    "so.json_object_true",
    "so.regex_nul",
    "so.structural_tag_empty",
    "so.strict_tools",
)
"""Found by the engine: in a stream, after its head was sent."""
