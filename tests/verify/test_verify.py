import json

import pytest

from tests.client.replay import captures, replayed
from vllmctl.verify.asked import constraint_of
from vllmctl.verify.verify import against_schema, bad_words_in, faults

SCHEMA = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
TOOL = {"type": "function", "function": {"name": "add", "parameters": SCHEMA}}


def answer(text=None, *, calls=None, reason="stop", logprobs=None, count=1):
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
            for name, arguments in calls
        ]
    choices = [
        {"index": i, "message": message, "finish_reason": reason, "logprobs": logprobs}
        for i in range(count)
    ]
    whole = json.dumps({"object": "chat.completion", "id": "x", "choices": choices}).encode()
    got, _ = replayed([whole], {"content-type": "application/json"}, expected=count)
    return got


@pytest.mark.parametrize(
    ("body", "text", "words"),
    [
        ({"structured_outputs": {"json": SCHEMA}}, '{"age": 3}', None),
        ({"structured_outputs": {"json": json.dumps(SCHEMA)}}, '{"age": 3}', None),
        ({"structured_outputs": {"json": SCHEMA}}, '{"age": "x"}', "$.age: 'x' is not of type"),
        ({"structured_outputs": {"json": SCHEMA}}, "Sure! {", "not JSON"),
        ({"guided_json": SCHEMA}, "{}", "'age' is a required property"),
        ({"response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA}}},
         "{}", "response_format"),
        ({"response_format": {"type": "json_object"}}, "[1]", "no object"),
        ({"response_format": {"type": "json_object"}}, "{}", None),
        ({"structured_outputs": {"json_object": True}}, "1", "no object"),
        ({"structured_outputs": {"json_object": True}}, '{"a": NaN}', "NaN is no JSON number"),
        ({"structured_outputs": {"regex": "a+"}, "prompt": "Go: ", "echo": True}, "Go: aa", None),
        ({"structured_outputs": {"regex": "a+"}, "prompt": "Go: ", "echo": True}, "Go: b", "b"),
        ({"structured_outputs": {"regex": "a+"}}, "aaa", None),
        ({"structured_outputs": {"regex": "a+"}}, "aab", '"aab" does not match'),
        ({"structured_outputs": {"regex": 5}}, "a", None),
        ({"structured_outputs": {"regex": "a.b"}}, "a\nb", None),
        ({"structured_outputs": {"regex": "a^b$|$c"}}, "ab", None),
        ({"structured_outputs": {"regex": r"\^[^$]\$"}}, "^a$", None),
        ({"structured_outputs": {"regex": r"\^[^$]"}}, "^$", "does not match"),
        ({"structured_outputs": {"regex": "a|b"}}, "ab", "does not match"),
        ({"structured_outputs": {"regex": r"\p{L}("}}, "anything", None),
        ({"structured_outputs": {"choice": ["x", "y"]}}, "y", None),
        ({"structured_outputs": {"choice": ["x", "y"]}}, "z", "none of the choices"),
        ({"structured_outputs": {"grammar": "root ::= x"}}, "z", None),
        ({}, "z", None),
    ],
)  # fmt: skip
def test_a_text_is_judged_by_what_was_asked(body, text, words):
    found = faults(body, answer(text))
    assert (found == []) is (words is None)
    if words:
        assert words in found[0]


def test_a_text_that_was_cut_says_so():
    found = faults({"structured_outputs": {"json": SCHEMA}}, answer('{"age', reason="length"))
    assert "token limit cut short" in found[0]


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ([("add", '{"age": 1}')], None),
        ([("add", '{"age": 1')], "not JSON"),
        ([("add", "{}")], "'age' is a required property"),
        ([("add", '{"age": -Infinity}')], "not JSON"),
        ([("sub", "{}")], "none of the tools"),
    ],
)
def test_tool_calls_are_judged_by_the_tools(calls, words):
    found = faults({"tools": [TOOL]}, answer(calls=calls, reason="tool_calls"))
    assert (found == []) is (words is None)
    if words:
        assert words in found[0]


def test_calls_of_tools_that_were_not_sent_break_nothing():
    assert faults({}, answer(calls=[("sub", "{}")], reason="stop")) == []
    assert "not JSON" in faults({}, answer(calls=[("sub", "{")], reason="stop"))[0]


@pytest.mark.parametrize("asked", ["required", {"type": "function", "function": {"name": "add"}}])
def test_a_call_that_was_asked_for_has_to_come(asked):
    body = {"tools": [TOOL], "tool_choice": asked}
    assert "asks for a call" in faults(body, answer("Sure"))[0]
    assert faults(body, answer(calls=[("add", '{"age": 1}')])) == []
    assert faults({**body, "tool_choice": "auto"}, answer("Sure")) == []


def test_prompt_logprobs_that_were_asked_for_have_to_come():
    assert "prompt_logprobs" in faults({"prompt_logprobs": 0}, answer("x"))[0]
    assert faults({"prompt_logprobs": None}, answer("x")) == []


def test_missing_answers_and_logprobs_are_told():
    assert "3 answers were asked for, 2 came" in faults({"n": 3}, answer("x", count=2))[0]
    assert "logprobs" in faults({"logprobs": True}, answer("x"))[0]
    assert faults({"logprobs": False}, answer("x")) == []
    assert faults({"logprobs": True}, answer("x", logprobs={"content": [{"token": "x"}]})) == []
    assert "repeated" in faults({}, answer("x", reason="repetition"))[0]


def test_bad_words_that_came_all_the_same_are_told():
    body = {"bad_words": [" describe", "Paris", 5]}
    assert len(bad_words_in(body, answer("I describe it."))) == 1
    assert bad_words_in(body, answer("I described it.")) == []
    assert bad_words_in({"bad_words": None}, answer("Paris")) == []


def test_broken_schemas_and_references_judge_nothing():
    assert against_schema(1, {"$ref": "#/nowhere"}) == ""
    assert against_schema(1, "no schema") == ""
    assert against_schema(1, {"type": 5}) == ""


def test_constraints_are_found_under_every_releases_names():
    assert constraint_of({"guided_choice": ["a"]}).kind == "choice"
    assert constraint_of({"guided_regex": "a"}).kind == "regex"
    assert constraint_of({"response_format": {"type": "text"}}) is None


FELL_SHORT = {
    "chat-repetition-detection": "repeated itself",
    "chat-repetition-detection-stream": "repeated itself",
    "chat-rf-json-object": "cut short, does not keep response_format",
    "chat-rf-json-schema": "cut short, does not keep response_format.json_schema.schema",
    "chat-so-json": "cut short",
    "chat-so-json-stream": "cut short",
    "chat-so-json-thinking": "cut short",
    "chat-so-json-ws": "cut short",
    "chat-so-json_object": "cut short",
    "chat-so-json_object-stream": "cut short",
    "chat-so-json_object-thinking": "cut short",
    "chat-tools-auto-truncated-stream": "not JSON",
    "chat-tools-named-nothink": "none came: the token limit cut",
    "chat-tools-named-stream": "not JSON",
    "chat-tools-named-truncated": "none came: the token limit cut",
    "chat-tools-required": "none came: the token limit cut",
    "chat-utf8-stream": "none of the choices",
    # a server with a reasoning parser ignores constraints on completions
    "comp-rf-json": "not JSON",
    "comp-so-choice": "none of the choices",
    "comp-so-json": "not JSON",
    "comp-so-json_object": "not JSON",
    "comp-so-regex": "does not match",
}
"""Recorded answers that are not what was asked for, and what is wrong with them."""


@pytest.mark.parametrize("name", [n for n in sorted(captures()) if captures()[n]["status"] == 200])
def test_recorded_answers_are_judged_right(name):
    capture = captures()[name]
    n = capture["request"].get("n") or 1
    headers = {k.lower(): v for k, v in capture["headers"].items()}
    got, _ = replayed([capture["body"].encode()], headers, expected=n)
    found = faults(capture["request"], got)
    assert bool(found) is (name in FELL_SHORT)
    if found:
        assert FELL_SHORT[name] in found[0]


def test_a_pattern_that_backtracks_for_ever_is_judged_at_once():
    text = "a" * 5000 + "c"
    for body in (
        {"structured_outputs": {"regex": "(a+)+b"}},
        {"structured_outputs": {"json": {"type": "string", "pattern": "^(a+)+b$"}}},
    ):
        said = text if "regex" in body["structured_outputs"] else json.dumps(text)
        assert "match" in faults(body, answer(said))[0]


def test_a_schema_fetches_nothing():
    for reference in ("http://127.0.0.1:1/schema.json", "file:///etc/passwd", "other.json"):
        assert against_schema({}, {"$ref": reference}) == ""


def test_text_that_nests_without_end_is_no_json():
    body = {"structured_outputs": {"json": SCHEMA}, "tools": [TOOL]}
    assert "not JSON" in faults(body, answer("[" * 100_000))[0]
    assert "not JSON" in faults(body, answer(calls=[("add", "[" * 100_000)]))[0]
