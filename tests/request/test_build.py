import io
import json

import pytest

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest, parse_target
from vllmctl.cli.given import Given
from vllmctl.cli.settings import request_settings
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.fields.options import field_options
from vllmctl.fields.sugar import CHAT, COMPLETE
from vllmctl.request.build import Request, build
from vllmctl.request.origin import Layer, Origin
from vllmctl.request.sources import Sources


def make(name=CHAT, *, prompt=("hi",), layers=(), target="vllm", stdin=None, cwd=None, **values):
    """Build a request from option values by their ``dest``; a field's flag is its path."""
    specs = [*request_settings(name == CHAT), *field_options(endpoint(name, newest()))]
    by_path = {spec.path: spec.dest for spec in specs if spec.path}
    given = {by_path.get(key.replace("__", "."), key): value for key, value in values.items()}
    asked = Given({"prompt": list(prompt), **given}, specs).asked()
    asked.layers = list(layers)
    asked.streams = True
    env = Environment(stdin=stdin, stderr=io.StringIO())
    if cwd:
        env.cwd = cwd
    return build(asked, endpoint(name, parse_target(target)), Sources(env))


def layer(values, text="profile p"):
    return Layer(values, {key: Origin("profile", text) for key in values})


def origin(request: Request, path: str) -> str:
    return request.origins[path].text


def test_unset_fields_are_not_sent():
    assert make().body == {"messages": [{"role": "user", "content": "hi"}], "stream": True}


def test_precedence_is_body_profile_option_flag():
    body = json.dumps({"temperature": 0.1, "top_p": 0.1, "top_k": 1, "min_p": 0.1})
    low = layer({"top_p": 0.2, "top_k": 2, "min_p": 0.2})
    request = make(body=[body], layers=[low], option=["top_k=3", "min_p=0.3"], min_p=["0.4"])
    assert [request.body[k] for k in ("temperature", "top_p", "top_k", "min_p")] == [
        0.1, 0.2, 3, 0.4,
    ]  # fmt: skip
    assert [origin(request, k) for k in ("temperature", "top_p", "top_k", "min_p")] == [
        "-d", "profile p", "-o top_k", "--min-p",
    ]  # fmt: skip


def test_later_layers_win():
    request = make(layers=[layer({"seed": 1}, "first"), layer({"seed": 2}, "second")])
    assert request.body["seed"] == 2
    assert origin(request, "seed") == "second"


def test_unset_takes_away_what_any_layer_set():
    request = make(layers=[layer({"seed": 1})], top_k=["5"], unset=["seed", "top_k", "n"])
    assert "seed" not in request.body
    assert "top_k" not in request.body
    assert request.notices == ["--unset n: nothing was set there"]


def test_maps_merge_key_by_key_and_keep_each_origin():
    low = layer({"chat_template_kwargs": {"a": 1, "enable_thinking": True}})
    request = make(layers=[low], sugar_thinking=False)
    assert request.body["chat_template_kwargs"] == {"a": 1, "enable_thinking": False}
    assert origin(request, "chat_template_kwargs.enable_thinking") == "--no-thinking"
    assert origin(request, "chat_template_kwargs") == "profile p"


def test_a_schema_is_replaced_as_a_whole():
    low = layer({"structured_outputs": {"json": {"type": "object", "required": ["a"]}}})
    request = make(layers=[low], sugar_schema=['{"type": "array"}'])
    assert request.body["structured_outputs"] == {"json": {"type": "array"}}


def test_a_union_of_shapes_is_replaced_as_a_whole():
    low = layer({"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}})
    request = make(layers=[low], sugar_json_object=True)
    assert request.body["response_format"] == {"type": "json_object"}


def test_options_are_typed_by_the_catalogue():
    request = make(option=["stop=1", "seed=2", "user=3", "x.y=4", 'z:="5"', "echo=true"])
    assert request.body["stop"] == ["1"]
    assert (request.body["seed"], request.body["user"]) == (2, "3")
    assert (request.body["x"], request.body["z"], request.body["echo"]) == ({"y": 4}, "5", True)


def test_nested_flags_set_their_part_only():
    request = make(
        layers=[layer({"repetition_detection": {"max_pattern_size": 8}})],
        repetition_detection__min_count=["3"],
    )
    assert request.body["repetition_detection"] == {"max_pattern_size": 8, "min_count": 3}


def test_stop_reads_escapes_and_a_regex_does_not():
    request = make(stop=[r"\n\n"], sugar_regex=[r"\d+\n"])
    assert request.body["stop"] == ["\n\n"]
    assert request.body["structured_outputs"]["regex"] == r"\d+\n"


def test_prefill_is_an_assistant_turn_that_is_carried_on():
    request = make(prefill=["Sure"])
    assert request.body["messages"][-1] == {"role": "assistant", "content": "Sure"}
    assert request.body["continue_final_message"] is True
    assert request.body["add_generation_prompt"] is False
    assert origin(request, "continue_final_message") == "implied by --prefill"
    assert origin(request, "add_generation_prompt") == "implied by continue_final_message"
    assert request.notices == [
        "sending add_generation_prompt: false, implied by continue_final_message"
    ]


def test_what_the_user_set_is_never_overruled_by_an_implication():
    request = make(continue_final_message=True, add_generation_prompt=True, top_logprobs=["2"],
                   logprobs=False)  # fmt: skip
    assert request.body["add_generation_prompt"] is True
    assert request.body["logprobs"] is False


def test_unset_tells_of_what_was_not_there_nor_would_be():
    assert make(unset=["stream"]).notices == []
    assert "stream" not in make(unset=["stream"]).body
    assert make(unset=["top_p"]).notices == ["--unset top_p: nothing was set there"]


def test_an_implied_value_may_be_unset():
    request = make(continue_final_message=True, unset=["add_generation_prompt"])
    assert "add_generation_prompt" not in request.body


def test_top_logprobs_implies_logprobs_on_chat_only():
    assert make(top_logprobs=["2"]).body["logprobs"] is True
    assert "logprobs" not in make(COMPLETE, option=["top_logprobs=2"]).body


def test_usage_says_what_the_user_turned_off():
    request = make(usage=True, option=["stream_options.include_usage=false"])
    assert request.body["stream_options"] == {"include_usage": False}
    assert request.notices == [
        "--usage has less to show: stream_options.include_usage is set by "
        "-o stream_options.include_usage"
    ]


def test_usage_is_asked_of_streams_only():
    assert make(usage=True).body["stream_options"] == {"include_usage": True}
    assert "stream_options" not in make(usage=True, stream=False).body


def test_no_stream_is_asked_for_where_the_server_refuses_one():
    for count in ("0", "1", "-1"):
        assert "stream" not in make(prompt_logprobs=[count]).body
    assert "stream" not in make(COMPLETE, use_beam_search=True).body
    assert make(use_beam_search=True).body["stream"] is True


def test_sugar_writes_the_targets_own_field():
    assert make(sugar_regex=["a+"], target="0.10.2").body["guided_regex"] == "a+"
    assert make(sugar_regex=["a+"]).body["structured_outputs"] == {"regex": "a+"}


def test_the_conversation_is_system_messages_prompt():
    request = make(
        messages=['[{"role": "system", "content": "old"}, {"role": "user", "content": "1"}]'],
        system=["new"],
        message=["assistant:2"],
        prompt=["3"],
    )
    turns = [(m["role"], m["content"]) for m in request.body["messages"]]
    assert turns == [("system", "new"), ("user", "1"), ("assistant", "2"), ("user", "3")]
    assert origin(request, "messages[3]") == "the prompt"


def test_a_body_with_messages_needs_no_prompt():
    body = json.dumps({"messages": [{"role": "user", "content": "x"}]})
    assert make(body=[body], prompt=[]).body["messages"] == [{"role": "user", "content": "x"}]


def test_two_chat_prompts_are_an_error_and_two_completion_prompts_a_list():
    with pytest.raises(UsageError, match="one prompt, got 2"):
        make(prompt=["a", "b"])
    assert make(COMPLETE, prompt=["a", "b"]).body["prompt"] == ["a", "b"]
    assert make(COMPLETE, prompt=["a"]).body["prompt"] == "a"


@pytest.mark.parametrize("given", [{"field_prompt": ["5"]}, {"option": ["prompt=5"]}])
def test_one_prompt_is_a_text_however_it_is_given(given):
    assert make(COMPLETE, prompt=[], **given).body["prompt"] == "5"
    several = make(COMPLETE, prompt=[], field_prompt=["a", "b"])
    assert several.body["prompt"] == ["a", "b"]
    as_json = make(COMPLETE, prompt=[], option=['prompt=["a"]'])
    assert as_json.body["prompt"] == ["a"]


def test_token_prompts():
    one = make(COMPLETE, prompt=[], sugar_prompt_tokens=["1,2"])
    two = make(COMPLETE, prompt=[], sugar_prompt_tokens=["1,2", "3"])
    assert one.body["prompt"] == [1, 2]
    assert two.body["prompt"] == [[1, 2], [3]]


@pytest.fixture
def pipe(tmp_path):
    def of(text: bytes):
        path = tmp_path / "stdin"
        path.write_bytes(text)
        return path.open("rb")

    return of


def test_piped_input_is_added_to_the_prompt(pipe):
    request = make(prompt=["Explain"], stdin=pipe(b"some diff\n"))
    assert request.body["messages"][0]["content"] == "Explain\n\nsome diff\n"


def test_piped_input_alone_is_the_prompt_and_dash_names_it(pipe):
    for prompt in ([], ["-"]):
        request = make(prompt=prompt, stdin=pipe(b"\xef\xbb\xbfh\xc3\xa9"))
        assert request.body["messages"][0]["content"] == "hé"
        assert origin(request, "messages[0]") == "standard input"


@pytest.mark.parametrize(
    ("prompt", "content"), [(["Why?", "-"], "Why?\n\nx = 1"), (["-", "Why?"], "x = 1\n\nWhy?")]
)
def test_a_dash_beside_a_prompt_says_where_piped_input_stands(pipe, prompt, content):
    assert make(prompt=prompt, stdin=pipe(b"x = 1")).body["messages"][0]["content"] == content
    assert len(make(COMPLETE, prompt=prompt, stdin=pipe(b"x = 1")).body["prompt"]) == 2


def test_no_stdin_leaves_the_pipe_alone(pipe):
    assert make(no_stdin=True, stdin=pipe(b"x")).body["messages"][0]["content"] == "hi"


def test_input_taken_by_a_value_is_not_the_prompt_too(pipe):
    request = make(system=["@-"], stdin=pipe(b"be brief"))
    assert [m["content"] for m in request.body["messages"]] == ["be brief", "hi"]


def test_input_that_is_no_text_is_named(pipe):
    with pytest.raises(UsageError, match=r"standard input is not UTF-8 text \(line 2"):
        make(prompt=[], stdin=pipe(b"ok\n\xff\xfe\xfd"))


def test_an_image_where_a_text_should_be_is_told_where_it_goes(pipe, tmp_path):
    image = b"\x89PNG\r\n\x1a\n\x00\xff"
    (tmp_path / "cat.png").write_bytes(image)
    piped, named = {"stdin": pipe(image)}, {"file": ["cat.png"], "cwd": tmp_path}
    for given, words in ((piped, "chat --image -`"), (named, "chat --image cat.png`")):
        with pytest.raises(UsageError, match="is image/png, not text") as fault:
            make(**given)
        assert words in fault.value.hint
    with pytest.raises(UsageError, match="not UTF-8"):
        make(stdin=pipe("BM fährt vor und zurück".encode("latin-1")))


def test_files_are_read_where_values_are_taken(tmp_path):
    (tmp_path / "a.txt").write_text("from a file")
    request = make(cwd=tmp_path, chat_template=["@a.txt"], file=["a.txt"], prompt=[r"\@here"])
    assert request.body["chat_template"] == "from a file"
    assert request.body["messages"][0]["content"] == "@here\n\nfrom a file"
    with pytest.raises(UsageError, match="--chat-template: cannot read b.txt"):
        make(cwd=tmp_path, chat_template=["@b.txt"])


def test_a_prompt_file_keeps_its_last_newline_and_says_so(tmp_path):
    (tmp_path / "p.txt").write_text("def f(\n")
    request = make(COMPLETE, cwd=tmp_path, prompt=["@p.txt"])
    assert request.body["prompt"] == "def f(\n"
    assert request.notices == ["the prompt ends with a newline, and the model sees it"]


def test_a_line_of_a_file_keeps_its_newline_and_says_so(tmp_path):
    (tmp_path / "line").write_text("END\n")
    (tmp_path / "bare").write_text("END")
    (tmp_path / "page").write_text("root ::= a\na ::= b\n")
    for given in ({"stop": ["@line"]}, {"sugar_regex": ["@line"]}, {"model": ["@line"]}):
        assert "ends with a newline" in make(cwd=tmp_path, **given).notices[0]
    for given in ({"stop": ["@bare", "a\n"]}, {"sugar_grammar": ["@page"]}):
        assert make(cwd=tmp_path, **given).notices == []


def test_prompts_are_literal_unless_escapes_are_asked_for():
    assert make(COMPLETE, prompt=[r"a\nb"]).body["prompt"] == r"a\nb"
    assert make(COMPLETE, prompt=[r"a\nb"], escape=True).body["prompt"] == "a\nb"


@pytest.mark.parametrize("text", ["[1]", '"x"', "{"])
def test_a_body_that_is_no_object_is_refused(text):
    with pytest.raises(UsageError, match="^-d: "):
        make(body=[text])


def test_a_message_without_a_role_is_refused():
    with pytest.raises(UsageError, match="role:text"):
        make(message=["Hello there"])


def test_what_contradicts_itself_is_refused():
    with pytest.raises(UsageError, match="both set chat_template_kwargs.enable_thinking"):
        make(sugar_thinking=False, chat_template_kwargs=["enable_thinking=true"])
    with pytest.raises(UsageError, match="--prefill needs continue_final_message"):
        make(prefill=["Sure"], continue_final_message=False)
    with pytest.raises(UsageError, match="both give the prompt"):
        make(COMPLETE, prompt=["a"], sugar_prompt_tokens=["1"])
    with pytest.raises(UsageError, match="a whole body"):
        make(messages=['{"messages": [{"role": "user", "content": "x"}]}'])
    with pytest.raises(UsageError, match=r"a path has no \[i\]"):
        make(option=["messages[0].content=x"])


def test_choices_may_be_json():
    assert make(sugar_choice=['["a", "b"]', "c"]).body["structured_outputs"]["choice"] == [
        "a", "b", "c",
    ]  # fmt: skip


def test_unset_forgets_whole_lists():
    request = make(body=['{"messages": [], "seed": 1}'], unset=["messages"])
    assert [path for path in request.origins if path.startswith("messages")] == []


@pytest.mark.parametrize("view", ["show_logprobs", "save_html", "save_svg"])
def test_alternatives_are_asked_for_when_they_are_to_be_shown(view):
    request = make(**{view: ["heat"]}, alternatives=["2"])
    assert (request.body["logprobs"], request.body["top_logprobs"]) == (True, 2)
    assert origin(request, "top_logprobs") == "implied by --alternatives"
    assert request.notices == []
    request = make(name=COMPLETE, **{view: ["heat"]}, alternatives=["2"])
    assert request.body["logprobs"] == 2
    assert "top_logprobs" not in request.body


def test_fewer_alternatives_than_are_to_be_shown_are_told():
    fewer = make(show_logprobs=["heat"], alternatives=["3"], top_logprobs=["1"])
    assert fewer.body["top_logprobs"] == 1
    told = "--alternatives 3 finds only 1: top_logprobs is set by --top-logprobs"
    assert told in fewer.notices
    for enough in ("3", "5", "-1"):
        request = make(show_logprobs=["heat"], alternatives=["3"], top_logprobs=[enough])
        assert told[:14] not in " ".join(request.notices)
    none = make(show_logprobs=["heat"], alternatives=["3"], unset=["top_logprobs"])
    assert "top_logprobs" not in none.body


@pytest.mark.parametrize("view", ["show_logprobs", "save_html", "save_svg"])
def test_logprobs_that_are_to_be_shown_are_not_turned_off(view):
    flag = "--" + view.replace("_", "-")
    assert origin(make(**{view: ["heat"]}), "logprobs") == f"implied by {flag}"
    for off, source in (
        ({"logprobs": False}, "--no-logprobs"),
        ({"option": ["logprobs:=null"]}, "-o logprobs"),
        ({"unset": ["logprobs"]}, "--unset logprobs"),
        ({"layers": [layer({"logprobs": False})]}, "profile p"),
    ):
        with pytest.raises(UsageError, match=f"{flag} needs logprobs, and {source} turns it off"):
            make(**{view: ["heat"]}, **off)
    assert make(name=COMPLETE, **{view: ["heat"]}, logprobs=["0"]).body["logprobs"] == 0
