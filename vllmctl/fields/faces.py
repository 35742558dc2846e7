"""What a person sees of a field and no extractor knows: one row a field.

A field without a row still works: its flag, type and help come from the catalogue, and
it is shown in the panel "Other fields".
"""

from typing import Any

from vllmctl.fields.groups import Group
from vllmctl.record import Record


class Face(Record, frozen=True):
    """One row: where and how a field is shown.

    ``path`` is the field's path in the body; nested fields without a row of their own take
    their parent's group. ``help`` replaces the catalogue's line where that is not plain
    enough. ``example`` is a value as typed in a shell. ``common`` fields are on the short
    help page. ``escapes`` fields read ``\\n``, ``\\t`` and the like as the characters meant,
    since nobody can type those as a flag's value. ``word`` is what a bare word stands for,
    with ``"$"`` where the word goes. ``offers`` is as in ``fields.options.OptionSpec``.
    """

    path: str
    group: Group
    help: str = ""
    example: str = ""
    short: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    common: bool = False
    escapes: bool = False
    word: Any = None
    offers: str = ""


def faces() -> dict[str, Face]:
    """Return all rows by path, in the order in which they are shown."""
    return {face.path: face for face in _ROWS}


_S, _L, _T, _R = Group.SAMPLING, Group.LENGTH, Group.TEMPLATE, Group.RETURNS

_ROWS = (
    Face(
        "model",
        Group.PROMPT,
        "Served model or adapter",
        "tiny",
        ("-m",),
        common=True,
        offers="model",
    ),
    Face("messages", Group.PROMPT, "The whole conversation as JSON", "@talk.json"),
    Face("prompt", Group.PROMPT, "Prompts, or token ids as JSON", "'[1, 2, 3]'"),
    Face("prompt_embeds", Group.PROMPT, "Prompt as a base64 tensor of embeddings", "@prompt.b64"),
    Face("suffix", Group.PROMPT, "Text that comes after the completion", "'return x'"),
    Face("temperature", _S, "Randomness; 0 is greedy", "0.2", ("-t",), common=True),
    Face("top_p", _S, "Nucleus mass, above 0 up to 1", "0.9", common=True),
    Face("top_k", _S, "Only the k likeliest tokens; 0 or -1 is all", "40", common=True),
    Face("min_p", _S, "Drop tokens below this share of the best one", "0.05", common=True),
    Face("seed", _S, "Repeatable sampling", "42", common=True),
    Face("n", _S, "How many answers", "3", common=True),
    Face("presence_penalty", _S, "Against tokens already there, -2 to 2", "0.5"),
    Face("frequency_penalty", _S, "Against frequent tokens, -2 to 2", "0.5"),
    Face("repetition_penalty", _S, "Above 1 discourages repeats", "1.1"),
    Face("watermarking", _S, "Whether to apply the server's watermark"),
    Face("max_tokens", _L, "Most tokens to generate", "256", common=True),
    Face("max_completion_tokens", _L, "The same, and wins over --max-tokens", "256"),
    Face("min_tokens", _L, "No end before this many tokens", "16"),
    Face(
        "stop", _L, "End at this text; repeat it, at most 4", "'\\n\\n'", common=True, escapes=True
    ),
    Face("stop_token_ids", _L, "End at these token ids", "151643,151645"),
    Face("include_stop_str_in_output", _L, "Keep the stop text in the answer"),
    Face("ignore_eos", _L, "Go on after the end token (benchmarks)"),
    Face("repetition_detection", _L, "Stop when a pattern of tokens repeats"),
    Face(
        "truncate_prompt_tokens",
        _L,
        "Keep this many prompt tokens; -1 is the model's limit",
        "1024",
    ),
    Face("truncation_side", _L, "Which end of the prompt is cut", "left"),
    Face(
        "response_format",
        Group.STRUCTURED,
        "text, json_object, or a JSON object",
        "json_object",
        word={"type": "$"},
    ),
    Face("structured_outputs", Group.STRUCTURED, "One constraint on the output"),
    Face("reasoning_effort", Group.REASONING, "How hard to think", "low", common=True),
    Face("thinking_token_budget", Group.REASONING, "Most reasoning tokens; -1 is no limit", "200"),
    Face("include_reasoning", Group.REASONING, "Whether the answer carries its reasoning"),
    Face(
        "tools",
        Group.TOOLS,
        "JSON, or a function: module:name",
        "@tools.json",
        aliases=("--tool",),
        common=True,
    ),
    Face(
        "tool_choice",
        Group.TOOLS,
        "Whether and which: a word, or a tool's name",
        "auto",
        word={"type": "function", "function": {"name": "$"}},
    ),
    Face("parallel_tool_calls", Group.TOOLS, "Allow several calls in one answer"),
    Face("logprobs", Group.LOGPROBS, "Log probabilities (complete: how many a token)"),
    Face("top_logprobs", Group.LOGPROBS, "Alternatives a token; sets --logprobs", "5"),
    Face("prompt_logprobs", Group.LOGPROBS, "Alternatives a prompt token; not with a stream", "0"),
    Face("logprob_token_ids", Group.LOGPROBS, "Report these token ids everywhere", "5,17"),
    Face("return_tokens_as_token_ids", Group.LOGPROBS, "Name tokens token_id:N"),
    Face("stream", Group.STREAM, "Send the answer as it is made"),
    Face("stream_options", Group.STREAM, "Usage reports in a stream"),
    Face("stream_interval", Group.STREAM, "Tokens a streamed chunk", "8"),
    Face("continue_final_message", _T, "Carry on the last message; no new turn"),
    Face("add_generation_prompt", _T, "Open the assistant's turn"),
    Face("add_special_tokens", _T, "Add BOS and the like to the prompt"),
    Face("echo", _T, "Give the prompt (chat: the last message) back too"),
    Face("chat_template", _T, "Jinja source instead of the model's", "@chat.jinja"),
    Face("chat_template_kwargs", _T, "Variables for the template", "enable_thinking=false"),
    Face("documents", _T, "Passages for templates that know retrieval", "@docs.json"),
    Face("logit_bias", Group.TOKENS, "Token id and bias, -100 to 100", "15043=-100"),
    Face("bad_words", Group.TOKENS, "Words that must not come out", "Sorry", escapes=True),
    Face("allowed_token_ids", Group.TOKENS, "Nothing but these token ids", "5,6,7"),
    Face("use_beam_search", Group.BEAM, "Beam search; --n is the width"),
    Face("length_penalty", Group.BEAM, "For longer or shorter beams", "1.2"),
    Face("mm_processor_kwargs", Group.MEDIA, "Options of the media processor", "fps=2"),
    Face(
        "media_io_kwargs",
        Group.MEDIA,
        "Options for loading media",
        '\'{"video": {"num_frames": 16}}\'',
    ),
    Face("mm_payload", Group.MEDIA, "Render endpoints only"),
    Face("return_mm_kwargs", Group.MEDIA, "Render endpoints only; old spelling of mm_payload"),
    Face("skip_special_tokens", _R, "Leave special tokens out of the text"),
    Face("spaces_between_special_tokens", _R, "Put spaces between special tokens"),
    Face("return_token_ids", _R, "Token ids beside the text"),
    Face("return_prompt_text", _R, "The prompt as the template made it"),
    Face("return_token_offsets", _R, "Render endpoints only"),
    Face("return_weight_versions", _R, "Which weights made which tokens"),
    Face("routed_experts_prompt_start", _R, "Skip the first prompt tokens in expert routing", "0"),
    Face("priority", Group.SERVING, "Lower is served first; needs priority scheduling", "-1"),
    Face("session_id", Group.SERVING, "Keeps a conversation on one engine", "talk-7"),
    Face("cache_salt", Group.SERVING, "Keeps the prefix cache apart from others'", "tenant-a"),
    Face("request_id", Group.SERVING, "Your own id for the request", "job-17"),
    Face("user", Group.SERVING, "End user's name; vLLM does nothing with it"),
    Face("kv_transfer_params", Group.SERVING, "For the KV connector", "@kv.json"),
    Face("ec_transfer_params", Group.SERVING, "For the encoder-cache connector", "@ec.json"),
    Face("vllm_xargs", Group.SERVING, "Values for custom extensions", "mode=fast"),
)
