"""What the server takes without a word and ignores, alters or reads otherwise."""

from typing import Any

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check
from vllmctl.rules.finding import Finding, Level

HELLO = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "function", "function": {"name": "f"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
BASES = {"chat.completions": {"messages": HELLO}, "completions": {"prompt": "Hello"}}
IGNORED, WARNING, NOTE = Level.IGNORED, Level.WARNING, Level.NOTE


def findings(body: dict[str, Any], of: str, target: str = "vllm") -> set[tuple[Level, str]]:
    sent = {"model": "m", **BASES[of], **body}
    return {(f.level, f.path) for f in check(sent, endpoint(of, parse_target(target)))}


@pytest.mark.parametrize(
    ("body", "level", "path"),
    [
        ({"length_penalty": 2}, IGNORED, "length_penalty"),
        ({"temperature": 0, "top_p": 0.9}, IGNORED, "top_p"),
        ({"temperature": 0, "top_k": 40}, IGNORED, "top_k"),
        ({"temperature": 0, "min_p": 0.1}, IGNORED, "min_p"),
        ({"temperature": 0.0001}, WARNING, "temperature"),
        ({"seed": -1}, NOTE, "seed"),
        ({"logit_bias": {"10": 200}}, WARNING, 'logit_bias["10"]'),
        ({"logit_bias": {"10": -200}}, WARNING, 'logit_bias["10"]'),
        ({"truncation_side": "left"}, IGNORED, "truncation_side"),
        ({"stream": True, "prompt_logprobs": 0}, IGNORED, "prompt_logprobs"),
        (
            {"stream": True, "stream_options": {"continuous_usage_stats": True}},
            IGNORED,
            "stream_options.continuous_usage_stats",
        ),
        ({"stream_interval": 5}, IGNORED, "stream_interval"),
        ({"repetition_detection": {}}, IGNORED, "repetition_detection"),
        ({"repetition_detection": {"min_count": 3}}, IGNORED, "repetition_detection"),
        (
            {"structured_outputs": {"choice": ["a"], "whitespace_pattern": " "}},
            IGNORED,
            "structured_outputs.whitespace_pattern",
        ),
        (
            {"structured_outputs": {"json": {"name": "n", "schema": SCHEMA}}},
            WARNING,
            "structured_outputs.json",
        ),
        ({"structured_outputs": {"json": {}}}, WARNING, "structured_outputs.json"),
        (
            {"response_format": {"type": "json_object", "schema": SCHEMA}},
            IGNORED,
            "response_format.schema",
        ),
        ({"priority": 5}, NOTE, "priority"),
        ({"return_token_offsets": True}, IGNORED, "return_token_offsets"),
        ({"mm_payload": "none"}, IGNORED, "mm_payload"),
        ({"user": "me"}, IGNORED, "user"),
        ({"temperature": "0.5"}, WARNING, "temperature"),
        ({"ignore_eos": 1}, WARNING, "ignore_eos"),
        ({"stream": "yes"}, WARNING, "stream"),
        ({"n": True}, WARNING, "n"),
        ({"stop": ["\\n"]}, WARNING, "stop[0]"),
        ({"return_tokens_as_token_ids": True}, IGNORED, "return_tokens_as_token_ids"),
        ({"bad_words": ["describe", " describe"]}, NOTE, "bad_words[0]"),
        ({"kv_transfer_params": {"do_remote_decode": True}}, NOTE, "kv_transfer_params"),
        ({"ec_transfer_params": {"a": 1}}, NOTE, "ec_transfer_params"),
        ({"watermarking": True}, NOTE, "watermarking"),
        ({"vllm_xargs": {"top_k": 5}}, WARNING, "vllm_xargs.top_k"),
    ],
    ids=str,
)
@pytest.mark.parametrize("of", BASES)
def test_both_endpoints(body: dict[str, Any], level: Level, path: str, of: str) -> None:
    assert (level, path) in findings(body, of)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stop", ["a"]),
        ("logit_bias", {"5": 1}),
        ("min_tokens", 2),
        ("bad_words", ["a"]),
        ("structured_outputs", {"choice": ["a"]}),
        ("top_p", 0.5),
        ("seed", 1),
        ("repetition_penalty", 1.2),
        ("repetition_detection", {"max_pattern_size": 4, "min_count": 2}),
    ],
)
@pytest.mark.parametrize("of", BASES)
def test_beam_search_drops_what_steers_sampling(name: str, value: Any, of: str) -> None:
    assert (IGNORED, name) in findings({"use_beam_search": True, "n": 2, name: value}, of)


@pytest.mark.parametrize(
    "body",
    [
        {"return_tokens_as_token_ids": True, "logprobs": 1},
        {"return_tokens_as_token_ids": False},
        {"bad_words": ["describe", " Describe", "5", "中"]},
        {"kv_transfer_params": {}},
        {"watermarking": False},
    ],
    ids=str,
)
def test_nothing_is_said_of_what_has_an_effect(body: dict[str, Any]) -> None:
    assert findings(body, "completions") == set()


@pytest.mark.parametrize(
    ("role", "body", "expected"),
    [
        ("user", {"echo": True}, {(WARNING, "echo")}),
        ("user", {"echo": True, "add_generation_prompt": False}, set()),
        ("assistant", {"echo": True}, set()),
        ("user", {"echo": False}, set()),
    ],
)
def test_a_chat_echoes_a_message_of_the_role_that_answers(
    role: str, body: dict[str, Any], expected: set[tuple[Level, str]]
) -> None:
    messages = [*HELLO, {"role": role, "content": "I am"}]
    assert findings({"messages": messages, **body}, "chat.completions") == expected


@pytest.mark.parametrize("name", ["enableThinking", "Enable_Thinking", "enable_thinkin"])
def test_a_switch_of_templates_is_told_by_its_usual_name(name: str) -> None:
    body = {"chat_template_kwargs": {name: False}}
    assert findings(body, "chat.completions") == {(WARNING, f"chat_template_kwargs.{name}")}


def test_arguments_of_templates_are_anything() -> None:
    body = {"chat_template_kwargs": {"enable": True, "think": 1, "preserve": 2, "depth": 3}}
    assert findings(body, "chat.completions") == set()


def test_documents_hang_on_the_template() -> None:
    body = {"documents": [{"title": "a", "text": "b"}]}
    assert findings(body, "chat.completions") == {(NOTE, "documents")}


def test_beam_search_drops_allowed_tokens_before_0_33() -> None:
    body = {"use_beam_search": True, "n": 2, "allowed_token_ids": [1, 2]}
    assert (IGNORED, "allowed_token_ids") in findings(body, "completions", "0.32.0")
    assert findings(body, "completions", "0.33.0") == set()


def test_beam_search_is_not_held_to_the_limits_of_sampling() -> None:
    body = {"use_beam_search": True, "n": 2, "temperature": 0, "top_p": 5}
    assert findings(body, "completions") == {(IGNORED, "top_p")}


@pytest.mark.parametrize(
    ("body", "level", "path"),
    [
        ({"max_completion_tokens": 5, "max_tokens": 9}, IGNORED, "max_tokens"),
        ({"parallel_tool_calls": False}, IGNORED, "parallel_tool_calls"),
        ({"tools": [TOOL]}, NOTE, "tools"),
        ({"tools": [TOOL], "tool_choice": "required"}, NOTE, "tool_choice"),
        (
            {"tools": [TOOL], "tool_choice": "required", "structured_outputs": {"choice": ["a"]}},
            IGNORED,
            "structured_outputs",
        ),
        ({"chat_template": "{{ messages }}"}, NOTE, "chat_template"),
        ({"chat_template": "chat.jinja"}, WARNING, "chat_template"),
        (
            {"chat_template_kwargs": {"enable_thinking": "false"}},
            WARNING,
            "chat_template_kwargs.enable_thinking",
        ),
        (
            {"chat_template_kwargs": {"add_generation_prompt": False}},
            IGNORED,
            "chat_template_kwargs.add_generation_prompt",
        ),
        (
            {"reasoning_effort": "high", "chat_template_kwargs": {"enable_thinking": False}},
            WARNING,
            "reasoning_effort",
        ),
        (
            {"continue_final_message": True, "add_generation_prompt": False},
            NOTE,
            "continue_final_message",
        ),
        ({"mm_processor_kwargs": {"a": 1}}, NOTE, "mm_processor_kwargs"),
        ({"thinking_token_budget": 100}, NOTE, "thinking_token_budget"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, WARNING, "messages[0].role"),
        ({"messages": [{"role": "user", "content": "x", "id": 1}]}, IGNORED, "messages[0].id"),
        (
            {"messages": [*HELLO, {"role": "tool", "tool_call_id": "c", "content": "x"}]},
            WARNING,
            "messages[1].tool_call_id",
        ),
    ],
    ids=str,
)
def test_chat(body: dict[str, Any], level: Level, path: str) -> None:
    assert (level, path) in findings(body, "chat.completions")


def test_constraints_of_completions_wait_for_the_end_of_thinking() -> None:
    body = {"structured_outputs": {"choice": ["a"]}}
    assert findings(body, "completions") == {(NOTE, "structured_outputs")}
    assert findings(body, "chat.completions") == set()


def test_equal_limits_beside_each_other_are_no_matter() -> None:
    body = {"max_completion_tokens": 5, "max_tokens": 5}
    assert findings(body, "chat.completions") == set()


def test_usage_options_were_on_by_default_up_to_0_17() -> None:
    body = {"stream": True, "stream_options": {"continuous_usage_stats": True}}
    assert findings(body, "chat.completions", "0.17.1") == set()


def test_more_log_probabilities_than_servers_give_is_a_note() -> None:
    body = {"logprobs": True, "top_logprobs": 50}
    assert findings(body, "chat.completions") == {(NOTE, "top_logprobs")}


def chat_of(*parts: Any, target: str = "vllm") -> list[Finding]:
    body = {"model": "m", "messages": [{"role": "user", "content": list(parts)}]}
    return check(body, endpoint("chat.completions", parse_target(target)))


@pytest.mark.parametrize(
    ("part", "path", "says"),
    [
        ({"type": "text", "text": "a", "cache_control": {}}, "cache_control", "is ignored"),
        ({"type": "text", "text": "a", "id": 1}, "id", "is ignored"),
        (
            {"type": "image_url", "image_url": {"url": "https://h/a.png", "detial": "low"}},
            "image_url.detial",
            "did you mean detail",
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav", "rate": 5}},
            "input_audio.rate",
            "is ignored",
        ),
    ],
    ids=["cache", "id", "misspelt", "nested"],
)
def test_keys_of_parts_that_no_part_has(part: dict[str, Any], path: str, says: str) -> None:
    (finding,) = chat_of(part)
    assert (finding.level, finding.code) == (IGNORED, "messages.part_key")
    assert finding.path == f"messages[0].content[0].{path}"
    assert says in finding.message


def test_keys_of_parts_that_came_later_are_told_with_their_release() -> None:
    (finding,) = chat_of({"type": "text", "text": "a", "uuid": "x"}, target="0.10.1.1")
    assert finding.message == "messages[0].content[0].uuid is ignored before 0.10.2"


def test_all_keys_that_parts_have_are_taken() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {
            "type": "image_url",
            "image_url": {"url": "https://h/a.png", "detail": "low"},
            "uuid": "a",
        },
        {"type": "thinking", "thinking": "a", "closed": True},
        {"type": "image_embeds", "image_embeds": {"anything": "AA=="}},
        {"type": "input_text", "text": "a"},
    ]
    assert "messages.part_key" not in {finding.code for finding in chat_of(*parts)}


@pytest.mark.parametrize(
    ("messages", "path"),
    [
        ([{"role": "user"}], "messages[0]"),
        ([*HELLO, {"role": "tool", "content": "y"}], "messages[1]"),
    ],
    ids=["no content", "no id"],
)
def test_messages_that_lack_what_makes_sense_of_them(
    messages: list[dict[str, Any]], path: str
) -> None:
    assert findings({"messages": messages}, "chat.completions") == {(WARNING, path)}
