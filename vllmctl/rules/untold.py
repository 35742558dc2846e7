"""Rules of the catalogue that no finding speaks of, each with the reason.

Those that only a server can know are told of once it has refused a request for one.
"""

from collections.abc import Mapping

_MODEL = "only the server knows its model"
_START = "only the server knows how it was started"
_TOKENS = "only the server's tokenizer tells how many tokens a text has"
_EXPECTED = "what the server does is what one expects"
_NAMES = "the check of names tells of all unknown ones"
_HEADERS = "a matter of headers, not of the body"
_EARLIER = "the request's own rule for the same field comes first and is as strict"

UNTOLD: Mapping[str, str] = {
    "body.content_type": _HEADERS,
    "headers.priority": _HEADERS,
    "headers.session": _HEADERS,
    "headers.dp_rank": _HEADERS,
    "unknown.forbid": _NAMES,
    "unknown.allow": _NAMES,
    "unknown.log_warning": _NAMES,
    "unknown.log_debug": _NAMES,
    "unknown.guided_warning": _NAMES,
    "structured_outputs.unknown_subfields": _NAMES,
    "sp.logprobs": _EARLIER,
    "sp.logprobs_all": _EARLIER,
    "sp.prompt_logprobs": _EARLIER,
    "sp.prompt_logprobs_all": _EARLIER,
    "task.not_supported": _MODEL,
    "lora.request": _MODEL,
    "messages.mm_limit": _MODEL,
    "messages.media_model": _MODEL,
    "chat_template.missing": _MODEL,
    "chat_template.mistral": _MODEL,
    "harmony.reasoning_effort": _MODEL,
    "harmony.chat_tools": _MODEL,
    "inkling.reasoning_effort": _MODEL,
    "inkling.continue": _MODEL,
    "kimi.thinking_effort": _MODEL,
    "sp.diffusion": _MODEL,
    "so.tokenizer": _MODEL,
    "context.sum": _TOKENS,
    "context.clamped": _TOKENS,
    "context.prompt": _TOKENS,
    "truncate.media": _TOKENS,
    "chat_template.timeout": _START,
    "sp.spec_decode": _START,
    "sp.spec_decode_async": _START,
    "sp.multistep": _START,
    "sp.replay_distribution": _START,
    "sp.kv_sharing": _START,
    "sp.prefix_cache_prompt_logprobs": _START,
    "so.backend_limits": _START,
    "so.spec_tpu": _START,
    "so.dspark_logprobs": _START,
    "guided.v0_backends": _START,
    "max_logprobs.default": _START,
    "model.optional": _EXPECTED,
    "defaults.generation_config": _EXPECTED,
    "stream_options.default_usage": _EXPECTED,
    "tool_choice.default_auto": _EXPECTED,
    "messages.reasoning_content": _EXPECTED,
    "reasoning_effort.enable_thinking": _EXPECTED,
    "return_mm_kwargs.alias": _EXPECTED,
    "echo.prompt_logprobs": _EXPECTED,
    "completions.null_max_tokens": _EXPECTED,
    "completions.echo_max_tokens0": _EXPECTED,
}
