import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.schema import TypeCheck, TypeChecker, check_types, checker
from vllmctl.catalog.target import newest, parse_target

HI = [{"role": "user", "content": "hi"}]
DATA = Path(__file__).parents[2] / "vllmctl" / "catalog" / "data"


def chat(body: dict[str, Any], release: str = "0.32.0") -> TypeCheck:
    return check_types(
        endpoint("chat.completions", parse_target(release)), {"messages": HI, **body}
    )


def complete(body: dict[str, Any], release: str = "0.32.0") -> TypeCheck:
    return check_types(endpoint("completions", parse_target(release)), {"prompt": "hi", **body})


def paths(check: TypeCheck) -> list[str]:
    return [fault.path for fault in check.faults]


def only(check: TypeCheck) -> str:
    (fault,) = check.faults
    return f"{fault.path}: {fault.message}"


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ({"temperature": "0.5"}, 0.5),
        ({"temperature": 1}, 1.0),
        ({"top_k": 5.0}, 5),
        ({"top_k": " 7 "}, 7),
        ({"top_k": True}, 1),
        ({"ignore_eos": 1}, True),
        ({"ignore_eos": "off"}, False),
        ({"stop": "x"}, "x"),
        ({"logit_bias": {"5": "1"}}, {"5": 1.0}),
        ({"stream_options": {"include_usage": "yes"}}, {"include_usage": True}),
    ],
)
def test_coerces_as_the_server_does(body: dict[str, Any], value: Any) -> None:
    check = chat(body)
    (name,) = body
    assert check.faults == ()
    assert check.value[name] == value
    assert type(check.value[name]) is type(value)


def test_keeps_what_it_does_not_know() -> None:
    body = {"messages": HI, "temprature": 1, "stream_options": {"zzz": 1}, "max_tokens": "5"}
    value = chat(body).value
    assert value == {**body, "max_tokens": 5}
    assert body["max_tokens"] == "5"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"temperature": "warm"}, 'temperature: expected a number, got "warm"'),
        ({"top_k": 1.5}, "top_k: expected an integer, got 1.5"),
        ({"top_k": "x"}, 'top_k: expected an integer, got "x"'),
        ({"top_k": None}, None),
        ({"min_tokens": None}, "min_tokens: expected an integer, got null"),
        ({"ignore_eos": 2}, "ignore_eos: expected true or false, got 2"),
        ({"stop": 5}, "stop: expected a string or a list of strings, got 5"),
        ({"stop": [5]}, "stop[0]: expected a string, got 5"),
        ({"stop": ["a"] * 5}, "stop: must have at most 4 items, has 5"),
        ({"seed": 2**63}, f"seed: must be at most {2**63 - 1}, got {2**63}"),
        ({"stream_interval": 0}, "stream_interval: must be at least 1, got 0"),
        ({"cache_salt": ""}, "cache_salt: must have at least 1 character, has 0"),
        ({"truncation_side": "x"}, "truncation_side: expected 'left' or 'right', got \"x\""),
        (
            {"tool_choice": 5},
            "tool_choice: expected 'none', 'auto', 'required' or an object, got 5",
        ),
        (
            {"tools": [{"type": "function", "function": {}}]},
            "tools[0].function.name: this field is required",
        ),
        (
            {"response_format": {"type": "json_schema", "json_schema": {}}},
            "response_format.json_schema.name: this field is required",
        ),
        (
            {"response_format": {"type": "xml"}},
            "response_format.type: expected 'text', 'json_object', 'json_schema' or "
            "'structural_tag', got \"xml\"",
        ),
        ({"structured_outputs": "json"}, 'structured_outputs: expected an object, got "json"'),
        (
            {"vllm_xargs": {"a": {}}},
            "vllm_xargs.a: expected a string, an integer, a number or a list, got {}",
        ),
        (
            {"thinking_token_budget": "5"},
            'thinking_token_budget: expected an integer, got "5"',
        ),
        (
            {"logit_bias": {"a b": "x"}},
            'logit_bias["a b"]: expected a number, got "x"',
        ),
    ],
)
def test_says_one_sensible_thing(body: dict[str, Any], said: str | None) -> None:
    check = chat(body)
    assert [f"{fault.path}: {fault.message}" for fault in check.faults] == ([said] if said else [])


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"content": "x"}, "messages[0].role: this field is required"),
        ({"role": "user", "content": 5}, "messages[0].content: expected a string or a list, got 5"),
        (
            {"role": "user", "content": [{"type": "text"}]},
            "messages[0].content[0].text: this field is required",
        ),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": "u"}]},
            'messages[0].content[0].image_url: expected an object, got "u"',
        ),
        (
            {"role": "user", "content": [{"type": "video_url", "video_url": {}}]},
            "messages[0].content[0].video_url.url: this field is required",
        ),
        (
            {"role": "assistant", "tool_calls": [{"id": 1, "type": "function"}]},
            "messages[0].tool_calls[0].id: expected a string, got 1",
        ),
        ({"role": "user", "content": "x", "tool_calls": 5}, "messages[0].tool_calls: expected a"),
        (
            {"role": "tool", "content": "x", "reasoning_content": 5},
            "messages[0].reasoning_content: expected a string",
        ),
        (
            {"role": "assistant", "tool_calls": "abc"},
            'messages[0].tool_calls: expected a list, got "abc"',
        ),
        (
            {"role": "assistant", "content": {"type": "text"}},
            'messages[0].content: expected a list, got {"type": "text"}',
        ),
        (5, "messages[0]: expected an object, got 5"),
    ],
)
def test_names_the_place_inside_messages(message: Any, said: str) -> None:
    faults = chat({"messages": [message]}).faults
    assert f"{faults[0].path}: {faults[0].message}".startswith(said)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None},
        {"role": "narrator", "content": "any role is taken"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, "b"]},
        {"role": "user", "content": [{"type": "image_url", "image_url": "u", "uuid": "x"}]},
        {"role": "user", "content": [{"image_url": "u"}]},
        {"role": "user", "content": "x", "task": [{"type": "image_url", "image_url": 1}]},
        {"role": "assistant", "reasoning_content": "thoughts", "content": "x"},
    ],
)
def test_takes_the_messages_that_the_server_takes(message: dict[str, Any]) -> None:
    assert paths(chat({"messages": [message]})) == []


def test_messages_stay_as_they_were_sent() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "a", "x": 1}]}]
    assert chat({"messages": messages}).value["messages"] is messages


def test_a_missing_field_is_named() -> None:
    check = check_types(endpoint("chat.completions", newest()), {"model": "m"})
    assert only(check) == "messages: this field is required"
    assert check.faults[0].kind == "missing"


@pytest.mark.parametrize("body", [None, [], "x", 5])
def test_a_body_is_an_object(body: Any) -> None:
    check = check_types(endpoint("completions", newest()), body)
    assert paths(check) == [""]


def test_judges_by_the_release() -> None:
    assert paths(complete({"n": None}, "0.4.0")) == ["model"]
    assert paths(complete({"n": None, "model": "m"}, "0.4.1")) == ["n"]
    assert paths(complete({"prompt": None, "model": "m"}, "0.8.5")) == ["prompt"]
    assert paths(complete({"prompt": None}, "0.9.0")) == []
    assert paths(complete({"prompt": [-1]}, "0.16.0")) == []
    assert paths(complete({"prompt": [-1]}, "0.17.0")) == ["prompt[0]"]
    assert paths(chat({"stop": ["a"] * 5}, "0.27.1")) == []
    assert paths(chat({"stop": ["a"] * 5}, "0.28.0")) == ["stop"]
    assert paths(chat({"skip_special_tokens": None}, "0.32.0")) == ["skip_special_tokens"]
    assert paths(chat({"skip_special_tokens": None}, "0.33.0")) == []
    assert paths(chat({"guided_json": 5, "model": "m"}, "0.10.2")) == ["guided_json"]
    assert paths(chat({"guided_json": 5}, "0.32.0")) == []
    assert paths(chat({"thinking_token_budget": "5"}, "0.22.0")) == []


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"stream_options": {"zzz": 1}}, "stream_options.zzz"),
        ({"response_format": {"type": "text", "zzz": None}}, "response_format.zzz"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "strict": True}}]},
            "tools[0].function.strict",
        ),
        (
            {"messages": [{"role": "assistant", "content": "x", "reasoning_content": "y"}]},
            "messages[0].reasoning_content",
        ),
        (
            {
                "messages": [
                    {
                        "role": "assistant",
                        "tool_calls": [
                            {
                                "id": "1",
                                "type": "function",
                                "function": {"name": "f", "arguments": "{}"},
                                "index": 0,
                            }
                        ],
                    }
                ]
            },
            "messages[0].tool_calls[0].index",
        ),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "a", "z": 1}]}]}, ""),
    ],
)
def test_some_releases_refuse_unknown_keys_inside_objects(body: dict[str, Any], path: str) -> None:
    assert paths(chat({"model": "m", **body}, "0.6.3")) == ([path] if path else [])
    assert paths(chat({"model": "m", **body}, "0.6.5")) == []


def test_an_unknown_key_is_named_plainly() -> None:
    check = chat({"model": "m", "stream_options": {"zzz": 1}}, "0.6.3")
    assert only(check) == "stream_options.zzz: there is no such key, and it is refused"


def test_values_that_are_no_text_can_be_listed() -> None:
    facts = endpoint("derender.chat", newest())
    required = {name: {} for name, field in facts.fields.items() if field.required}

    def said(stream: Any) -> list[str]:
        faults = check_types(facts, {**required, "stream": stream}).faults
        return [fault.message for fault in faults if fault.path == "stream"]

    assert said(True) == said(False) == []
    assert said("true") == ['expected false or true, got "true"']
    assert said(2) == ["expected false or true, got 2"]


def test_no_limit_stands_beside_a_union() -> None:
    """Nothing reads it there: the engine's schemas and the exact fit look at its options."""
    from vllmctl.catalog.core_schema import _LIMITS

    def schemas(facts: Any) -> Iterator[dict[str, Any]]:
        if isinstance(facts, dict):
            yield facts
        for inner in facts.values() if isinstance(facts, dict) else facts:
            if isinstance(inner, dict | list):
                yield from schemas(inner)

    for path in DATA.rglob("*.json"):
        for schema in schemas(json.loads(path.read_text("utf-8"))):
            if not {"anyOf", "$ref", "x-external"}.isdisjoint(schema):
                assert _LIMITS.keys().isdisjoint(schema), (path.name, schema)


def test_furiosa_is_judged_by_its_own_facts() -> None:
    facts = endpoint("chat.completions", parse_target("furiosa"))
    body = {"model": "m", "messages": HI, "guided_json": 5, "priority": "x"}
    assert paths(check_types(facts, body)) == ["guided_json"]


@pytest.mark.parametrize("engine", ["vllm", "furiosa"])
def test_every_schema_of_every_endpoint_builds(engine: str) -> None:
    from vllmctl.catalog.engine import FieldValidator
    from vllmctl.catalog.load import endpoint_names

    for name in endpoint_names(newest(engine)):
        facts = endpoint(name, newest(engine))
        for field in facts.fields:
            FieldValidator(field, facts)


@pytest.mark.parametrize("name", ["chat.completions", "completions"])
def test_every_schema_of_every_release_builds(name: str) -> None:
    from vllmctl.catalog.engine import FieldValidator
    from vllmctl.catalog.target import parse_targets

    built: set[str] = set()
    for target in parse_targets("vllm>=0.1.2"):
        facts = endpoint(name, target)
        for field_name, field in {**facts.fields}.items():
            key = f"{field_name} {field.schema} {sorted(facts.models)}"
            if key not in built:
                FieldValidator(field_name, facts)
                built.add(key)
    assert len(built) > 100


def test_a_checker_is_made_once_an_endpoint() -> None:
    facts = endpoint("completions", newest())
    assert checker(facts) is checker(facts)


def test_verdicts_stay_the_same_when_the_engine_takes_over() -> None:
    of = endpoint("chat.completions", parse_target("vllm==0.32.0"))
    right = {"messages": [{"role": "user", "content": "x"}], "top_p": 1, "stop": ["a"]}
    wrong = {"messages": "x", "top_p": True, "stop": 5}
    one = TypeChecker(of)
    for body in [right] * 500:
        assert one.check(body) == TypeCheck(right, ())
    assert one.check(wrong) == TypeChecker(of).check(wrong)
