"""What is said of a field: where, since when, who decides, what instead."""

import pytest

from vllmctl.errors import UsageError

FILE = "the model's generation_config.json"


def place(found, endpoint):
    return next(place for place in found.places if place.endpoint == endpoint)


def rule_ids(found):
    return [ruling.fact.id for ruling in found.rules]


@pytest.mark.parametrize(
    ("target", "parties"),
    [
        (
            "0.33.0",
            [
                "the request",
                f"{FILE} (top_k), unless the server runs with --generation-config vllm",
                "the API's default: 0",
            ],
        ),
        (
            "0.7.3",
            [
                "the request",
                f"{FILE} (top_k), if the server was started with --generation-config",
                "the API's default: -1",
            ],
        ),
        ("0.6.3", ["the request", "the API's default: -1"]),
        ("furiosa", ["the request", f"{FILE} (top_k)", "the API's default: -1"]),
    ],
)
def test_it_says_who_decides_on_a_value(asked, target, parties):
    assert asked("top_k", target).decided_by == parties


@pytest.mark.parametrize(
    ("name", "release", "is_read"),
    [
        ("temperature", "0.6.5", False),
        ("temperature", "0.6.6", True),
        ("max_completion_tokens", "0.6.6", False),
        ("max_completion_tokens", "0.7.0", True),
        ("presence_penalty", "0.30.0", False),
        ("presence_penalty", "0.31.0", True),
        ("skip_special_tokens", "0.32.0", False),
        ("skip_special_tokens", "0.33.0", True),
        ("seed", "0.33.0", False),
    ],
)
def test_generation_config_counts_since_the_release_that_reads_the_key(
    asked, name, release, is_read
):
    assert any(FILE in party for party in asked(name, release).decided_by) is is_read


def test_a_default_that_endpoints_do_not_share_is_told_for_each(asked, printed):
    found = asked("max_tokens")
    assert place(found, "completions").default == "16"
    assert place(found, "chat.completions").default.startswith("what is left of the context")
    assert "16 (completions)" in printed("explain", "max_tokens").out


def test_a_type_that_endpoints_do_not_share_is_told_for_each(printed):
    page = printed("explain", "logprobs").out
    assert "boolean or null (chat.completions)" in page
    assert "integer or null (completions)" in page


def test_a_removed_field_names_its_successor_and_what_becomes_of_it(asked):
    found = asked("guided_json", "0.33.0")
    assert (found.kind, found.instead) == ("removed field", "structured_outputs.json")
    assert found.verdict == (
        "Removed: 0.11.2 was the last release with it. The server answers 200 and ignores it."
    )
    assert asked("guided_json", "0.10.2").sendable


def test_a_field_of_a_later_release_names_the_form_of_its_time(asked):
    found = asked("structured_outputs.json", "0.10.2")
    assert (found.kind, found.instead) == ("field of a later release", "guided_json")
    assert "it came with 0.11.0" in found.verdict
    assert not any(place.is_here for place in found.places)


def test_releases_that_refuse_unknown_fields_are_said_to(asked):
    assert asked("structured_outputs", "0.6.3").verdict.endswith("refuses a request with it.")
    assert asked("structured_outputs", "0.6.5").verdict.endswith("answers 200 and ignores it.")


def test_a_removed_part_of_an_object_is_found(asked):
    found = asked("structured_outputs.disable_fallback")
    assert found.kind == "removed field"
    assert "0.17.1 was the last release" in found.verdict


def test_a_part_of_a_removed_object_is_found(asked):
    assert asked("logits_processors.qualname").kind == "removed field"


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("include_usage", "stream_options.include_usage"),
        ("stream_options.include_usage", "stream_options.include_usage"),
        ("min_count", "repetition_detection.min_count"),
        ("tools[0].function.name", "tools[].function.name"),
        ("tools.function.name", "tools[].function.name"),
        ("image_url", "messages[].content[].image_url"),
        ("body.top_p", "top_p"),
        ("request.top_p", "top_p"),
        ("SamplingParams.top_p", "top_p"),
        ("extra_body.guided_json", "guided_json"),
        ("top-p", "top_p"),
        ("`top_p`", "top_p"),
    ],
)
def test_a_name_is_found_however_it_is_written(asked, typed, path):
    assert asked(typed).name == path


def test_a_name_of_several_places_is_not_guessed(asked):
    with pytest.raises(UsageError) as fault:
        asked("name")
    assert "places are called name" in fault.value.message
    assert "tools[].function.name" in fault.value.hint or "messages[].name" in fault.value.hint


def test_a_field_that_the_endpoint_lacks_is_said_to_be_elsewhere(asked):
    found = asked("max_completion_tokens", endpoint="completions")
    assert not found.sendable
    assert found.verdict.startswith("Not a field of completions. The server answers 200")
    assert "chat.completions" in found.verdict


def test_a_field_of_other_endpoints_says_what_the_name_means_on_chat(asked):
    found = asked("reasoning")
    assert "responses" in found.verdict
    assert any("reasoning_effort" in note for note in found.notes)


def test_a_field_without_effect_is_said_to_have_none(asked):
    assert "has no effect" in asked("user").verdict
    assert "only render endpoints read it" in asked("return_token_offsets").verdict
    assert "has no effect" in asked("seed", "furiosa").verdict


def test_history_tells_what_changed_when(asked):
    events = [(event.release, event.text) for event in asked("top_k").history]
    assert ("0.6.6", "default -1 → null") in events
    assert ("0.5.3", "integer or null → integer (chat.completions, completions)") in events or (
        "0.5.3",
        "integer or null → integer",
    ) in events
    assert ("0.9.0", "no longer: top_k is at least 1, or -1 for all; 0 is refused.") in events
    releases = [release for release, _ in events]
    assert releases == sorted(releases, key=lambda text: [int(n) for n in text.split(".")])


def test_rules_are_those_in_force(asked):
    assert "sp.top_k" in rule_ids(asked("top_k", "0.9.0"))
    assert "sp.top_k_old" not in rule_ids(asked("top_k", "0.9.0"))
    assert "sp.top_k_old" in rule_ids(asked("top_k", "0.8.5"))


def test_rules_of_an_object_touch_its_parts(asked):
    ids = rule_ids(asked("structured_outputs.json"))
    assert ids[0].startswith("so.")
    assert "structured_outputs.exclusive" in ids


def test_related_fields_are_those_of_the_same_rules_and_objects(asked):
    assert asked("top_logprobs").related[0] == "logprobs"
    assert "repetition_detection.max_pattern_size" in asked("min_count").related


def test_flag_and_profile_key(asked):
    assert asked("include_usage").flag == "--stream-options.include-usage"
    assert asked("include_usage").profile == "[request] stream_options.include_usage"
    assert asked("logprobs").profile == "[chat] logprobs and [complete] logprobs"
    assert asked("documents").profile == "[chat] documents"
    assert asked("tools.function.name").flag == ""


def test_a_header_that_stands_for_a_field_is_named(asked):
    assert any("X-Vllm-Priority" in note for note in asked("priority").notes)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("priority", "lower values"),
        ("priority", "200 and ignores"),
        ("top_k", "Since 0.9.0 both do"),
        ("top_p", "refuses 0"),
        ("echo", "only if that message is the assistant's"),
        ("watermarking", "null since 0.32.0"),
        ("add_special_tokens", "true for completions"),
        ("use_beam_search", "since then"),
        ("bad_words", "token sequences"),
        ("cache_salt", "more than 128"),
        ("structured_outputs", "Completions has the field as well"),
        ("documents", "answers 200 and ignores it"),
    ],
)
def test_it_says_where_documents_disagree_with_the_server(asked, name, says):
    assert any(says in text for text in asked(name).disagreements)


def test_json_has_all_that_the_page_has(printed):
    told = printed("explain", "top_p", "--format", "json", "--target", "0.32.0").json
    assert told["name"] == "top_p"
    assert told["target"] == "vllm==0.32.0"
    assert told["sendable"] is True
    assert told["flag"] == "--top-p"
    assert [place["endpoint"] for place in told["endpoints"]][:2] == [
        "chat.completions",
        "completions",
    ]
    assert {"id", "kind", "text", "fields", "endpoints", "since", "until", "status"} == set(
        told["rules"][0]
    )
