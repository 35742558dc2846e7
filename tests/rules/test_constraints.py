"""Regexes, grammars, schemas and structural tags, judged as the server's backends do."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.corpus import lines
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import parse_target
from vllmctl.rules.check import check
from vllmctl.rules.finding import Level
from vllmctl.rules.syntax.grammar import judge_grammar
from vllmctl.rules.syntax.guidance_schema import guidance_refusal
from vllmctl.rules.syntax.jinja import jinja_refusal
from vllmctl.rules.syntax.regex import judge_regex
from vllmctl.rules.syntax.schema import judge_schema
from vllmctl.rules.syntax.structural_tag import structural_tag_refusal

CONSTRAINTS = "rules/constraints.jsonl.gz"
LEAST = {"regex": 1, "grammar": 1, "json": 0.999, "structural_tag": 1}
MOST_WRONG_REFUSALS = 0


DISPATCH = {"type": "token_dispatch", "rules": [[5, {"type": "any_text"}]]}


def tag(given: dict[str, Any]) -> str:
    """A structural tag with what any of the formats must have."""
    whole = {"type": "tag", "begin": "<t>", "end": "", "min": 1, "max": 2, **given}
    return json.dumps({"type": "structural_tag", "format": whole})


def reason(kind: str, value: Any) -> str:
    """Why we think that the server refuses a constraint."""
    if kind == "structural_tag":
        return structural_tag_refusal(value) if isinstance(value, str) else "not a string"
    judge = {"regex": judge_regex, "grammar": judge_grammar, "json": judge_schema}[kind]
    blank = kind != "regex" and isinstance(value, str) and not value.strip()
    return "blank" if blank else judge(value).reason


@pytest.mark.parametrize("kind", LEAST)
def test_verdicts_are_those_of_the_backends(kind: str) -> None:
    rows = [row for row in lines(CONSTRAINTS) if kind in row["constraint"]]
    wrong = [r for r in rows if bool(reason(kind, r["constraint"][kind])) != r["refused"]]
    assert len(wrong) <= (1 - LEAST[kind]) * len(rows)
    too_strict = [row for row in wrong if not row["refused"]]
    assert len(too_strict) <= MOST_WRONG_REFUSALS * len(rows)


@pytest.mark.parametrize(
    ("kind", "value", "word"),
    [
        ("regex", "(?=a)b", "look-ahead"),
        ("regex", "(a", "not closed"),
        ("regex", r"(a)\1", "back-reference"),
        ("regex", "[z-a]", "[z-a]"),
        ("regex", "*a", "repeat"),
        ("grammar", 'root ::= ("a"', "not closed"),
        ("grammar", "root ::= x", "no rule x"),
        ("grammar", 'foo ::= "a"', "root"),
        ("grammar", "start: 'a'", "double quotes"),
        ("json", {"type": "int"}, "'integer'"),
        ("json", {"type": "object", "properties": {"a": {"type": "str"}}}, "'string'"),
        ("json", {"$ref": "#/$defs/a"}, "leads nowhere"),
        ("json", {"type": "array", "uniqueItems": True}, "uniqueItems"),
        ("json", "{not json", "no JSON"),
        ("structural_tag", "{}", "format"),
        ("regex", r"\p{Chinese}+", "Unicode property"),
        ("regex", "(?i)a$b", "$ stands within"),
        ("grammar", 'start: "a", "b"', "line 1: expected a text"),
        ("grammar", "start: r\nr: /[z-a]/", "line 2: in /[z-a]/"),
        ("grammar", 'start: "a\\-b"', "escape that is none"),
        ("grammar", 'root ::= "a" |* "b"', "got '*'"),
        ("structural_tag", tag({"type": "repeat", "content": DISPATCH}), "crashes the server"),
        ("structural_tag", tag({"content": {"type": "any_text"}}), "an end that is not empty"),
    ],
)
def test_reasons_are_words_to_act_on(kind: str, value: Any, word: str) -> None:
    assert word in reason(kind, value)


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages[0].content }}",
        "{% for m in messages %}{{ m.content }}{% endfor %}",
        "{%- if x is defined -%}{{ x }}{%- elif y -%}{%- else -%}{%- endif -%}",
        "{# { #}x{{ '}}' }}",
        "{% raw %}{{ {% }{% endraw %}",
        "{% set x = {'a': [1, 2]} %}{{ x }}",
        "{% set x %}text{% endset %}",
        "{% if not ok %}{{ raise_exception('no') }}{% endif %}",
    ],
)
def test_sound_templates_pass(template: str) -> None:
    assert jinja_refusal(template) == ""


@pytest.mark.parametrize(
    "template",
    [
        "{% set a = 1" + " " * 300_000 + "+ 1 %}",
        "{% raw %}" * 100_000,
        "{{ " + '\\"' * 300_000 + " }}",
    ],
)
def test_no_template_takes_more_than_a_moment(template: str) -> None:
    assert jinja_refusal(template) == ""


@pytest.mark.parametrize(
    "template",
    [
        "{% if %}x{% endif %}",
        "{% for m messages %}{% endfor %}",
        "{{ }}",
        "{{ (a }}",
        "{{ a",
        "{% if a %}",
        "{% endif %}",
        "{% nope %}",
        "{% for m in x %}{% endif %}",
        "{{ raise_exception('no') }}",
    ],
)
def test_broken_templates_are_told(template: str) -> None:
    assert jinja_refusal(template)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("regex", "(" * 5000),
        ("regex", "[a-z]{1,9}" * 2000),
        ("regex", "(?:" * 2000 + "a" + ")" * 2000),
        ("regex", "[" * 3000),
        ("grammar", 'root ::= "a"\n' + "x ::= (" * 2000),
        ("grammar", "start: " + "(" * 2000),
        ("grammar", 'root ::= "a"\n' * 3000),
        ("grammar", "start: " + '"a" | ' * 5000 + '"b"'),
        (
            "json",
            {"type": "object", "properties": {str(i): {"type": "string"} for i in range(5000)}},
        ),
    ],
)
def test_long_constraints_take_linear_time(kind: str, value: Any) -> None:
    start = time.process_time()
    reason(kind, value)
    assert time.process_time() - start < 2


def nested(levels: int, around: Callable[[Any], Any], inner: Any) -> Any:
    """A value within a value within …"""
    for _ in range(levels):
        inner = around(inner)
    return inner


def definitions(levels: int) -> dict[str, Any]:
    """Objects whose two members are both the next object, one level deeper."""
    found: dict[str, Any] = {"d0": {"type": "string", "const": "a"}}
    for level in range(levels):
        inner = {"$ref": f"#/$defs/d{level}", "type": "object" if level else "string"}
        members = {"a": inner, "b": dict(inner)}
        found[f"d{level + 1}"] = {"type": "object", "properties": members, "required": ["a", "b"]}
    return found


def for_guidance(part: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A schema that vLLM keeps from xgrammar, with a part to look at."""
    return {"type": ["number", "object"], "multipleOf": 1, "properties": {"a": part}, **more}


CHAIN = "".join(f"r{i} ::= r{i + 1}\n" for i in range(20_000)) + 'r20000 ::= "a"\n'
TWICE = "root ::= r0\n"  # xgrammar refuses it, and llguidance is asked
TOP = {"$ref": "#/$defs/d60", "type": "object"}
ITSELF = {"type": "object", "properties": {str(i): {"$ref": "#/$defs/a"} for i in range(300)}}
SIZED = {"type": "object", "required": ["a"], "minProperties": 1}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("grammar", 'root ::= "' + r"\xff" * 100),
        ("grammar", "root ::= [" + r"\xff" * 100),
        ("grammar", "\n" * 300_000 + 'root ::= "a"'),
        ("grammar", TWICE + CHAIN + TWICE),
        ("regex", "a{1," + " " * 300_000),
        ("structural_tag", json.dumps({"format": nested(60, lambda one: {"content": one}, 5)})),
        ("json", for_guidance(nested(60, lambda one: {**SIZED, "properties": {"a": one}}, {}))),
        ("json", for_guidance({"oneOf": [TOP, dict(TOP)]}, **{"$defs": definitions(60)})),
        ("json", for_guidance({"oneOf": [{"const": str(i)} for i in range(30_000)]})),
        ("json", nested(60, lambda one: {"type": ["object"] * 2, "properties": {"a": one}}, {})),
        ("json", {**ITSELF, "patternProperties": {}, "$defs": {"a": ITSELF}}),
    ],
)
def test_no_constraint_takes_more_than_a_moment(kind: str, value: Any) -> None:
    """Each of them would take years if its parts were looked at again and again."""
    reason(kind, value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("grammar", 'root ::= "a"{' + "0" * 5000 + "1}"),
        ("grammar", 'start: "a"{' + "0" * 5000 + "1}"),
        ("grammar", "start: r0\n" + "".join(f"r{i}: r{i + 1}\n" for i in range(999)) + 'r999: "a"'),
        ("json", nested(400, lambda one: {"items": one}, {})),
        ("json", nested(400, lambda one: {"type": "object", "properties": {"a": one}}, {})),
    ],
)
def test_odd_sizes_are_taken_as_the_server_takes_them(kind: str, value: Any) -> None:
    assert reason(kind, value) == ""


def test_a_schema_that_nests_too_deeply_is_refused_for_that_alone() -> None:
    schema = nested(400, lambda one: {"items": one}, {})
    body = {"model": "m", "prompt": "a", "structured_outputs": {"json": schema}}
    found = check(body, endpoint("completions", parse_target("vllm==0.32.0")))
    assert [one.code for one in found if one.level is Level.ERROR] == ["so.nesting"]


BAD = {"type": "string", "pattern": "("}


@pytest.mark.parametrize(
    ("schema", "is_refused"),
    [
        ({"type": "object", "propertyNames": {"type": "integer"}}, True),
        ({"type": "object", "propertyNames": {"type": ["integer"]}}, False),
        ({"type": "object", "propertyNames": {"pattern": "("}}, True),
        ({"type": "object", "propertyNames": {"pattern": "("}, "properties": {"a": {}}}, False),
        ({"type": "object", "additionalProperties": {}, "unevaluatedProperties": 5}, False),
        ({"type": "object", "additionalProperties": BAD, "patternProperties": {"a": {}}}, False),
        ({"type": "object", "properties": {"a": BAD}, "maxProperties": 0}, False),
        ({"type": "object", "patternProperties": {}, "minProperties": 1}, True),
        ({"type": "object", "required": ["a", "a"], "maxProperties": 1}, False),
        ({"type": "number", "multipleOf": 0}, True),
        ({"type": "number", "multipleOf": "2"}, True),
        ({"type": "integer", "multipleOf": 7, "minimum": 1, "maximum": 3}, True),
        ({"type": "integer", "multipleOf": 2000, "minimum": 1, "maximum": 3}, False),
        ({"type": "integer", "exclusiveMinimum": 2**63 - 1}, True),
        ({"type": "string", "format": "uuid", "pattern": "("}, False),
        ({"type": "string", "format": "else", "pattern": "("}, True),
        ({"type": "string", "format": "date", "maxLength": 1.5}, True),
        ({"allOf": [BAD, {"$ref": "#/nowhere"}]}, False),
        ({"allOf": [BAD]}, True),
        ({"allOf": [{"type": "word"}, {}]}, True),
        ({"type": "array", "prefixItems": [True]}, True),
        ({"type": "array", "minContains": 1}, True),
        ({"$ref": "#/anyOf/0", "anyOf": [{}]}, True),
    ],
)
def test_schemas_in_structural_tags_are_judged_as_xgrammar_does(
    schema: dict[str, Any], is_refused: bool
) -> None:
    found = structural_tag_refusal({"format": {"type": "json_schema", "json_schema": schema}})
    assert bool(found) is is_refused


STEPS = {"type": "number", "multipleOf": 5}
OWN = {"$defs": {"b/c": {"type": "string", "$anchor": "d"}}}


@pytest.mark.parametrize(
    ("schema", "is_refused"),
    [
        ({"type": "object", "$defs": {"a": {"$ref": "https://there/is"}}}, True),
        ({"type": "object", "x-more": {"$ref": "https://there/is"}}, False),
        ({"type": "object", "$schema": "https://there/is"}, True),
        ({"properties": {"a": {"$ref": "#d"}}, **OWN}, False),
        ({"properties": {"a": {"$ref": "#e"}}, **OWN}, True),
        ({"properties": {"a": {"$ref": "#/$defs/b~1c"}}, **OWN}, False),
        ({"properties": {"a": {"$ref": "#/$defs/b c"}}, "$defs": {"b c": {}}}, True),
        ({"$ref": "#/prefixItems/0", "prefixItems": [{}]}, False),
        ({"type": "object", "$ref": "#"}, True),
        ({"properties": {"a": {"$ref": "#", "description": "…"}}}, False),
        ({"type": "string", "$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, True),
        ({**STEPS, "minimum": 1, "maximum": 4}, True),
        ({**STEPS, "minimum": 1, "maximum": 5}, False),
        ({**STEPS, "maximum": 1e30}, True),
        ({**STEPS, "type": "integer", "maximum": 1e30}, False),
        ({"type": "integer", "minimum": 1e18}, True),
        ({"type": "integer", "minimum": -1e18}, False),
        ({"multipleOf": 1e-12}, True),
        ({"allOf": [{"multipleOf": 3}, {"multipleOf": 5}], "minimum": 1, "maximum": 14}, False),
        (
            {
                "type": "number",
                "allOf": [{"multipleOf": 3}, {"multipleOf": 5}, {"minimum": 1, "maximum": 14}],
            },
            True,
        ),
        ({"enum": [2**63 - 1, 1e300]}, False),
        ({"enum": [1], "pattern": "("}, False),
        ({"enum": ["a"], "pattern": "("}, True),
        ({"enum": ["a"], "pattern": "^b"}, True),
        ({"enum": ["a", "ab"], "pattern": "b$"}, False),
        ({"properties": {"a": {}, "b": {}}, "minProperties": 1}, True),
        (
            {
                "type": "object",
                "properties": {"a": {}, "b": {}},
                "additionalProperties": False,
                "minProperties": 1,
            },
            False,
        ),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "dependentRequired": {}}, False),
        ({"type": "object", "dependentRequired": {}}, True),
    ],
)
def test_schemas_are_judged_as_llguidance_does(schema: dict[str, Any], is_refused: bool) -> None:
    assert bool(guidance_refusal(schema)) is is_refused


@pytest.mark.parametrize(
    ("pattern", "is_refused"),
    [
        ("(a" * 125 + ")" * 125, False),
        ("(a" * 126 + ")" * 126, True),
        ("a" + "*" * 250, False),
        ("a" + "*" * 251, True),
        ("a|" + "(?:" * 249 + ")" * 249, False),
        ("a|" + "(?:" * 250 + ")" * 250, True),
        ("(?-u)a[bc]\\d", False),
        ("(?-u).", True),
        ("(?-u)[^a]", True),
        ("(?-u:.)", True),
        ("(?-u:a).", False),
        ("(?-u)\\xff", True),
        ("(?x)a # (", False),
        ("(?x)a {2} +", False),
        ("(?x)(?-x)# (", True),
    ],
)
def test_regexes_are_judged_as_llguidance_does(pattern: str, is_refused: bool) -> None:
    assert bool(judge_regex(pattern).guidance) is is_refused


def lark_in_lark(levels: int) -> str:
    return "start: " + "%lark { start: " * levels + '"a"' + "\n}" * levels + "\n"


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ('start: %json {"type": "object", "not": {}}', True),
        ('start: %json {"type": "array", "uniqueItems": false, "patternProperties": {}}', True),
        ('start: %json {"type": "object"}', False),
        ('start: %json {"const": "\\ud800"}', True),
        ("start: %json true", False),
        ("start: %json 5", True),
        ('start: ~("a")', False),
        ('start: ~~"a"', True),
        (lark_in_lark(14), False),
        (lark_in_lark(15), True),
    ],
)
def test_lark_grammars_are_judged_as_llguidance_does(text: str, is_refused: bool) -> None:
    assert bool(judge_grammar(text).guidance) is is_refused


@pytest.mark.parametrize(("levels", "is_refused"), [(75, False), (76, True)])
def test_parameters_of_a_strict_tool_nest_as_deep_as_its_tag_lets_them(
    levels: int, is_refused: bool
) -> None:
    parameters = nested(levels - 1, lambda one: {"items": one}, {})
    function = {"name": "f", "strict": True, "parameters": parameters}
    talk = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
    body = {**talk, "tools": [{"type": "function", "function": function}]}
    found = check(body, endpoint("chat.completions", parse_target("vllm==0.32.0")))
    assert any(one.code == "so.strict_tools" for one in found) is is_refused
