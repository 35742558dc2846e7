"""The server's words for each rule, and the field that it blames."""

from collections.abc import Callable, Mapping
from typing import Any

from vllmctl.mock.wire import RefusedError
from vllmctl.rules.case import Fault

Body = Mapping[str, Any]
Words = Callable[[Body, Fault], RefusedError | None]

_UNSET = object()

_CONSTRAINTS: Mapping[str, Any] = {
    "json": None,
    "regex": None,
    "choice": None,
    "grammar": None,
    "json_object": None,
    "disable_any_whitespace": False,
    "disable_additional_properties": False,
    "whitespace_pattern": None,
    "structural_tag": None,
    "_backend": None,
    "_backend_was_auto": False,
}
_FLOATS = frozenset(
    {
        *("temperature", "top_p", "min_p"),
        *("presence_penalty", "frequency_penalty", "repetition_penalty", "length_penalty"),
    }
)
_CONSTRAINT_KINDS = ("json", "regex", "choice", "grammar", "json_object", "structural_tag")
_TOOL_USAGE = 'Correct usage: `{"type": "function", "function": {"name": "my_function"}}`'
_KINDS = "You can only use one kind of structured outputs constraint but multiple are specified: "
_NO_KIND = "You must use one kind of structured outputs constraint but none are specified: "


def refusal(rule: str, fault: Fault, body: Body, endpoint: str) -> RefusedError | None:
    """Return the refusal of a request that breaks ``rule``.

    ``None`` when the server finds the same fault later on, in other words.
    """
    words = _WORDS.get(f"{rule}@{endpoint}") or _WORDS.get(rule)
    return words(body, fault) if words else RefusedError(fault.message)


def blame(message: str, param: str, value: Any = _UNSET, *, late: bool = False) -> RefusedError:
    """Return a refusal whose message ends with the field, and its value where it is told."""
    told = "" if value is _UNSET else f", value={value}"
    return RefusedError(f"{message} (parameter={param}{told})", param=param, late=late)


def constraints(body: Body) -> dict[str, Any]:
    """Return the members of ``structured_outputs``, with what ``response_format`` adds."""
    members = {**_CONSTRAINTS, **(body.get("structured_outputs") or {})}
    members = {name: members[name] for name in _CONSTRAINTS}
    form = body.get("response_format") or {}
    if form.get("type") == "json_object":
        members["json_object"] = True
    elif form.get("type") == "json_schema":
        members["json"] = (form.get("json_schema") or {}).get("schema")
    elif form.get("type") == "structural_tag":
        members["structural_tag"] = str(form)
    return members


def _says(message: str) -> Words:
    return lambda _body, _fault: RefusedError(message)


def _blames(message: str, param: str) -> Words:
    return lambda _body, _fault: blame(message, param)


def _range(name: str, message: str) -> Words:
    """A number's range, told without a field."""
    return lambda body, _: RefusedError(f"{name} must be {message}, got {_read(body, name)}.")


def _told(name: str, message: str) -> Words:
    """A number's range, told with field and value."""

    def words(body: Body, _fault: Fault) -> RefusedError:
        value = _read(body, name)
        return blame(f"{name} must be {message}, got {value}.", name, value)

    return words


def _read(body: Body, name: str) -> Any:
    """The value as the server reads it: a whole number in a field of floats is a float."""
    value = body.get(name)
    return float(value) if isinstance(value, int) and name in _FLOATS else value


def _count(message: str) -> Words:
    def words(body: Body, _fault: Fault) -> RefusedError:
        name = "beam_width" if body.get("use_beam_search") else "n"
        return RefusedError(f"{name} {message.format(n=body.get('n'))}")

    return words


def _prefixed(name: str, message: str) -> Words:
    return lambda body, _: blame(f"`{name}` {message}", name, body.get(name))


def _not_a_number(body: Body, fault: Fault) -> RefusedError:
    name = fault.path
    return blame(f"`{name}` must be an integer.", name, body.get(name))


def _not_finite(body: Body, fault: Fault) -> RefusedError:
    name = fault.path
    message = f"{name} must be a finite number, got {body.get(name)}."
    return blame(message, name, body.get(name)) if name == "temperature" else RefusedError(message)


def _unhashable(body: Body, _fault: Fault) -> RefusedError:
    value = (body.get("chat_template_kwargs") or {}).get("enable_thinking")
    return RefusedError(f"unhashable type: '{type(value).__name__}'")


def _no_number(body: Body, fault: Fault) -> RefusedError:
    words = {"top_p": _told("top_p", _TOP_P), "min_p": _range("min_p", "in [0, 1]")}
    other = _range(fault.path, "in [-2, 2]")
    found = words.get(fault.path, other)(body, fault)
    assert found is not None
    return found


def _half_pair(_body: Body, fault: Fault) -> RefusedError | None:
    """Of a prompt the tokenizer speaks, of all else what comes later."""
    if fault.path.startswith(("messages", "prompt", "tools", "chat_template", "documents")):
        is_kept = fault.path.startswith(("chat_template_kwargs", "documents"))
        return None if is_kept else RefusedError(_NO_TEXT)
    return None


def _max_tokens(body: Body, _fault: Fault) -> RefusedError:
    most = body.get("max_completion_tokens")
    most = body.get("max_tokens") if most is None else most
    return blame(f"max_tokens must be at least 1, got {most}.", "max_tokens", most)


def _min_tokens(body: Body, _fault: Fault) -> RefusedError:
    least = body.get("min_tokens") or 0
    if least < 0:
        return RefusedError(f"min_tokens must be greater than or equal to 0, got {least}.")
    most = body.get("max_completion_tokens")
    most = body.get("max_tokens") if most is None else most
    return RefusedError(f"min_tokens must be less than or equal to max_tokens={most}, got {least}.")


def _tool_choice(body: Body, _fault: Fault) -> RefusedError:
    message = f"Invalid value for `tool_choice`: {body.get('tool_choice')}! "
    message += 'Only named tools, "none", "auto" or "required" are supported.'
    return blame(message, "tool_choice")


def _tool_shape(body: Body, _fault: Fault) -> RefusedError:
    choice = body.get("tool_choice")
    function = choice.get("function") if isinstance(choice, Mapping) else None
    if not isinstance(function, Mapping):
        message = f"Invalid value for `function`: `{function}` in `tool_choice`! {_TOOL_USAGE}"
        return blame(message, "tool_choice.function")
    name = "tool_choice.function.name"
    if "name" not in function:
        return blame(f"Expected field `name` in `function` in `tool_choice`! {_TOOL_USAGE}", name)
    message = f"Invalid `name` in `function`: `{function['name']}` in `tool_choice`! {_TOOL_USAGE}"
    return blame(message, name)


def _bias_keys(body: Body, _fault: Fault) -> RefusedError | None:
    keys = [key for key in body.get("logit_bias") or {} if not _is_integer(key)]
    if not keys:
        return None
    message = f"logit_bias contains key(s) that cannot be converted to integer token IDs: {keys}"
    return blame(message, "logit_bias", keys)


def _is_integer(text: Any) -> bool:
    try:
        int(text)
    except (TypeError, ValueError):
        return False
    return True


def _token_ids_count(body: Body, _fault: Fault) -> RefusedError | None:
    count = len(body.get("logprob_token_ids") or ())
    if count <= 128:
        return None
    message = f"Requested logprob_token_ids of length {count}, which is greater than max allowed: "
    return blame(f"{message}128", "logprob_token_ids", count, late=True)


def _no_kind(body: Body, _fault: Fault) -> RefusedError:
    return RefusedError(_NO_KIND + str({**constraints({**body, "response_format": None})}))


def _many_kinds(body: Body, _fault: Fault) -> RefusedError:
    members = constraints(body)
    kinds = [name for name in _CONSTRAINT_KINDS if members[name] is not None]
    return RefusedError((_KINDS if kinds else _NO_KIND) + str(members))


def _engine(message: str) -> Words:
    return lambda _body, _fault: RefusedError(message, late=True)


def _no_choice(body: Body, _fault: Fault) -> RefusedError:
    choice = (body.get("structured_outputs") or {}).get("choice")
    return RefusedError(f"Choice '{choice}' cannot be an empty list", late=True)


def _nothing_allowed(body: Body, _fault: Fault) -> RefusedError | None:
    if body.get("allowed_token_ids"):
        return None
    message = "allowed_token_ids is not None and empty!"
    return blame(message, "allowed_token_ids", body.get("allowed_token_ids"), late=True)


def _empty_words(body: Body, _fault: Fault) -> RefusedError | None:
    words = body.get("bad_words") or []
    if "" not in words:
        return None
    return RefusedError(f"bad_words cannot contain an empty string. Got bad_words={words}")


def _later(_body: Body, _fault: Fault) -> None:
    """The engine finds it, and words it by itself."""


_NO_TEXT = "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]"
_TOP_P = "in (0, 1]"
_POSITIVE = "must be a positive value or -1."
_STRUCTURED = "('json', 'regex' or 'choice')."
_ONE_KIND = f"You can only use one kind of constraints for structured outputs {_STRUCTURED}"
_SALT = "must be at most 128 characters and must not contain '@', '/', '\\\\', or NUL."
_TAG = "Invalid structured_outputs structural_tag specification."

_WORDS: Mapping[str, Words] = {
    "prompt.continue_vs_generation": _says(
        "Cannot set both `continue_final_message` and `add_generation_prompt` to True."
    ),
    "prompt.continue_needs_off": _says(
        "continue_final_message and add_generation_prompt are not compatible. Use "
        "continue_final_message when you want the model to continue the final message, and "
        "add_generation_prompt when you want to add a header that will prompt it to start a "
        "new assistant message instead."
    ),
    "messages.none": _says(
        "Cannot apply chat template to an empty conversation. Provide at least one message."
    ),
    "messages.tool_calls_shape": _blames(
        "chat completions only support assistant tool_calls of type 'function'.", "tool_calls"
    ),
    "detokenize.wide_id": _says("number too large to fit in target type"),
    "chat_template.syntax": _says("Expected an expression, got 'end of statement block'"),
    "tools.empty": _blames(
        "`tools` must not be an empty array. "
        "Either provide at least one tool or omit the field entirely.",
        "tools",
    ),
    "tool_choice.needs_tools": _blames(
        "When using `tool_choice`, `tools` must be set.", "tool_choice"
    ),
    "tool_choice.values": _tool_choice,
    "tool_choice.shape": _tool_shape,
    "tool_choice.must_match": _blames(
        "The tool specified in `tool_choice` does not match any of the specified `tools`",
        "tool_choice",
    ),
    "tool_choice.one_tool": _says("Forced tool choice must resolve to exactly one tool."),
    "structured_outputs.one_kind": _says(_ONE_KIND),
    "structured_outputs.one_kind@completions": _blames(_ONE_KIND, "structured_outputs"),
    "structured_outputs.or_named_tool": _says(
        "You can only either use constraints for structured outputs or tools, not both."
    ),
    "structured_outputs.structural_tag_invalid": _blames(_TAG, "structured_outputs"),
    "response_format.structural_tag_invalid": _blames(
        "Invalid response_format structural_tag specification.", "response_format"
    ),
    "response_format.schema_missing": _blames(
        "When response_format type is 'json_schema', the 'json_schema' field must be provided.",
        "response_format",
    ),
    "logprob_token_ids.no_beam": _blames(
        "`logprob_token_ids` is not supported with beam search.", "logprob_token_ids"
    ),
    "logprob_token_ids.needs_logprobs": _blames(
        "when using `logprob_token_ids`, `logprobs` must be set to true.", "logprob_token_ids"
    ),
    "logprob_token_ids.needs_logprobs@completions": _blames(
        "when using `logprob_token_ids`, `logprobs` must be set.", "logprob_token_ids"
    ),
    "logprob_token_ids.needs_output": _blames(
        "`logprob_token_ids` is not supported when `echo=True` and `max_tokens=0` "
        "because no output tokens are generated.",
        "logprob_token_ids",
    ),
    "completions.beam_echo_logprobs": _blames(
        "`echo` with `logprobs` is not supported with beam search "
        "because beam search does not compute prompt logprobs.",
        "echo",
    ),
    "logprobs.int_type": _not_a_number,
    "prompt_logprobs.no_stream": _blames(
        "`prompt_logprobs` are not available when `stream=True`.", "prompt_logprobs"
    ),
    "prompt_logprobs.positive_or_all": _prefixed("prompt_logprobs", _POSITIVE),
    "top_logprobs.positive_or_all": _prefixed("top_logprobs", _POSITIVE),
    "completions.logprobs_positive_or_all": _prefixed("logprobs", _POSITIVE),
    "top_logprobs.needs_logprobs": _blames(
        "when using `top_logprobs`, `logprobs` must be set to true.", "top_logprobs"
    ),
    "stream_options.needs_stream": _blames(
        "Stream options can only be defined when `stream=True`.", "stream_options"
    ),
    "cache_salt.non_empty": _blames(
        "Parameter 'cache_salt' must be a non-empty string if provided.", "cache_salt"
    ),
    "cache_salt.chars": _blames(f"Parameter 'cache_salt' {_SALT}", "cache_salt"),
    "completions.prompt_required": _blames(
        "Either prompt or prompt_embeds must be provided and non-empty.", "prompt"
    ),
    "completions.prompt_or_embeds": _blames(
        "Either prompt or prompt_embeds must be provided and non-empty.", "prompt"
    ),
    "completions.prompt_shape": _says("You must pass at least one prompt"),
    "prompt.empty": _later,
    "completions.embeds_echo": _says("Echo is unsupported with prompt embeds."),
    "completions.embeds_prompt_logprobs": _says(
        "prompt_logprobs is not compatible with prompt embeds."
    ),
    "completions.beam_no_stream": _says("Streaming is not currently supported with beam search"),
    "thinking_token_budget.range": _prefixed(
        "thinking_token_budget", "must be a non-negative integer or -1 for unlimited."
    ),
    "sp.repetition_detection_sizes": _says(
        "max_pattern_size, min_pattern_size must be >=0, with min_pattern_size <= "
        "max_pattern_size. Set both to 0 to disable repetitive pattern detection."
    ),
    "sp.repetition_detection_count": _says(
        "min_count must be >= 2 to detect repetitive patterns in engine output. "
        "If you do not wish to detect repetitive patterns, set max_pattern_size to 0."
    ),
    "structured_outputs.exclusive": _many_kinds,
    "structured_outputs.with_response_format": _many_kinds,
    "structured_outputs.not_empty": _no_kind,
    "sp.logit_bias_keys": _bias_keys,
    "sp.n_min": _count("must be at least 1, got {n}."),
    "sp.n_max": _count(
        "must be at most 16384, got {n}. To increase this limit, set the "
        "VLLM_MAX_N_SEQUENCES environment variable."
    ),
    "sp.n_greedy": _range("n", "1 when using greedy sampling"),
    "sp.extra_args_ints": _blames(
        "extra_args integers must be between -2**63 and 2**64 - 1.", "extra_args"
    ),
    "sp.presence_penalty": _range("presence_penalty", "in [-2, 2]"),
    "sp.frequency_penalty": _range("frequency_penalty", "in [-2, 2]"),
    "sp.repetition_positive": _range("repetition_penalty", "greater than zero"),
    "sp.finite": _not_finite,
    "sp.temperature_min": _told("temperature", "non-negative"),
    "sp.temperature_max": _told("temperature", "in [0, 2]"),
    "sp.top_p": _told("top_p", _TOP_P),
    "sp.not_a_number": _no_number,
    "sp.int_width": _later,
    "prompt.token_range": _later,
    "chat_template.thinking_switch": _unhashable,
    "so.strict_tools": _engine("Invalid grammar specification: 'triggers'"),
    "text.surrogate": _half_pair,
    "sp.top_k": _range("top_k", "0 (disable), or at least 1"),
    "sp.min_p": _range("min_p", "in [0, 1]"),
    "sp.max_tokens": _max_tokens,
    "sp.min_tokens": _min_tokens,
    "sp.stream_interval": _told("stream_interval", "at least 1"),
    "sp.stop_empty": _says("stop cannot contain an empty string."),
    "sp.bad_words": _empty_words,
    "sp.logprob_token_ids_len": _token_ids_count,
    "sp.allowed_token_ids": _nothing_allowed,
    "sp.routed_experts_range": _later,
    "sp.stop_token_ids": _later,
    "truncate.to_nothing": _later,
    "so.compile": _later,
    "so.choice_empty": _no_choice,
    "so.grammar_empty": _engine("structured_outputs.grammar cannot be an empty string"),
    "so.json_empty": _engine("structured_outputs.json cannot be an empty string"),
    "so.structural_tag_empty": _engine(
        "structured_outputs.structural_tag cannot be an empty string"
    ),
    "so.json_object_true": _engine(
        "structured_outputs.json_object must be True if set; "
        "omit structured_outputs to disable structured outputs"
    ),
    "so.regex_nul": _engine("structured_outputs.regex must not contain a NUL character ('\\x00')"),
}
