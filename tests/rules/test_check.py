"""The order and the number of findings, and what gets none."""

from typing import Any

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest, parse_target, releases
from vllmctl.rules.check import check
from vllmctl.rules.finding import Finding, Level

HELLO = [{"role": "user", "content": "Hello"}]
TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Hi 👋"}]},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "And now?"},
]


def found(
    body: dict[str, Any], of: str = "chat.completions", target: str = "vllm"
) -> list[Finding]:
    return check(body, endpoint(of, parse_target(target)))


def codes(body: dict[str, Any], of: str = "chat.completions", target: str = "vllm") -> list[str]:
    return [finding.code for finding in found(body, of, target)]


@pytest.mark.parametrize(
    ("of", "body"),
    [
        ("chat.completions", {"messages": HELLO}),
        ("chat.completions", {"messages": TALK, "temperature": 0.7, "top_p": 0.95, "stream": True}),
        (
            "chat.completions",
            {
                "model": "m",
                "messages": TALK,
                "max_completion_tokens": 100,
                "stop": ["\n\n", "###"],
                "seed": 7,
                "n": 2,
                "temperature": 1,
                "logprobs": True,
                "top_logprobs": 5,
                "stream": True,
                "stream_options": {"include_usage": True},
                "chat_template_kwargs": {"enable_thinking": False},
                "logit_bias": {"5": -100},
                "repetition_detection": {"max_pattern_size": 8, "min_count": 3},
            },
        ),
        (
            "chat.completions",
            {
                "messages": HELLO,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "n", "schema": {"type": "object", "properties": {}}},
                },
                "temperature": 0,
                "top_p": 1,
                "top_k": -1,
            },
        ),
        ("completions", {"prompt": "Once", "max_tokens": 20, "echo": True, "logprobs": 3}),
        ("completions", {"prompt": [[1, 2], [3]], "n": 2, "temperature": 0.5, "ignore_eos": True}),
        ("completions", {"prompt": "x", "use_beam_search": True, "n": 4, "length_penalty": 2}),
    ],
)
def test_ordinary_requests_get_no_finding(of: str, body: dict[str, Any]) -> None:
    assert found(body, of) == []


@pytest.mark.parametrize("release", releases())
def test_a_plain_request_is_fine_for_every_release(release: str) -> None:
    body = {"model": "m", "prompt": "Hi", "max_tokens": 5, "temperature": 0.5, "top_p": 0.9}
    assert found(body, "completions", release) == []


def test_names_come_first_then_types_then_rules() -> None:
    body = {"messages": HELLO, "top_p": 3, "temperature": "hot", "tempurature": 1}
    assert codes(body) == ["field.misspelt", "type.float_parsing", "sp.top_p"]


def test_one_fault_is_one_error() -> None:
    assert codes({"messages": HELLO, "prompt_logprobs": -2}) == ["prompt_logprobs.positive_or_all"]
    assert codes({"messages": HELLO, "cache_salt": 5}) == ["type.string_type"]
    assert codes({"messages": HELLO, "tools": [], "tool_choice": "auto"}) == ["tools.empty"]


def test_rules_keep_silent_about_values_of_the_wrong_type() -> None:
    assert codes({"messages": HELLO, "min_tokens": "many", "max_tokens": 5}) == ["type.int_parsing"]


def test_a_body_that_is_no_object_is_told() -> None:
    (finding,) = check([], endpoint("chat.completions", newest()))  # type: ignore[arg-type]
    assert finding.level is Level.ERROR
    assert finding.path == ""


def test_the_same_body_gets_the_same_findings() -> None:
    body = {"messages": HELLO, "n": 0, "foo": 1, "stop": "", "top_k": -3, "min_p": 2}
    assert found(body) == found(dict(body))


@pytest.mark.parametrize(
    ("target", "level"),
    [("0.6.3", Level.ERROR), ("0.4.2", Level.ERROR), ("0.11.2", None), ("0.33.0", Level.IGNORED)],
)
def test_a_removed_field_is_refused_known_or_ignored(target: str, level: Level | None) -> None:
    field = "best_of" if target in ("0.11.2", "0.33.0") else "repetition_detection"
    body = {"model": "m", "messages": HELLO, field: 1}
    levels = [f.level for f in found(body, target=target) if f.code.startswith("field.")]
    assert levels == ([level] if level else [])


@pytest.mark.parametrize(
    ("value", "target", "is_fine"),
    [(0, "0.8.5", False), (0, "0.9.0", True), (-1, "0.8.5", True), (-1, "0.33.0", True)],
)
def test_limits_are_those_of_the_release(value: int, target: str, is_fine: bool) -> None:
    body = {"model": "m", "messages": HELLO, "top_k": value}
    assert (codes(body, target=target) == []) is is_fine


def test_temperature_has_an_upper_limit_since_0_24() -> None:
    body = {"model": "m", "messages": HELLO, "temperature": 5}
    assert codes(body, target="0.23.0") == []
    assert codes(body, target="0.24.0") == ["sp.temperature_max"]


def test_messages_hold_the_value_and_what_is_allowed() -> None:
    (finding,) = found({"messages": HELLO, "top_p": 1.5})
    assert "1.5" in finding.message
    assert "at most 1" in finding.message


def test_rules_of_furiosa_hold_for_furiosa() -> None:
    body = {"model": "m", "messages": HELLO, "top_p": 2}
    (finding,) = found(body, target="furiosa")
    assert finding.path == "top_p"
    assert finding.level is Level.ERROR


@pytest.mark.parametrize(
    ("of", "body", "path"),
    [
        ("responses", {"input": "x", "max_output_tokens": 0}, "max_output_tokens"),
        ("responses", {"input": "x", "temperature": 3}, "temperature"),
        ("messages", {"messages": HELLO, "max_tokens": 5, "top_k": -5}, "top_k"),
        (
            "generate",
            {"token_ids": [1], "sampling_params": {"top_p": 2}},
            "sampling_params.top_p",
        ),
    ],
)
def test_other_endpoints_have_the_declared_rules(of: str, body: dict[str, Any], path: str) -> None:
    assert path in {f.path for f in found({"model": "m", **body}, of) if f.level is Level.ERROR}


def test_what_was_checked_before_does_not_change_the_words() -> None:
    body = {"messages": HELLO, "top_p": 2, "temperature": 5, "logit_bias": {"1": 200}, "min_p": 3}
    before = found(body, target="0.31.0")
    found(
        {"messages": HELLO, "top_p": "x", "temperature": "x", "logit_bias": "x", "min_p": "x"},
        target="0.31.0",
    )
    assert found(body, target="0.31.0") == before
    assert any("got top_p 2" in finding.message for finding in before)


@pytest.mark.parametrize(
    ("body", "release", "since"),
    [
        ({"truncate_prompt_tokens": -1}, "0.9.0", "0.10.2"),
        ({"reasoning_effort": "none"}, "0.11.0", "0.18.0"),
        (
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [{"type": "image_url", "image_url": None, "uuid": "a"}],
                    }
                ]
            },
            "0.10.2",
            "0.11.0",
        ),
    ],
    ids=["limit", "literal", "nested"],
)
def test_a_refused_value_is_told_with_the_release_that_takes_it(
    body: dict[str, Any], release: str, since: str
) -> None:
    (finding,) = found({"model": "m", "messages": HELLO, **body}, target=release)
    assert finding.level is Level.ERROR
    assert f"vllm takes it since {since}" in finding.message


def test_what_no_later_release_takes_is_told_without_one() -> None:
    (finding,) = found({"model": "m", "messages": HELLO, "top_k": "x"}, target="0.9.0")
    assert "since" not in finding.message


def test_nothing_is_said_twice() -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}}
    told = codes({"model": "m", "messages": HELLO, "response_format": schema})
    assert told == ["structured_outputs.wrapped_schema"]


@pytest.mark.parametrize("schema", ['{"name": "n", "schema": {"type": "object"}}', "{}"])
def test_a_schema_in_a_text_is_looked_into(schema: str) -> None:
    told = codes({"model": "m", "messages": HELLO, "structured_outputs": {"json": schema}})
    assert told == ["structured_outputs.wrapped_schema"]
