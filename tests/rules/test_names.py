"""Unknown names: what was meant, where it belongs, and what mends it."""

from typing import Any

import pytest

from tests.rules.mended import mended as mended_body
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check
from vllmctl.rules.finding import Finding, Level
from vllmctl.rules.foreign import foreign_name

HELLO = [{"role": "user", "content": "Hello"}]
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
BASES = {"chat.completions": {"messages": HELLO}, "completions": {"prompt": "Hello"}}


def body_for(of: str, extra: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", **BASES[of], **extra}


def found(
    extra: dict[str, Any], of: str = "chat.completions", target: str = "vllm"
) -> list[Finding]:
    return check(body_for(of, extra), endpoint(of, parse_target(target)))


def mended(extra: dict[str, Any], of: str = "chat.completions", target: str = "vllm") -> Any:
    """The fields beside the base after the mend."""
    result, _ = mended_body(body_for(of, extra), endpoint(of, parse_target(target)))
    base = body_for(of, {})
    return {name: value for name, value in result.items() if base.get(name) != value}


@pytest.mark.parametrize(
    ("sent", "becomes"),
    [
        ({"guided_json": SCHEMA}, {"structured_outputs": {"json": SCHEMA}}),
        ({"guided_regex": "a"}, {"structured_outputs": {"regex": "a"}}),
        ({"guided_choice": ["a"]}, {"structured_outputs": {"choice": ["a"]}}),
        ({"guided_grammar": 'root ::= "a"'}, {"structured_outputs": {"grammar": 'root ::= "a"'}}),
        ({"guided_decoding_backend": "xgrammar"}, {}),
        ({"best_of": 3}, {}),
        ({"early_stopping": True}, {}),
        ({"logits_processors": ["x"]}, {}),
        ({"temprature": 0.5}, {"temperature": 0.5}),
        ({"max_token": 5}, {"max_tokens": 5}),
        ({"repetition_penality": 1.1}, {"repetition_penalty": 1.1}),
        ({"topP": 0.9, "maxTokens": 5}, {"top_p": 0.9, "max_tokens": 5}),
        ({"top-k": 5}, {"top_k": 5}),
        ({"logits_bias": {"5": 1}}, {"logit_bias": {"5": 1}}),
        (
            {"extra_body": {"top_k": 5, "guided_regex": "a"}},
            {"top_k": 5, "structured_outputs": {"regex": "a"}},
        ),
        ({"extra_body": {"top_k": 5}, "top_k": 7}, {"top_k": 7}),
        (
            {"parameters": {"max_new_tokens": 60, "do_sample": False}},
            {"max_tokens": 60, "temperature": 0},
        ),
        (
            {"options": {"num_predict": 5, "repeat_penalty": 1.1}},
            {"max_tokens": 5, "repetition_penalty": 1.1},
        ),
        ({"enable_thinking": False}, {"chat_template_kwargs": {"enable_thinking": False}}),
        ({"think": False}, {"chat_template_kwargs": {"enable_thinking": False}}),
        (
            {"include_usage": True, "stream": True},
            {"stream": True, "stream_options": {"include_usage": True}},
        ),
        ({"max_output_tokens": 5}, {"max_tokens": 5}),
        ({"reasoning": {"effort": "low"}}, {"reasoning_effort": "low"}),
        ({"format": "json"}, {"response_format": {"type": "json_object"}}),
        ({"format": SCHEMA}, {"structured_outputs": {"json": SCHEMA}}),
        ({"n_probs": 3}, {"logprobs": True, "top_logprobs": 3}),
        (
            {"functions": [{"name": "f"}], "function_call": {"name": "f"}},
            {
                "tools": [{"type": "function", "function": {"name": "f"}}],
                "tool_choice": {"type": "function", "function": {"name": "f"}},
            },
        ),
        ({"thinking": {"type": "disabled"}}, {"chat_template_kwargs": {"enable_thinking": False}}),
        ({"metadata": {"a": "b"}}, {}),
        ({"service_tier": "flex"}, {}),
        ({"mirostat": 2}, {}),
        ({"detokenize": False}, {}),
        ({"frobnicate": 1}, {}),
        ({"foo": None}, {}),
        ({"structured_output": {"choice": ["a"]}}, {"structured_outputs": {"choice": ["a"]}}),
        ({"structured_outputs": {"choices": ["a"]}}, {"structured_outputs": {"choice": ["a"]}}),
        (
            {"stream": True, "stream_options": {"include_usag": True}},
            {"stream": True, "stream_options": {"include_usage": True}},
        ),
        ({"num_beams": 3}, {"use_beam_search": True, "n": 3}),
        ({"guidedJson": SCHEMA}, {"structured_outputs": {"json": SCHEMA}}),
        ({"guided_regexp": "a"}, {"structured_outputs": {"regex": "a"}}),
        ({"guided-choices": ["a"]}, {"structured_outputs": {"choice": ["a"]}}),
        ({"bestOf": 3}, {}),
        ({"logit_processors": ["x"]}, {}),
        (
            {"includeUsage": True, "stream": True},
            {"stream": True, "stream_options": {"include_usage": True}},
        ),
        ({"whitespacePattern": " "}, {}),
        ({"sufix": "x"}, {}),
        ({"generationConfig": {"maxOutputTokens": 5}}, {"max_tokens": 5}),
        ({"reasoning_format": "deepseek"}, {}),
        ({"structured_outputs": {"json_schema": SCHEMA}}, {"structured_outputs": {"json": SCHEMA}}),
        (
            {"structured_outputs": {"type": "json", "schema": SCHEMA}},
            {"structured_outputs": {"json": SCHEMA}},
        ),
        ({"structured_outputs": {"pattern": "a"}}, {"structured_outputs": {"regex": "a"}}),
        ({"structured_outputs": {"enum": ["a"]}}, {"structured_outputs": {"choice": ["a"]}}),
        (
            {
                "extra_body": {"chat_template_kwargs": {"enable_thinking": False, "a": 2}},
                "chat_template_kwargs": {"a": 1},
            },
            {"chat_template_kwargs": {"a": 1, "enable_thinking": False}},
        ),
        ({"extra_body": {"extra_body": {"top_k": 3}, "top_p": 0.5}}, {"top_k": 3, "top_p": 0.5}),
        ({"timeout": 60, "api_base": "http://h"}, {}),
    ],
    ids=str,
)
def test_unknown_names_in_a_chat_are_mended(sent: dict[str, Any], becomes: dict[str, Any]) -> None:
    assert {finding.level for finding in found(sent)} >= {Level.IGNORED}
    assert mended(sent) == becomes


@pytest.mark.parametrize(
    ("sent", "becomes"),
    [
        ({"max_completion_tokens": 5}, {"max_tokens": 5}),
        ({"max_completion_tokens": 5, "max_tokens": 3}, {"max_tokens": 3}),
        ({"top_logprobs": 2}, {"logprobs": 2}),
        ({"messages": HELLO}, {}),
        ({"chat_template": "x"}, {}),
        ({"tools": []}, {}),
        ({"continue_final_message": True}, {}),
        ({"documents": []}, {}),
        ({"n_probs": 2}, {"logprobs": 2}),
        ({"maxCompletionTokens": 5}, {"max_tokens": 5}),
        ({"reasoningEffort": "low"}, {}),
        ({"tool_choices": "auto"}, {}),
        ({"enable_thinking": False}, {}),
    ],
    ids=str,
)
def test_fields_of_a_chat_are_told_in_a_completion(
    sent: dict[str, Any], becomes: dict[str, Any]
) -> None:
    findings = found(sent, "completions")
    assert findings[0].level is Level.IGNORED
    assert mended(sent, "completions") == becomes


@pytest.mark.parametrize(
    ("name", "of", "says"),
    [
        ("guidedJson", "completions", "looks like guided_json: guided_json was removed in 0.12.0"),
        ("include_usge", "completions", "include_usage is a part of stream_options"),
        ("enable_thinking", "completions", "chat_template_kwargs.enable_thinking on /v1/chat/"),
        ("enable_thinkin", "chat.completions", "chat_template_kwargs.enable_thinking here"),
        ("preserve_thinkng", "chat.completions", "chat_template_kwargs.preserve_thinking here"),
        ("reasoning_format", "completions", "--reasoning-parser"),
        ("generationConfig", "completions", "has no field generationConfig"),
    ],
)
def test_an_odd_spelling_is_told_as_the_name_that_was_meant(name: str, of: str, says: str) -> None:
    (finding,) = found({name: 1}, of)
    assert finding.path == name
    assert says in finding.message


@pytest.mark.parametrize("name", ["prompt", "input", "inputs", "promt"])
def test_a_prompt_in_a_chat_becomes_a_message(name: str) -> None:
    body, _ = mended_body(
        {"model": "m", name: "Hello"}, endpoint("chat.completions", parse_target("vllm"))
    )
    assert body == {"model": "m", "messages": HELLO}


@pytest.mark.parametrize(
    ("sent", "becomes"),
    [
        ({"structured_outputs": {"json": SCHEMA}}, {"guided_json": SCHEMA}),
        ({"structured_outputs": {"regex": "a"}}, {"guided_regex": "a"}),
        ({"repetition_detection": {"max_pattern_size": 4, "min_count": 2}}, {}),
    ],
    ids=str,
)
def test_newer_fields_get_their_older_names(sent: dict[str, Any], becomes: dict[str, Any]) -> None:
    (finding,) = found(sent, target="0.6.3")
    assert finding.level is Level.ERROR
    assert finding.code == "field.not_yet"
    assert mended(sent, target="0.6.3") == becomes


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("guided_json", ["0.12.0", "structured_outputs.json"]),
        ("best_of", ["0.12.0", "n"]),
        ("temprature", ["temperature"]),
        ("extra_body", ["Python clients", "top of the body"]),
        ("num_ctx", ["--max-model-len"]),
        ("detokenize", ["cannot be sent"]),
        ("suffix", ["/v1/completions"]),
        ("frobnicate", ["has no field frobnicate", "ignores it"]),
    ],
)
def test_messages_say_what_to_do(name: str, words: list[str]) -> None:
    value = {"top_k": 1} if name == "extra_body" else 1
    (finding,) = found({name: value})
    assert finding.path == name
    for word in words:
        assert word in finding.message


def test_fields_without_effect_are_told() -> None:
    (finding,) = found({"user": "me"})
    assert (finding.level, finding.code, finding.path) == (Level.IGNORED, "field.no_effect", "user")


def test_unknown_parts_are_found_in_lists() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parametres": {}}}]
    paths = [finding.path for finding in found({"tools": tools, "tool_choice": "none"})]
    assert paths == ["tools[0].function.parametres"]


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({"stream": True, "stream_options": {"include_usag": True}}, "stream_options.include_usag"),
        ({"response_format": {"type": "text", "zork": 1}}, "response_format.zork"),
        (
            {"tools": [{"type": "function", "zork": 1, "function": {"name": "f"}}]},
            "tools[0].zork",
        ),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parametres": {}}}]},
            "tools[0].function.parametres",
        ),
    ],
)
@pytest.mark.parametrize(
    ("target", "level", "word"),
    [("0.6.3", Level.ERROR, "refused"), ("0.33.0", Level.IGNORED, "ignored")],
)
def test_unknown_part_is_told_once_with_its_consequence(
    sent: dict[str, Any], path: str, target: str, level: Level, word: str
) -> None:
    (told,) = (finding for finding in found(sent, target=target) if finding.path == path)
    assert told.level is level
    assert f"it is {word}" in told.message
    assert told.fix


def test_schemas_and_free_objects_may_hold_any_name() -> None:
    sent = {
        "structured_outputs": {"json": {**SCHEMA, "x-anything": 1}},
        "chat_template_kwargs": {"any": 1},
        "vllm_xargs": {"any": 1},
        "kv_transfer_params": {"any": 1},
    }
    assert [finding for finding in found(sent) if finding.code.startswith("field.")] == []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("max_new_tokens", "max_tokens"),
        ("n_predict", "max_tokens"),
        ("repeat-penalty", "repetition_penalty"),
        ("temp", "temperature"),
        ("thinking_budget", "thinking_token_budget"),
        ("json_schema", "structured_outputs.json"),
        ("stop_sequences", "stop"),
        ("mirostat", ""),
        ("num_ctx", ""),
    ],
)
def test_foreign_names_are_known_to_the_command_line_too(name: str, path: str) -> None:
    known = foreign_name(name)
    assert known is not None
    assert known[0] == path
    assert path or known[1]


def test_own_names_are_not_foreign() -> None:
    for of in BASES:
        for name in endpoint(of, parse_target("vllm")).fields:
            assert foreign_name(name) is None, name


@pytest.mark.parametrize(
    ("sent", "becomes"),
    [
        ({"response_format": "json_object"}, {"response_format": {"type": "json_object"}}),
        (
            {"response_format": {"type": "json_schema", "json_schema": SCHEMA}},
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "schema": SCHEMA},
                }
            },
        ),
        (
            {"response_format": {"type": "json_schema", "schema": SCHEMA}},
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "schema": SCHEMA},
                }
            },
        ),
        (
            {"tools": [{"type": "function", "name": "f", "parameters": {}}]},
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
        ),
        ({"stop_token_ids": 5}, {"stop_token_ids": [5]}),
        ({"bad_words": "a"}, {"bad_words": ["a"]}),
        ({"structured_outputs": {"choice": "a"}}, {"structured_outputs": {"choice": ["a"]}}),
        ({"logprobs": 5}, {"logprobs": True, "top_logprobs": 5}),
        ({"session_id": 5}, {"session_id": "5"}),
        (
            {"truncation_side": "Left", "truncate_prompt_tokens": 5},
            {"truncation_side": "left", "truncate_prompt_tokens": 5},
        ),
        ({"min_tokens": None}, {}),
        ({"truncate_prompt_tokens": -7}, {"truncate_prompt_tokens": -1}),
    ],
    ids=str,
)
def test_values_in_another_shape_are_mended(sent: dict[str, Any], becomes: dict[str, Any]) -> None:
    assert any(finding.level is Level.ERROR for finding in found(sent))
    assert mended(sent) == becomes
