from typing import Any

import pytest

from vllmctl.catalog.facts import Field
from vllmctl.catalog.load import (
    announced,
    answer_renames,
    by_path,
    endpoint,
    endpoint_names,
    engine_models,
    nested_field,
    walk,
)
from vllmctl.catalog.target import newest, parse_target, parse_targets
from vllmctl.errors import UsageError


@pytest.mark.parametrize("name", ["chat.completions", "completions"])
def test_every_release_of_the_main_endpoints_loads(name: str) -> None:
    since = "0.1.2" if name == "chat.completions" else "0.1.0"
    for target in parse_targets(f"vllm>={since}"):
        found = endpoint(name, target)
        assert found.fields
        assert not set(found.fields) & set(found.absent)


@pytest.mark.parametrize("engine", ["vllm", "furiosa"])
def test_every_endpoint_of_the_newest_release_loads(engine: str) -> None:
    names = endpoint_names(newest(engine))
    assert {"chat.completions", "completions"} <= set(names)
    for name in names:
        assert endpoint(name, newest(engine)).path


def test_a_field_is_as_it_was_in_its_release() -> None:
    def field(release: str, name: str) -> Field:
        return endpoint("completions", parse_target(release)).fields[name]

    assert field("0.7.3", "model").required
    assert not field("0.8.0", "model").required
    assert field("0.30.0", "frequency_penalty").default == 0.0
    assert field("0.31.0", "frequency_penalty").default is None
    assert "minimum" not in field("0.4.1", "seed").schema
    assert field("0.4.2", "seed").schema["minimum"] == -(2**63)
    assert field("0.1.0", "prompt").schema == {"type": "string"}
    assert len(field("0.1.4", "prompt").schema["anyOf"]) == 4
    assert not field("0.8.5", "prompt").nullable
    assert field("0.9.0", "prompt").nullable


def test_bodies_of_several_shapes_came_with_their_release() -> None:
    def options(name: str, release: str, field: str) -> Any:
        schema = endpoint(name, parse_target(release)).fields[field].schema
        return schema.get("anyOf", [schema])

    assert len(options("embeddings", "0.23.0", "input")) == 4
    assert len(options("embeddings", "0.24.0", "input")) == 6
    assert len(options("embeddings", "0.23.0", "messages")) == 1
    batched = options("embeddings", "0.24.0", "messages")[1]
    assert (batched["minItems"], batched["items"]["minItems"]) == (1, 1)
    assert len(options("derender.completions", "0.25.0", "prompt_tokens")) == 1
    flat = options("derender.completions", "0.32.0", "prompt_token_ids")[1]
    assert flat == {"type": "array", "items": {"type": "integer", "minimum": 0}}
    old = options("batch_file", "0.6.3", "body")
    assert [option["$ref"] for option in old] == [
        "#/models/ChatCompletionRequest",
        "#/models/EmbeddingRequest",
    ]


def test_a_body_is_told_where_the_server_reads_one() -> None:
    assert endpoint("fault_tolerance.apply", newest()).body == "json"


def test_changes_tell_what_happened_when() -> None:
    changes = endpoint("completions", newest()).fields["frequency_penalty"].changes
    assert changes == ({"at": "0.31.0", "what": "default", "from": 0.0, "to": None},)


def test_absent_fields_are_those_of_other_releases() -> None:
    old = endpoint("chat.completions", parse_target("0.10.2"))
    new = endpoint("chat.completions", parse_target("0.12.0"))
    assert "guided_json" in old.fields
    assert new.absent["guided_json"].until == "0.11.2"
    assert old.absent["repetition_detection"].since == "0.17.0"


def test_deprecation_begins_with_its_release() -> None:
    before, after = (endpoint("chat.completions", parse_target(r)) for r in ("0.10.2", "0.11.0"))
    assert before.fields["guided_json"].deprecated_since is None
    assert after.fields["guided_json"].deprecated_since == "0.11.0"


@pytest.mark.parametrize(
    ("release", "policy"), [("0.4.1", "ignored"), ("0.6.3", "refused"), ("0.6.5", "ignored")]
)
def test_unknown_fields_follow_the_release(release: str, policy: str) -> None:
    assert endpoint("chat.completions", parse_target(release)).unknown == policy


@pytest.mark.parametrize(
    ("model", "release", "policy"),
    [
        ("ResponseFormat", "0.4.1", "ignored"),
        ("ResponseFormat", "0.4.2", "refused"),
        ("StreamOptions", "0.6.4.post1", "refused"),
        ("StreamOptions", "0.6.5", "ignored"),
        ("FunctionDefinition", "0.6.3", "refused"),
        ("CustomChatCompletionMessageParam", "0.6.3", "refused"),
        ("CustomChatCompletionContentPartParam", "0.6.3", "ignored"),
        ("LogitsProcessorConstructor", "0.9.0.1", "ignored"),
        ("LogitsProcessorConstructor", "0.9.1", "refused"),
        ("StreamOptions", "0.33.0", "ignored"),
    ],
)
def test_unknown_parts_of_objects_follow_the_release(model: str, release: str, policy: str) -> None:
    models = endpoint("chat.completions", parse_target(release)).models
    assert models[model].unknown == policy


@pytest.mark.parametrize(
    ("rule", "name", "first"),
    [
        ("tool_choice.must_match", "generate", "0.33.0"),
        ("tool_choice.must_match", "render.chat", "0.15.0"),
        ("cache_salt.non_empty", "generate", "0.28.0"),
        ("cache_salt.non_empty", "embeddings", "0.25.0"),
        ("cache_salt.non_empty", "render.completions", "0.15.0"),
        ("prompt.continue_vs_generation", "pooling", "0.6.6"),
        ("anthropic.tool_name", "render.messages", "0.29.0"),
        ("anthropic.input_schema", "render.messages", "0.29.0"),
        ("anthropic.tool_change", "render.messages", "0.32.0"),
    ],
)
def test_rules_begin_where_the_sources_show_them(rule: str, name: str, first: str) -> None:
    here = [
        target.release
        for target in parse_targets("vllm>=0.6")
        if name in endpoint_names(target) and rule in endpoint(name, target).rules
    ]
    assert here[0] == first


def test_a_rule_can_pause() -> None:
    rule = "cache_salt.non_empty"
    found = [
        rule in endpoint("score", parse_target(r)).rules for r in ("0.27.1", "0.28.0", "0.29.0")
    ]
    assert found == [True, False, True]


def test_rules_hold_in_their_releases_only() -> None:
    def rules(release: str) -> set[str]:
        return set(endpoint("chat.completions", parse_target(release)).rules)

    assert "guided.one_kind" in rules("0.10.2") - rules("0.11.0")
    assert "sp.n_max" in rules("0.19.0") - rules("0.18.1")
    gap = [r for r in ("0.15.1", "0.16.0", "0.22.0") if "messages.reasoning_content" in rules(r)]
    assert gap == ["0.15.1", "0.22.0"]


def test_an_aliased_field_has_its_name_on_the_wire() -> None:
    chat = endpoint("chat.completions", newest())
    assert "schema" in chat.models["JsonSchemaResponseFormat"].fields
    assert "json_schema" not in chat.models["JsonSchemaResponseFormat"].fields
    audio = endpoint("audio.transcriptions", newest())
    assert "timestamp_granularities[]" in audio.fields


def test_a_made_up_default_is_a_note_and_no_value() -> None:
    field = endpoint("chat.completions", newest()).fields["request_id"]
    assert (field.default, field.default_note) == (None, "random id")


def test_nested_fields_are_found_by_their_path() -> None:
    chat = endpoint("chat.completions", newest())
    assert nested_field(chat, "repetition_detection.min_count").schema == {"type": "integer"}  # type: ignore[union-attr]
    assert nested_field(chat, "response_format.json_schema.schema") is not None
    assert nested_field(chat, "temperature") is chat.fields["temperature"]
    assert nested_field(chat, "stream_options.nope") is None
    assert nested_field(chat, "nope.deeper") is None


def test_walk_goes_into_objects_of_one_shape() -> None:
    paths = [path for path, _ in walk(endpoint("chat.completions", newest()))]
    assert "stream_options.include_usage" in paths
    assert "structured_outputs.json" in paths
    assert not [path for path in paths if path.startswith("response_format.")]
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/chat/completions", "chat.completions"),
        ("/v1/completions/", "completions"),
        ("/v1/score", "score"),
        ("http://127.0.0.1:8000/v1/completions?x=1", "completions"),
        ("/nope", None),
    ],
)
def test_finds_the_endpoint_of_a_path(path: str, name: str | None) -> None:
    assert by_path(path) == name


def test_refuses_an_endpoint_that_the_release_has_not() -> None:
    with pytest.raises(UsageError, match="has no /v1/responses"):
        endpoint("responses", parse_target("0.6.3"))
    with pytest.raises(UsageError, match="no endpoint") as caught:
        endpoint("chat.completion", newest())
    assert "chat.completions" in caught.value.hint


def test_the_engine_knows_more_than_a_request_may_carry() -> None:
    offline = set(engine_models(newest())["SamplingParams"].fields)
    assert {"detokenize", "output_kind"} <= offline
    assert not {"detokenize", "output_kind"} & set(endpoint("chat.completions", newest()).fields)
    assert "output_text_buffer_length" in {
        *engine_models(newest())["SamplingParams"].absent,
        *offline,
    }


def test_loading_an_endpoint_takes_its_own_file_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from vllmctl.catalog import files, load

    read: list[str] = []
    real = files._read

    def watched(path: str) -> dict[str, Any]:
        read.append(path)
        return real(path)

    monkeypatch.setattr(files, "_read", watched)
    for cached in (files.read_endpoint, files.read_external, files.read_engine, load._endpoint):
        cached.cache_clear()
    endpoint("completions", newest())
    assert read == ["vllm/completions.json"]


def test_an_engine_tells_what_it_announced_and_renamed() -> None:
    assert "repetition_detection" in announced("furiosa")["2026.5.0b3"]
    assert announced("vllm") == {}
    assert [rename["to"] for rename in answer_renames()] == ["choices[].message.reasoning"]


def test_a_rule_tells_where_it_is_in_the_source() -> None:
    assert endpoint("completions", newest()).rules["sp.top_p"].source
    assert all(
        isinstance(place, str)
        for rule in endpoint("completions", newest("furiosa")).rules.values()
        for place in rule.source
    )
