"""Names that other servers and libraries use, and what they are called here."""

from collections.abc import Mapping
from functools import cache

from vllmctl.record import Record


class Foreign(Record, frozen=True):
    """What a foreign name is here.

    ``paths`` are the body paths that take the value, best first; the one that an endpoint
    has is meant. Empty when nothing takes it: then ``note`` says why, or what to do.
    ``form`` names the change that the value needs on the way (see ``rules.forms``).
    """

    paths: tuple[str, ...]
    note: str = ""
    form: str = ""


def foreign_name(name: str) -> tuple[str, str] | None:
    """Return the body path that a foreign name means (or an empty one) and a note.

    ``None`` for a name that is not known from elsewhere.
    """
    known = foreign(name)
    return (known.paths[0] if known.paths else "", known.note) if known else None


def foreign(name: str) -> Foreign | None:
    """Return what is known of a foreign name; case, hyphens and underscores do not count."""
    return _table().get(fold(name))


def fold(name: str) -> str:
    """Return ``name`` without what differs between habits of spelling."""
    return name.lower().replace("-", "").replace("_", "")


@cache
def _table() -> Mapping[str, Foreign]:
    named = {name: Foreign((path,)) for path, names in _SAME.items() for name in names.split()}
    nothing = {
        name: Foreign((), note) for note, names in _NOTHING.items() for name in names.split()
    }
    return {fold(name): known for name, known in {**named, **nothing, **_SPECIAL}.items()}


_SAME = {
    "max_tokens": "max_new_tokens n_predict num_predict max_tokens_to_sample max_length "
    "max_output_tokens max_gen_len max_generation_tokens max_gen_toks",
    "min_tokens": "min_new_tokens min_length",
    "temperature": "temp",
    "repetition_penalty": "repeat_penalty rep_pen repetition_penality",
    "stop": "stop_sequences stop_strings stopping_strings stop_sequence stop_words",
    "stop_token_ids": "eos_token_id eos_token_ids stop_ids stop_tokens",
    "n": "num_return_sequences num_completions candidate_count num_generations n_cmpl",
    "top_p": "nucleus nucleus_p p",
    "top_k": "k",
    "truncate_prompt_tokens": "truncate truncation_length",
    "prompt_logprobs": "decoder_input_details",
    "seed": "random_seed sampler_seed rng_seed",
    "length_penalty": "len_penalty",
    "use_beam_search": "beam_search",
    "structured_outputs.json": "json_schema response_schema output_schema format_schema",
    "structured_outputs.grammar": "ebnf gbnf grammar_string",
    "structured_outputs.json_object": "json_mode",
    "thinking_token_budget": "thinking_budget reasoning_budget max_thinking_tokens budget_tokens",
    "include_reasoning": "separate_reasoning",
    "model": "adapter_id lora_path lora_name model_name model_id",
    "add_special_tokens": "add_bos_token add_bos",
    "logit_bias": "logits_bias",
    "skip_special_tokens": "ban_special_tokens",
    "include_stop_str_in_output": "no_stop_trim include_stop",
    "ignore_eos": "ignore_eos_token ban_eos_token",
    "vllm_xargs": "extra_args",
    "chat_template_kwargs.enable_thinking": "enable_thinking think",
    "chat_template_kwargs.preserve_thinking": "preserve_thinking",
    "chat_template_kwargs.thinking": "thinking_mode",
    "chat_template_kwargs": "template_kwargs chat_template_args",
    "chat_template": "template",
    "messages": "conversation chat_history",
    "documents": "docs passages",
    "request_id": "rid",
    "return_token_ids": "return_tokens",
    "bad_words": "banned_strings banned_tokens",
    "logprob_token_ids": "token_ids_logprob",
    "echo": "return_full_text",
}

AT_TOP = "its members belong at the top of the body"
"""What is said of objects that are no field and hold fields."""

_NOTHING = {
    f"an argument of Python clients: {AT_TOP}": "extra_body",
    "vLLM has no such sampler": "mirostat mirostat_tau mirostat_eta mirostat_mode typical_p "
    "typical tfs_z tfs dry_multiplier dry_base dry_allowed_length dry_penalty_last_n "
    "dry_sequence_breakers "
    "xtc_probability xtc_threshold dynatemp_range dynatemp_exponent dynatemp_low dynatemp_high "
    "smoothing_factor smoothing_curve top_n_sigma nsigma top_a penalty_alpha eta_cutoff "
    "epsilon_cutoff min_keep samplers sampler_seq sampler_order penalize_nl penalize_newline "
    "epsilon typ_p guidance_scale cfg_scale negative_prompt diversity_penalty num_beam_groups "
    "encoder_repetition_penalty exponential_decay_length_penalty dynamic_temperature "
    "temperature_last renormalize_logits remove_invalid_values rep_pen_slope logit_bias_exp "
    "sequence_bias constraints force_words_ids",
    "the server takes the whole history into account": "repeat_last_n penalty_last_n "
    "repetition_penalty_range rep_pen_range penalty_prompt",
    "use repetition_detection to end a text that repeats itself": "no_repeat_ngram_size "
    "encoder_no_repeat_ngram_size",
    "vLLM caches prompts by itself": "cache_prompt prompt_cache_key prompt_cache_retention "
    "cache_control slot_id id_slot n_keep n_discard num_keep use_cache session_params",
    "a matter of the server's start: --max-model-len": "num_ctx n_ctx max_model_len context_length "
    "max_context_length",
    "a matter of the server's start": "num_gpu main_gpu num_batch num_thread low_vram use_mmap "
    "use_mlock numa keep_alive f16_kv vocab_only logits_all embedding_only",
    "the server's --reasoning-parser tells thoughts from the answer": "reasoning_format "
    "thinking_forced_open stream_reasoning",
    "the server's --tool-call-parser reads the calls": "parse_tool_calls tool_prompt chat_format "
    "grammar_lazy grammar_triggers preserved_tokens",
    "logits processors of the server read vllm_xargs": "custom_logit_processor custom_params",
    "a setting of the client, not a part of the request": "timeout request_timeout num_retries "
    "max_retries api_base api_key api_type api_version base_url extra_headers extra_query "
    "drop_params custom_llm_provider fallbacks mock_response caching deployment_id engine",
    "a matter of routers in front of servers": "provider transforms route models plugins",
    "the server looks nothing up and filters nothing": "enable_search safe_prompt safety_settings "
    "safety_mode connectors",
    "nothing limits the time of a request but the client's own patience": "max_time "
    "t_max_predict_ms t_max_prompt_ms",
    "stop takes strings only": "stop_regex",
    "an adapter is asked for by its name, as model": "lora loras",
    "there is no history but the messages": "context memory",
    "a matter of transformers alone": "forced_bos_token_id forced_eos_token_id "
    "decoder_start_token_id begin_suppress_tokens stopping_criteria return_dict_in_generate "
    "output_scores output_attentions output_hidden_states assistant_model "
    "prompt_lookup_num_tokens",
    "a member of the offline SamplingParams that cannot be sent": "detokenize output_kind "
    "skip_clone output_text_buffer_length _real_n skip_reading_prefix_cache "
    "trace_decode_token_ids prompt_logprob_token_ids prompt_logprob_start "
    "flat_logprobs extra_sampling_args",
    "only OpenAI's own service knows it": "store metadata service_tier prediction modalities audio "
    "verbosity web_search_options safety_identifier moderation background include "
    "previous_response_id",
    "a server setting now: --structured-outputs-config": "guided_options_request "
    "guided_decoding_disable_any_whitespace guided_decoding_disable_fallback "
    "guided_decoding_disable_additional_properties",
    "no such parameter; the answer's usage and ids say it": "details pad_token_id bos_token_id "
    "timings_per_token return_progress response_fields post_sampling_probs return_hidden_states "
    "return_text_in_logprobs return_likelihoods",
    "images go into a message's content as image_url parts": "images image_data multimodal_data",
    "the shape of an answer is asked for with response_format": "text response_mime_type "
    "result_format",
    "the system prompt is the first message, with the role system": "system instructions "
    "system_prompt system_message system_instruction preamble",
}

_SPECIAL = {
    "do_sample": Foreign(("temperature",), "false means temperature 0", "greedy"),
    "num_beams": Foreign(("n",), "beam search is use_beam_search, and its width is n", "beams"),
    "beam_width": Foreign(("n",), "beam search is use_beam_search, and its width is n", "beams"),
    "top_n_tokens": Foreign(("top_logprobs", "logprobs"), "", "top"),
    "n_probs": Foreign(("top_logprobs", "logprobs"), "", "top"),
    "top_logprobs_num": Foreign(("top_logprobs", "logprobs"), "", "top"),
    "bad_words_ids": Foreign((), "bad_words takes words; to ban tokens give them logit_bias -100"),
    "suppress_tokens": Foreign((), "give the tokens a logit_bias of -100"),
    "format": Foreign(("structured_outputs.json",), "", "format"),
    "functions": Foreign(("tools",), "functions are gone: each is a tool now", "functions"),
    "function_call": Foreign(("tool_choice",), "", "function_call"),
    "reasoning": Foreign(("reasoning_effort",), "an object of the Responses API", "effort"),
    "thinking": Foreign(("thinking_token_budget",), "an object of Anthropic's API", "thinking"),
    "raw": Foreign((), "the completions endpoint takes a prompt without a template"),
    "input": Foreign(("prompt", "messages"), "", "input"),
    "inputs": Foreign(("input", "prompt", "messages"), "", "input"),
    "input_ids": Foreign(("prompt",), "token ids are a prompt of the completions endpoint"),
    "prompt_token_ids": Foreign(("prompt",), "token ids are a prompt of the completions endpoint"),
    "guided_decoding": Foreign(("structured_outputs",)),
    "disable_parallel_tool_use": Foreign(("parallel_tool_calls",), "the opposite", "negated"),
    "watermark": Foreign(("watermarking",)),
    "return_logprob": Foreign(("logprobs",)),
}
