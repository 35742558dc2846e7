"""Values for the fields of requests: right ones, wrong ones, and those at the edges."""

import json
from typing import Any

HELLO = [{"role": "user", "content": "hi"}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
TAG = {"type": "structural_tag", "format": {"type": "any_text"}}
OLD_TAG = {
    "type": "structural_tag",
    "structures": [{"begin": "<f>", "schema": SCHEMA, "end": "</f>"}],
    "triggers": ["<f"],
}

BOOLEANS = [True, False, None, "true", "no", 0, 1, 2, 1.0, "maybe", [], {}]
INTEGERS = [0, 1, 2, 3, -1, -2, 5, "1", " 2 ", "1.0", 1.0, 1.5, True, None, "x", "", [], {}, 2**63]
NUMBERS = [*INTEGERS, 0.5, -0.5, 1.01, 2.01, 100, "0.5", "nan", 1e-3, 1e-9]
TEXTS = ["x", "", " ", None, 1, True, [], {}, "a/b", "é", "\0", "a" * 129]
IDS = [
    [],
    [1],
    [1, 2],
    [-1],
    ["1"],
    [1.0],
    [1.5],
    [True],
    [None],
    "1",
    1,
    None,
    {},
    list(range(129)),
]
OBJECTS = [
    {},
    {"k": 1},
    {"k": None},
    {"k": {"n": 1}},
    {"k": 2**70},
    [],
    "x",
    1,
    None,
    {"k": [1, "a"]},
]

SCHEMAS = [
    *(SCHEMA, {}, {"type": "x"}, {"type": ["string", "null"]}, {"type": []}, {"type": 5}),
    *({"enum": []}, {"enum": ["a"]}, {"enum": "a"}, {"const": 1}, {"anyOf": []}, {"anyOf": "x"}),
    *({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"allOf": [{"type": "string"}, {}]}),
    *({"allOf": [{"type": "string"}, {"type": "integer"}]}, {"$ref": "#/$defs/a"}, {"$ref": 5}),
    *({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, {"properties": []}),
    *({"type": "object", "properties": {"a": 5}}, {"type": "object", "required": "a"}),
    *({"type": "string", "pattern": "["}, {"type": "string", "pattern": "^a+$"}),
    *({"type": "string", "format": "email"}, {"type": "string", "format": "nope"}),
    *({"type": "string", "minLength": 3, "maxLength": 1}, {"type": "string", "minLength": "a"}),
    *({"type": "integer", "minimum": 3, "maximum": 1}, {"type": "integer", "multipleOf": 3}),
    *({"type": "integer", "multipleOf": 0}, {"type": "integer", "minimum": 1.5}),
    *({"type": "array", "items": {"type": "x"}}, {"type": "array", "uniqueItems": True}),
    *(
        {"type": "array", "items": [{"type": "string"}]},
        {"type": "array", "minItems": 2, "maxItems": 1},
    ),
    *(
        {"type": "object", "additionalProperties": 5},
        {"type": "object", "patternProperties": {"^a": {}}},
    ),
    *({"name": "n", "schema": SCHEMA}, {"type": "object", "minProperties": 1}, {"not": {}}),
    *({"properties": {"a": {"not": {}}, "b": {"type": "integer", "multipleOf": 2}}},),
]
JSONS = [*SCHEMAS, json.dumps(SCHEMA), "not json", "", " ", "{", "5", "true", [1], True, None]
REGEXES = [
    *("a", "", "[", "(", ")", "a|b", "a{2,1}", "*a", "(?=a)b", "(a)\\1", "\\bx", "\\d{4}", "[z-a]"),
    *("(?i)a", "a**", "\\p{L}", "(?P<n>a)", "^a$", "a{,3}", "[]", "[a-z]+@", "\0", 5, None, []),
]
GRAMMARS = [
    *(
        'root ::= "a"',
        'root ::= "a" | "b"',
        "root ::= x",
        'foo ::= "a"',
        "((",
        "",
        " ",
        "root ::= (",
        5,
    ),
    *('root ::= x\nx ::= [0-9]+ "."?', 'start: "a"', "start: x", "start: 'a'", 'root ::= "a'),
    *('root ::= "a"{2,1}', "root ::= [z-a]", 'root = "a"', 'root ::= "a" ;', None, []),
]
TAGS = [json.dumps(TAG), json.dumps(OLD_TAG), "{}", "x", "", "[]", TAG, 5, None, '{"format": {}}']
STRUCTURED: dict[str, list[Any]] = {
    "json": JSONS,
    "regex": REGEXES,
    "choice": [["a"], ["a", "b"], [], "a", [1], [""], None, {}],
    "grammar": GRAMMARS,
    "json_object": [True, False, None, "yes", 1, "x"],
    "structural_tag": TAGS,
    "whitespace_pattern": [" ", None, 5],
    "disable_any_whitespace": [True, False, None, "x"],
    "nope": [1],
}
FORMATS = [
    *({"type": "text"}, {"type": "json_object"}, {"type": "json_schema"}, {"type": "regex"}, {}),
    *(
        {"type": "json_schema", "json_schema": {"name": "n"}},
        {"type": "json_schema", "schema": SCHEMA},
    ),
    *({"type": "json_schema", "json_schema": SCHEMA}, {"type": "json_object", "schema": SCHEMA}),
    *({"type": "json_schema", "json_schema": None}, {"type": "text", "json_schema": {"name": 1}}),
    *(
        TAG,
        OLD_TAG,
        {"type": "structural_tag"},
        {"type": "structural_tag", "format": {"type": "x"}},
    ),
    *("json_object", None, [], 1, {"type": None}, {"type": "JSON_OBJECT"}),
]
CHOICES = [
    *("none", "auto", "required", "any", "", None, 1, [], {}, {"type": "function"}),
    *({"type": "function", "function": {"name": name}} for name in ("f", "g", "", None, 5)),
    *(
        {"type": "x", "function": {"name": "f"}},
        {"function": {"name": "f"}},
        {"type": "function", "name": "f"},
    ),
]
TOOLS = [
    *([TOOL], [TOOL, TOOL], [], None, "x", {}, [{}], ["x"], [{"type": "function"}]),
    *([{"type": "function", "function": {}}], [{"type": "x", "function": {"name": "f"}}]),
    *([{"function": {"name": "f"}}], [{"type": "function", "name": "f"}]),
    *([{"type": "function", "function": {"name": "f", "parameters": "x"}}],),
    *([{"type": "function", "function": {"name": "f", "parameters": None, "strict": "yes"}}],),
    *([{"type": "function", "function": {"name": 5}}],),
]
PARTS = [
    *({"type": "text", "text": "hi"}, {"type": "text"}, {"text": "hi"}, {}, "hi", 5, None),
    *({"type": "text", "text": None}, {"type": "nope"}, {"type": "input_text", "text": "hi"}),
    *({"type": "refusal", "refusal": "no"}, {"type": "thinking", "thinking": "hm"}),
    *({"type": "file", "file": {"file_id": "x"}}, {"type": "tool_reference", "name": "f"}),
    *({"type": "image", "image": "x"}, {"type": 5}, {"type": "text", "text": "hi", "extra": 1}),
]
CONTENTS = ["hi", "", None, 5, True, {}, [], [PARTS[0]], ["hi"]]
ROLES = ["user", "assistant", "system", "developer", "tool", "function", "wizard", "", None, 5]
PROMPTS = [
    *("hi", "", [], [""], ["a", "b"], [1, 2], [[1, 2], [3]], [[]], [1, "a"], [["a"]], [-1], [1.5]),
    *(["a", ""], None, 5, {}, {"text": "x"}, True, [True], [[1], []], [None], [0], ["a", ["b"]]),
]
EMBEDS = [None, [], "!!", "", 5, ["!!"], {}]
BIASES = [
    *({}, {"1": 1}, {"1": 101}, {"x": 1}, {"-1": 1}, {"1": "x"}, {"1": "2"}, {"1": None}, [], "x"),
    *(None, {"1.5": 1}, {" 1 ": 1}, {"": 1}, {"+1": 1}, {"1_0": 1}, {"0x1": 1}, {"1": True}),
]
DETECTIONS = [
    *({}, {"max_pattern_size": 4}, {"max_pattern_size": 4, "min_count": 2}, {"min_count": 1}, "x"),
    *({"max_pattern_size": 4, "min_count": "2"}, {"min_pattern_size": 3}, {"max_pattern_size": -1}),
    *({"max_pattern_size": 2, "min_pattern_size": 3, "min_count": 2}, {"max_pattern_size": None}),
    *(
        {"max_pattern_size": 4, "min_count": 1.5},
        {"max_pattern_size": 0, "min_count": -3},
        [],
        None,
    ),
    *({"max_pattern_size": 4, "min_pattern_size": -1, "min_count": 2}, {"max_pattern_size": True}),
]
TEMPLATES = [
    *("{{ messages[0].content }}", "{% if %}", "{{", "{{ }}", "{% for m in messages %}x", "x", ""),
    *(
        "{% endif %}",
        "{% nope %}",
        "{{ raise_exception('no') }}",
        None,
        5,
        "{% if true %}x{% endif %}",
    ),
    *(
        "{{ (1 }}",
        "{# x #}y",
        "{% for m in messages %}{{ m.content }}{% endfor %}",
        "{% raw %}{{{% endraw %}x",
    ),
]
ARGUMENTS = [
    *(
        {"enable_thinking": False},
        {"messages": []},
        {"conversation": 1},
        {"tools": "x"},
        {"nope": 1},
    ),
    *({"documents": "x"}, {"return_tensors": "x"}, {"padding": "x"}, {"truncation": "x"}, {}),
    *(
        {"add_generation_prompt": False},
        {"tokenize": True},
        {"chat_template": "x"},
        {"chat_template": 5},
    ),
    *({"tokenizer_kwargs": 1}, None, [], "x", {"self": 1}, {"return_dict": True}),
]
SPECIAL: dict[str, list[Any]] = {
    "stop": [
        "x",
        "",
        [],
        ["x"],
        ["x", ""],
        ["a", "b", "c", "d"],
        list("abcde"),
        5,
        [5],
        None,
        [None],
        {},
    ],
    "stream_options": [
        *({"include_usage": True}, {"include_usage": False}, {}, {"continuous_usage_stats": True}),
        *({"include_usage": None}, {"include_usage": "x"}, {"nope": 1}, "x", [], None, 1),
    ],
    "response_format": FORMATS,
    "tool_choice": CHOICES,
    "tools": TOOLS,
    "logit_bias": BIASES,
    "repetition_detection": DETECTIONS,
    "chat_template": TEMPLATES,
    "chat_template_kwargs": ARGUMENTS,
    "bad_words": [[], ["a"], [""], ["a", ""], [" "], "a", [1], None, {}, ["x y"]],
    "documents": [[], [{"title": "t", "text": "x"}], [{"title": 1}], "x", None, [{}], [[]]],
    "reasoning_effort": ["low", "none", "high", "huge", "", None, 5, "LOW"],
    "cache_salt": TEXTS,
    "prompt": PROMPTS,
    "prompt_embeds": EMBEDS,
    "vllm_xargs": [*OBJECTS, {"k": "a"}, {"k": [1, "a", 2.5]}, {"k": True}],
    "kv_transfer_params": [*OBJECTS, {"prompt_token_ids": []}, {"prompt_token_ids": [1, -1]}],
    "media_io_kwargs": [{}, [], "x", None, {"image": "x"}],
    "mm_processor_kwargs": [{}, [], "x", None],
    "thinking_token_budget": INTEGERS,
    "truncate_prompt_tokens": [-1, 1, -2, "1", 1.5, None, "x", True],
    "suffix": [None],
    "model": ["tiny", "tiny-alias", "", None, 5],
    "max_tokens": [0, 1, 2, -1, "2", 1.5, None, True, 1.0],
    "max_completion_tokens": [0, 1, 2, -1, "2", 1.5, None],
    "top_logprobs": [0, 1, 5, -2, "1", 1.5, None, True, False, 20, [], 0.0],
    "prompt_logprobs": [0, 1, 5, -2, "1", 1.5, None, True, False, 20, [], "x"],
    "n": [1, 2, 3, 0, -1, "2", 1.5, None, True, 20000],
    "priority": [0, 1, -1, "1", 1.5, None, 2**63],
    "seed": [0, -1, 7, "7", 1.5, None, 2**63, -(2**63), "x"],
    "stop_token_ids": IDS,
    "allowed_token_ids": IDS,
    "logprob_token_ids": IDS,
}
OTHERS: dict[str, list[Any]] = {
    "guided_json": [SCHEMA, "x"],
    "best_of": [1, 2],
    "extra_body": [{"top_k": 1}],
    "enable_thinking": [False],
    "temprature": [0.5],
    "max_new_tokens": [5],
    "frobnicate": [None, 1],
}
"""Fields that the server does not know."""

COUPLES = (
    ("stream", "stream_options"),
    ("stream", "prompt_logprobs"),
    ("stream", "use_beam_search"),
    ("stream", "stream_interval"),
    ("logprobs", "top_logprobs"),
    ("logprobs", "logprob_token_ids"),
    ("use_beam_search", "logprob_token_ids"),
    ("use_beam_search", "n"),
    ("use_beam_search", "temperature"),
    ("echo", "max_tokens"),
    ("echo", "logprobs"),
    ("echo", "prompt_embeds"),
    ("temperature", "n"),
    ("temperature", "top_p"),
    ("min_tokens", "max_tokens"),
    ("min_tokens", "max_completion_tokens"),
    ("tools", "tool_choice"),
    ("tool_choice", "structured_outputs"),
    ("tool_choice", "response_format"),
    ("structured_outputs", "response_format"),
    ("structured_outputs", "use_beam_search"),
    ("continue_final_message", "add_generation_prompt"),
    ("truncation_side", "truncate_prompt_tokens"),
    ("prompt", "prompt_embeds"),
    ("prompt_logprobs", "prompt_embeds"),
)

MESSAGE_KEYS: dict[str, list[Any]] = {
    "name": ["bob", None, 5],
    "tool_call_id": ["c", None, 5],
    "tool_calls": [[CALL], [], None, "x", {}, ["x"], [{**CALL, "type": "custom"}], [{"id": "c"}]],
    "reasoning": ["hm", None, 5],
    "reasoning_content": ["hm", None],
    "refusal": ["no", None],
    "extra": [1],
}
