"""Names that are no fields: rules, classes, options, headers, keys of files, foreign ones."""

import pytest

from vllmctl.errors import UsageError


def test_a_rule_says_what_the_server_does(asked):
    found = asked("stream_options.needs_stream")
    assert (found.kind, found.verdict) == ("rule", "The server refuses the request (400).")
    assert found.related == ["stream_options", "stream"]
    assert found.rules[0].endpoints[:2] == ("chat.completions", "completions")


def test_a_rule_of_other_releases_says_when_it_holds(asked):
    assert asked("top_logprobs.range20").verdict == (
        "Not in force at vllm==0.33.0: it holds from 0.4.3 to 0.4.3."
    )
    assert "refuses" in asked("top_logprobs.range20", "0.4.3").verdict


@pytest.mark.parametrize(
    ("name", "release", "span"),
    [
        ("top_logprobs.null", "0.33.0", "from 0.4.3 to 0.24.0"),
        ("beam.drops", "0.5.0", "since 0.6.3"),
    ],
)
def test_what_no_rule_of_the_server_says_holds_for_releases_too(asked, name, release, span):
    assert asked(name, release).verdict == f"Not in force at vllm=={release}: it holds {span}."


@pytest.mark.parametrize(
    "name", ["chat_template_kwargs.enable_thinking", "vllm_xargs.mine", "kv_transfer_params.x"]
)
def test_an_object_that_takes_any_name_says_so_of_each(asked, name):
    found = asked(name)
    head, _, rest = name.partition(".")
    assert found.verdict == f"{head} takes any name; what {rest} does there is up to what reads it."
    assert found.related[0] == head


@pytest.mark.parametrize("name", ["logit_bias.five", "structured_outputs.nope", "stop.x"])
def test_an_object_with_names_of_its_own_has_no_others(asked, name):
    with pytest.raises(UsageError, match="nothing is called"):
        asked(name)


def test_a_rule_of_the_other_engine_is_found(asked):
    assert "furiosa" in asked("f.top_k.range").verdict


def test_every_rule_of_chat_and_completions_has_an_answer(asked):
    from vllmctl.catalog.load import endpoint
    from vllmctl.catalog.target import newest

    for name in ("chat.completions", "completions"):
        for rule in endpoint(name, newest()).rules:
            assert asked(rule).kind == "rule"


CODES = [
    {"temprature": 1},
    {"topP": 1},
    {"guided_json": {}},
    {"n_predict": 1},
    {"enable_thinking": False},
    {"extra_body": {"top_k": 1}},
    {"prompt": "x"},
    {"frobnicate": 1},
    {"user": "x"},
    {"stream": True, "stream_options": {"include_usag": True}},
    {"temperature": "hot"},
    {"truncate_prompt_tokens": -2},
]


@pytest.mark.parametrize("fields", CODES, ids=str)
def test_every_code_of_a_finding_has_an_answer(asked, fields):
    from vllmctl.catalog.load import endpoint
    from vllmctl.catalog.target import newest
    from vllmctl.rules.check import check

    body = {"messages": [{"role": "user", "content": "hi"}], **fields}
    codes = {finding.code for finding in check(body, endpoint("chat.completions", newest()))}
    assert codes
    assert {asked(code).kind for code in codes} <= {"rule", "finding of vllmctl lint"}


@pytest.mark.parametrize("name", ["detokenize", "output_kind", "skip_clone", "extra_args"])
def test_members_of_the_offline_class_say_which_endpoint_takes_them(asked, name):
    found = asked(name)
    assert found.kind == "member of the engine's parameters"
    assert "/inference/v1/generate" in found.verdict


def test_every_member_of_sampling_params_has_an_answer(asked):
    from vllmctl.catalog.load import engine_models
    from vllmctl.catalog.target import newest

    for engine in ("vllm", "furiosa"):
        model = engine_models(newest(engine))["SamplingParams"]
        for name in (*model.fields, *model.absent):
            assert asked(name, engine).verdict


def test_a_class_names_its_members_and_its_place_in_a_body(asked):
    found = asked("RepetitionDetectionParams")
    assert found.related[0] == "repetition_detection"
    assert "min_count" in found.related
    assert any("detokenize" in note for note in asked("SamplingParams").notes)


@pytest.mark.parametrize(
    ("flag", "name"),
    [("--top-p", "top_p"), ("--top_p", "top_p"), ("-m", "model"), ("--no-stream", "stream")],
)
def test_a_flag_is_explained_as_its_field(printed, flag, name):
    assert printed("explain", flag, "--format", "json").json["name"] == name


def test_sugar_says_what_it_writes(printed):
    told = printed("explain", "--schema", "--format", "json").json
    assert told["kind"] == "option of vllmctl"
    assert told["related"] == ["structured_outputs.json", "guided_json"]
    assert "--json-schema" in told["flag"]


@pytest.mark.parametrize("typed", ["--prefill", "prefill"])
def test_prefill_says_what_it_sends(printed, typed):
    assert "continue_final_message: true" in " ".join(printed("explain", typed).out.split())


def test_settings_of_the_program_are_told_apart_from_fields(printed):
    told = printed("explain", "--base-url", "--format", "json").json
    assert (told["sendable"], told["profile"]) == (False, "[server] base_url")
    assert printed("explain", "retries", "--format", "json").json["profile"] == "[server] retries"


@pytest.mark.parametrize("typed", ["X-Session-ID", "x-session-id"])
def test_a_header_says_which_field_it_stands_for(asked, typed):
    found = asked(typed)
    assert (found.kind, found.related) == ("request header", ["session_id"])


def test_an_endpoint_is_found_by_name_and_path(asked):
    assert asked("rerank").kind == "endpoint"
    assert asked("/v1/chat/completions").name == "chat.completions"


@pytest.mark.parametrize(
    ("key", "target", "instead"),
    [
        ("max_new_tokens", "vllm", "max_tokens"),
        ("generation_config.max_new_tokens", "vllm", "max_tokens"),
        ("stop_strings", "furiosa", "stop"),
        ("do_sample", "vllm", "temperature"),
    ],
)
def test_a_key_of_generation_config_says_what_it_is_the_default_of(asked, key, target, instead):
    found = asked(key, target)
    assert (found.kind, found.instead) == ("generation_config.json key", instead)


def test_a_key_that_is_not_read_says_so(asked):
    assert "vLLM does not read this key" in asked("stop_strings").meaning[0]
    assert "takes no default from it" in asked("diversity_penalty").verdict


def test_the_file_lists_the_keys_that_the_release_reads(asked):
    before, after = asked("generation_config.json", "0.30.0"), asked("generation_config.json")
    assert "presence_penalty" not in before.related
    assert "presence_penalty" in after.related


@pytest.mark.parametrize(
    ("name", "instead"),
    [("n_predict", "max_tokens"), ("repeat_penalty", "repetition_penalty"), ("mirostat", "")],
)
def test_a_foreign_name_says_what_it_is_called_here(asked, name, instead):
    found = asked(name)
    assert (found.kind, found.instead) == ("name from elsewhere", instead)


def test_a_name_of_the_other_engine_says_so(asked):
    found = asked("reasoning_structured_outputs")
    assert not found.sendable
    assert found.verdict.startswith("Of furiosa, not known to vllm==0.33.0.")


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("temprature", "temperature"),
        ("structured_output.json", "structured_outputs.json"),
        ("stream_options.needs_steam", "stream_options.needs_stream"),
        ("detokenise", "detokenize"),
    ],
)
def test_a_typo_gets_the_nearest_names(asked, typed, near):
    with pytest.raises(UsageError) as fault:
        asked(typed)
    assert fault.value.exit_code == 2
    assert near in fault.value.hint


@pytest.mark.parametrize("words", [(), ("top_p", "top_k")])
def test_one_name_at_a_time(printed, words):
    with pytest.raises(UsageError):
        printed("explain", *words)


def test_an_unknown_endpoint_gets_the_nearest(printed):
    with pytest.raises(UsageError) as fault:
        printed("explain", "top_p", "--endpoint", "chats")
    assert "did you mean chat" in fault.value.hint


def test_check_of_vllmctl_itself_is_called_so(printed):
    page = printed("explain", "messages.role").out
    assert "vllmctl's own check" in page
    assert "0.1.0" not in page
    assert "vllmctl's own check" in printed("explain", "messages").out


def test_a_note_begins_with_the_name_of_vllm_as_it_is_written(asked):
    assert asked("mirostat").meaning == ["vLLM has no such sampler."]


def test_names_of_answers_and_of_clients_are_explained(printed):
    assert "called reasoning by now" in printed("explain", "reasoning_content").out
    assert "top of the body" in printed("explain", "extra_body").out
