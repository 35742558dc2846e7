"""JSON Schema of bodies and of profiles."""

import tomllib
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from vllmctl.catalog.load import endpoint, endpoint_names
from vllmctl.catalog.schema import check_types
from vllmctl.catalog.target import newest, parse_target
from vllmctl.env import Environment
from vllmctl.explain.body_schema import body_schema
from vllmctl.explain.profile_schema import profile_schema
from vllmctl.request.profiles.chain import known_endpoints
from vllmctl.request.profiles.check import check
from vllmctl.request.server.keys import SERVER_KEYS

CHAT = {"messages": [{"role": "user", "content": "hi"}]}


def schema_of(name, target="vllm"):
    return Draft202012Validator(body_schema(endpoint(name, parse_target(target))))


@pytest.fixture(scope="module")
def profiles():
    return Draft202012Validator(profile_schema(known_endpoints(newest())))


@pytest.mark.parametrize("engine", ["vllm", "furiosa"])
def test_the_schema_of_every_endpoint_is_valid(engine):
    for name in endpoint_names(newest(engine)):
        Draft202012Validator.check_schema(body_schema(endpoint(name, newest(engine))))


def test_the_command_prints_the_schema_of_the_target(printed):
    told = printed("fields", "complete", "--schema", "--target", "0.10.2").json
    assert told["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "guided_json" in told["properties"]
    assert "structured_outputs" not in told["properties"]
    assert told["properties"]["top_p"]["description"]


@pytest.mark.parametrize(
    "fields",
    [
        {"temperature": 0.5, "top_k": -1, "stop": ["a"], "n": None, "seed": 1},
        {"stop": "a", "logit_bias": {"15043": -100}, "unknown_field": 1},
        {"response_format": {"type": "json_object"}, "tool_choice": "auto"},
        {"tool_choice": {"type": "function", "function": {"name": "f"}}},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
        {"structured_outputs": {"choice": ["a"]}, "stream_options": {"include_usage": True}},
        {"vllm_xargs": {"a": 1, "b": ["c"]}, "documents": [{"title": "x"}]},
        {"messages": [{"role": "assistant", "content": None, "reasoning": "r"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]},
    ],
    ids=str,
)
def test_bodies_that_the_server_takes_fit(fields):
    body = {**CHAT, **fields}
    assert check_types(endpoint("chat.completions", newest()), body).faults == ()
    assert list(schema_of("chat.completions").iter_errors(body)) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"temperature": "hot"},
        {"top_k": 1.5},
        {"stop": ["a", "b", "c", "d", "e"]},
        {"stop": [5]},
        {"seed": 2**63},
        {"cache_salt": ""},
        {"reasoning_effort": "huge"},
        {"truncation_side": "middle"},
        {"tools": [{"type": "function"}]},
        {"structured_outputs": {"choice": "a"}},
        {"vllm_xargs": {"a": {"b": 1}}},
        {"repetition_detection": "yes"},
        {"messages": "hi"},
        {"messages": [{"content": "x"}]},
    ],
    ids=str,
)
def test_bodies_with_a_wrong_type_or_limit_do_not_fit(fields):
    body = {**CHAT, **fields}
    assert check_types(endpoint("chat.completions", newest()), body).faults
    assert not schema_of("chat.completions").is_valid(body)


def test_what_is_required_is_required():
    assert not schema_of("chat.completions").is_valid({"model": "x"})
    assert schema_of("completions").is_valid({"prompt": [[1, 2], [3]]})


@pytest.mark.parametrize(
    ("name", "enough", "too_little"),
    [
        ("embeddings", [{"input": "a"}, CHAT, {"input": "a", **CHAT}], {"model": "m"}),
        ("tokenize", [{"prompt": "a"}, CHAT], {"add_special_tokens": True}),
        (
            "score",
            [{"queries": "a", "documents": "b"}, {"text_1": "a", "text_2": "b"}],
            {"queries": "a", "text_2": "b"},
        ),
    ],
)
def test_one_of_several_bodies_is_enough(name, enough, too_little):
    schema = schema_of(name)
    assert all(schema.is_valid(body) for body in enough)
    assert not schema.is_valid(too_little)
    assert check_types(endpoint(name, newest()), too_little).faults


def test_what_all_bodies_require_is_required():
    assert not schema_of("tokenize", "0.6.3").is_valid({"prompt": "a"})
    assert schema_of("tokenize", "0.6.3").is_valid({"prompt": "a", "model": "m"})


def test_releases_that_refuse_unknown_fields_have_a_closed_schema():
    body = {"model": "x", **CHAT, "frobnicate": 1}
    assert not schema_of("chat.completions", "0.6.3").is_valid(body)
    assert schema_of("chat.completions", "0.6.5").is_valid(body)


def test_shipped_profiles_fit(profiles, project):
    for path in sorted((project / "profiles").glob("*.toml")):
        assert list(profiles.iter_errors(tomllib.loads(path.read_text("utf-8")))) == []


PROFILES = {
    "fields": "[request]\ntemperature = 0.2\nstop = ['a']\nrepetition_detection.min_count = 4",
    "sections": "description = 'x'\n[chat]\nlogprobs = true\n[complete]\nlogprobs = 3",
    "extends": "extends = ['greedy']",
    "server": "[server]\nbase_url = 'http://localhost:8000'\ntimeout = '90s'\nretries = 2",
    "from a file": "[chat]\ntools = '@tools.json'",
    "part from a file": "[request.structured_outputs]\njson = '@schema.json'",
    "misspelt field": "[request]\ntemprature = 0.2",
    "misspelt part": "[request.repetition_detection]\nmin_cout = 4",
    "wrong type": "[request]\ntemperature = 'hot'",
    "another section": "[sampling]\ntemperature = 0.2",
    "outside its section": "temperature = 0.2",
    "chat's field for both": "[complete]\nreasoning_effort = 'low'",
    "differs": "[request]\nlogprobs = true",
    "server's typo": "[server]\nurl = 'http://localhost:8000'",
    "server's type": "[server]\ninsecure = 'yes'",
    "bad time": "[server]\ntimeout = 'soon'",
    "removed field": "[request]\nguided_json = '@schema.json'",
}


@pytest.mark.parametrize("text", PROFILES.values(), ids=PROFILES.keys())
def test_the_schema_agrees_with_the_check_of_profiles(profiles, tmp_path, text):
    path = tmp_path / "p.toml"
    path.write_text(text)
    (tmp_path / "tools.json").write_text("[]")
    (tmp_path / "schema.json").write_text("{}")
    env = Environment(variables={"HOME": str(tmp_path)}, cwd=tmp_path)
    problems = check(str(path), env)
    assert profiles.is_valid(tomllib.loads(text)) is (problems == []), problems


def test_named_profiles_of_a_config_file_fit(profiles):
    text = "[profiles.fast.request]\nmax_tokens = 5\n[request]\ntemperature = 0"
    assert profiles.is_valid(tomllib.loads(text))
    assert not profiles.is_valid(tomllib.loads(text.replace("max_tokens", "max_token")))


SETTINGS: dict[str, tuple[list[Any], list[Any]]] = {
    "base_url": (["http://a", "https://b/v1"], [5, ""]),
    "model": (["tiny"], [1, ""]),
    "target": (["vllm==0.32.0", "server"], [1]),
    "api_key_env": (["KEY"], ["a b", 1]),
    "api_key_cmd": (["pass x", ["pass", "x"]], [[], [1], ""]),
    "api_key_keyring": (["vllm/me", "a/b/me"], ["me", "/me", "vllm/", 1]),
    "api_key": (["k"], [1]),
    "headers": ([{"X-Team": "ml"}], [{"X-Team": 1}, "x"]),
    "connect_timeout": ([5, 0.5, "5s"], ["soon", -1]),
    "idle_timeout": ([5, "2m"], ["x"]),
    "timeout": (["500 ms", "1h"], [True]),
    "retries": ([0, 3], [-1, 1.5, "3"]),
    "proxy": (["", "http://p"], [1]),
    "insecure": ([True, False], ["yes", 1]),
    "ca_file": (["ca.pem"], [1]),
    "cert_file": (["c.pem"], [1]),
    "key_file": (["k.pem"], [1]),
}


@pytest.mark.parametrize("key", SERVER_KEYS)
def test_settings_are_checked_as_the_program_does(profiles, key):
    good, bad = SETTINGS[key]
    for value, is_good in [*((each, True) for each in good), *((each, False) for each in bad)]:
        assert profiles.is_valid({"server": {key: value}}) is is_good
        assert (SERVER_KEYS[key].check(value) is None) is is_good


def test_every_field_has_its_description(profiles):
    section = profiles.schema["properties"]["request"]["properties"]
    assert [name for name, made in section.items() if not made.get("description")] == []


def test_a_field_is_deprecated_in_a_profile_only_where_it_is_everywhere() -> None:
    properties = profile_schema(known_endpoints(newest()))["properties"]
    both, chat = (properties[section]["properties"] for section in ("request", "chat"))
    assert "deprecated" not in both["max_tokens"]
    assert chat["max_tokens"]["deprecated"]
