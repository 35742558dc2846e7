"""Structured outputs keep what was asked for, whatever chance decides."""

import json
import re
from random import Random
from typing import Any

import jsonschema
import pytest

from tests.mock.asking import HELLO, NO_THINKING, app, chat, complete, content, streamed_text
from vllmctl.mock.structure.constraint import read_constraint
from vllmctl.mock.structure.grammar import read_grammar
from vllmctl.mock.structure.json_value import make_value
from vllmctl.mock.structure.regex import read_regex
from vllmctl.mock.structure.shapes import ConstraintError, write

NODE = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
    },
    "required": ["value", "next"],
}
TREE = {
    "type": "object",
    "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
    "required": ["kids"],
}
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 5},
        "age": {"type": "integer", "minimum": 0, "maximum": 99},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
SCHEMAS: list[Any] = [
    PERSON,
    {"$defs": {"node": NODE}, "$ref": "#/$defs/node"},
    {"$defs": {"tree": TREE}, "$ref": "#/$defs/tree"},
    {"type": "array", "items": {"enum": [0, 1, 2, 3]}, "minItems": 3, "uniqueItems": True},
    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}], "items": False},
    {"type": "array", "items": {"type": "string"}, "maxItems": 0},
    {"type": "string", "pattern": "^[a-z]+$", "minLength": 12, "maxLength": 13},
    {"type": "string", "pattern": "^[a-z]*$", "maxLength": 1},
    {"type": "string", "minLength": 50},
    {"type": "string", "format": "date-time"},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.01},
    {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5},
    {"type": "integer", "multipleOf": 7, "minimum": 50},
    {"type": "number", "multipleOf": 0.25, "maximum": -3},
    {"type": ["string", "null"]},
    {"oneOf": [{"type": "string"}, {"type": "integer"}]},
    {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            {"properties": {"b": {"type": "string"}}, "required": ["b"]},
        ]
    },
    {"allOf": [{"$ref": "#/$defs/low"}, {"maximum": 5}], "$defs": {"low": {"minimum": 4}}},
    {"allOf": [{"type": "integer", "multipleOf": 4}, {"multipleOf": 6}], "minimum": 1},
    {"enum": ["a", 1, None]},
    {"const": {"x": [1]}},
    {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3},
    {"type": "object", "required": ["free"]},
    {"properties": {"a": {"type": "boolean"}}},
    {
        "allOf": [{"type": "integer"}, {"anyOf": [{"maximum": 4}, {"minimum": 90}]}],
        "minimum": 0,
        "maximum": 99,
    },
    {
        "allOf": [
            {"oneOf": [{"type": "number"}, {"type": "boolean"}]},
            {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        ]
    },
    {"type": "array", "items": {"type": "array", "items": {"type": "null"}, "minItems": 2}},
    {"type": "array", "minItems": 2, "maxItems": 4, "items": {"$ref": "#/$defs/tree"}}
    | {"$defs": {"tree": TREE}},
    {"type": "string", "format": "uuid"},
    {"type": "string", "format": "email", "maxLength": 40},
    {"type": "string", "enum": ["a", "bb", 3], "minLength": 2},
    {"type": "object", "patternProperties": {"^x_[a-z]$": {"const": 1}}, "minProperties": 2}
    | {"additionalProperties": False},
    {"properties": {"a": {"allOf": [{"type": "null"}, {"type": "string"}]}}, "type": "object"},
    {},
    True,
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_values_keep_their_schema(schema: Any) -> None:
    for seed in range(40):
        jsonschema.validate(make_value(schema, Random(seed)), schema)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "nonsense"}, "Invalid type: nonsense"),
        ({"$ref": "#"}, "never ends"),
        ({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}, "never ends"),
        ({"$ref": "#/x"}, "Pointer '/x' does not exist"),
        (False, "allows no value"),
        ({"type": "integer", "minimum": 3, "maximum": 1}, "minimum is greater"),
        ({"enum": []}, "enum"),
        ({"type": "string", "minLength": 3, "maxLength": 1}, "minLength is greater"),
        ({"type": "object", "required": 5}, "Expected array for 'required'"),
    ],
    ids=str,
)
def test_refuses_schemas_that_nothing_keeps(schema: Any, message: str) -> None:
    with pytest.raises(ConstraintError, match=re.escape(message)):
        make_value(schema, Random(1))


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-c]{3}-[0-9]{2}",
        r"\d{3}-\d{4}",
        r"(foo|bar)+",
        r"^\w+@\w+\.com$",
        r"[^a-z]+",
        r".*",
        r"a{2,}b?",
        r"[\d\-x]{4}",
        r"",
        r"(?P<year>\d{4})-(?:0[1-9]|1[0-2])",
        r"\x41B\n",
        r"[\s]",
        r"[^\d\s]{3}",
        r"[]a]",
        r"(a|)b",
    ],
)
def test_texts_match_their_pattern(pattern: str) -> None:
    shape = read_regex(pattern)
    for seed in range(30):
        assert re.fullmatch(pattern, write(shape, Random(seed)))


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("[", "unclosed character class"),
        ("(", "unclosed group"),
        ("a)", "unopened group"),
        ("*a", "missing expression"),
        ("a{2", "unclosed counted repetition"),
        ("a{3,1}", "invalid repetition count range"),
        ("(?=a)", "look-around"),
        (r"(a)\1", "backreferences"),
        ("[z-a]", "invalid character class range"),
    ],
)
def test_refuses_patterns_that_are_none(pattern: str, reason: str) -> None:
    with pytest.raises(ConstraintError, match=reason):
        read_regex(pattern)


@pytest.mark.parametrize(
    ("grammar", "pattern"),
    [
        ('root ::= "yes " num\nnum ::= [0-9] [0-9]', r"yes \d\d"),
        ('root ::= "a"\n  | "b" # or so\n', r"a|b"),
        ('root ::= (\n  "x" | "y"\n)+', r"[xy]+"),
        ('root ::= item{2,3}\nitem ::= "q"', r"qq|qqq"),
        ('start: "a" B+\nB: /[0-9]{2}/', r"a(\d\d)+"),
        (r'root ::= "\"" "\x41" "\n"?', '"A\n?'),
    ],
)
def test_texts_keep_their_grammar(grammar: str, pattern: str) -> None:
    read = read_grammar(grammar)
    for seed in range(20):
        assert re.fullmatch(pattern, write(read.start, Random(seed), read.rules))


def test_a_recursive_grammar_ends() -> None:
    read = read_grammar('root ::= term ("+" root)?\nterm ::= [0-9] | "(" root ")"')
    for seed in range(50):
        text = write(read.start, Random(seed), read.rules)
        assert text.count("(") == text.count(")")
        assert len(text) < 2000


@pytest.mark.parametrize(
    "grammar", ["root ::= (", "(((", "root ::= foo", 'other ::= "a"', "root ::= root", ""]
)
def test_refuses_grammars_that_are_none(grammar: str) -> None:
    with pytest.raises(ConstraintError):
        read = read_grammar(grammar)
        write(read.start, Random(1), read.rules)


TAG = {
    "type": "structural_tag",
    "format": {
        "type": "sequence",
        "elements": [
            {"type": "const_string", "value": "so: "},
            {"type": "tag", "begin": "<a>", "content": {"type": "json_schema",
             "json_schema": PERSON}, "end": "</a>"},
        ],
    },
}  # fmt: skip


@pytest.mark.parametrize("form", [TAG, json.dumps(TAG)], ids=["object", "text"])
def test_structural_tags_frame_their_content(form: Any) -> None:
    writer = read_constraint({"structured_outputs": {"structural_tag": form}})
    assert writer
    match = re.fullmatch(r"so: <a>(.*)</a>", writer(Random(3), ""))
    assert match
    jsonschema.validate(json.loads(match[1]), PERSON)


FORMS = {
    "json": {"structured_outputs": {"json": PERSON}},
    "response_format": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "person", "schema": PERSON},
        }
    },
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("stream", [True, False])
def test_answers_keep_the_schema(form: dict[str, Any], thinking: bool, stream: bool) -> None:
    reply = chat(**form, stream=stream, chat_template_kwargs={"enable_thinking": thinking})
    text = streamed_text(reply) if stream else content(reply)
    jsonschema.validate(json.loads(text or ""), PERSON)


def test_answers_are_one_of_the_choices() -> None:
    said = {content(chat(structured_outputs={"choice": ["red", "blue"]})) for _ in range(20)}
    assert said == {"red", "blue"}


def test_tool_arguments_keep_their_schema() -> None:
    tool = {"type": "function", "function": {"name": "add_person", "parameters": PERSON}}
    answer = chat(tools=[tool], tool_choice="required").json["choices"][0]["message"]
    jsonschema.validate(json.loads(answer["tool_calls"][0]["function"]["arguments"]), PERSON)


def test_a_thinking_server_leaves_completions_free() -> None:
    form = {"structured_outputs": {"choice": ["red"]}, "max_tokens": 5}
    assert complete(**form).json["choices"][0]["text"] != "red"
    assert complete(prompt="</think>", **form).json["choices"][0]["text"] == "red"


def test_a_server_that_does_not_think_keeps_completions() -> None:
    reply = complete(app(reasoning=""), structured_outputs={"choice": ["red"]})
    assert reply.json["choices"][0]["text"] == "red"


def test_a_wrong_schema_is_told_inside_a_stream() -> None:
    form = {"structured_outputs": {"json": {"type": "nonsense"}}}
    assert chat(**form).status == 400
    reply = chat(**form, stream=True)
    assert reply.status == 200
    assert reply.events[0]["error"]["message"] == "Grammar error: Invalid type: nonsense"
    assert reply.data.endswith(b"data: [DONE]\n\n")


def test_older_releases_keep_their_guided_fields() -> None:
    old = app(target="vllm==0.10.2")
    reply = chat(old, guided_choice=["red"], **NO_THINKING, messages=HELLO)
    assert content(reply) == "red"
    assert content(chat(guided_choice=["red"], **NO_THINKING)) != "red"
