"""Limits, stops and preferences of a request shape what is generated."""

from math import exp
from typing import Any

import pytest

from tests.mock.asking import NO_THINKING, Reply, app, chat, complete, content, streamed_text
from vllmctl.mock.tokenizer import encode

SAID = "one two three four five"


def said(**fields: Any) -> Reply:
    return chat(app(reply=SAID), **NO_THINKING, **fields)


def choice(reply: Reply, index: int = 0) -> Any:
    return reply.json["choices"][index]


def ends(reply: Reply) -> tuple[Any, Any]:
    first = choice(reply)
    return first["finish_reason"], first["stop_reason"]


def test_the_reply_is_what_was_set() -> None:
    assert content(said()) == SAID
    assert ends(said()) == ("stop", None)


def test_echo_replies_with_the_user() -> None:
    assert content(chat(app(reply="echo"), **NO_THINKING)) == "Hello"


def test_thinks_by_default_and_not_when_told() -> None:
    thoughtful = app(reasoning="Hm.")
    assert choice(chat(thoughtful))["message"]["reasoning"] == "\nHm.\n"
    for field in (NO_THINKING, {"reasoning_effort": "none"}):
        assert choice(chat(thoughtful, **field))["message"]["reasoning"] is None


def test_a_thinking_budget_ends_the_thinking() -> None:
    answer = chat(thinking_token_budget=3).json
    assert answer["usage"]["completion_tokens_details"] == {"reasoning_tokens": 3}
    assert answer["choices"][0]["message"]["content"]


def test_reasoning_can_be_left_out() -> None:
    message = choice(chat(include_reasoning=False))["message"]
    assert message["reasoning"] is None
    assert message["content"]


def test_stops_at_max_tokens() -> None:
    reply = said(max_tokens=3)
    assert content(reply) == "one two three"
    assert ends(reply) == ("length", None)
    assert reply.json["usage"]["completion_tokens"] == 3


def test_goes_on_until_min_tokens() -> None:
    reply = said(min_tokens=20, max_tokens=40)
    assert reply.json["usage"]["completion_tokens"] >= 20
    assert content(reply).startswith(SAID)  # type: ignore[union-attr]


def test_goes_on_when_the_end_is_ignored() -> None:
    reply = said(ignore_eos=True, max_tokens=50)
    assert ends(reply) == ("length", None)
    assert reply.json["usage"]["completion_tokens"] == 50


@pytest.mark.parametrize("stream", [True, False])
def test_stop_strings_end_the_text(stream: bool) -> None:
    reply = said(stop=["hree", "zzz"], stream=stream)
    assert (streamed_text(reply) if stream else content(reply)) == "one two t"
    last = reply.events[-1]["choices"][0] if stream else choice(reply)
    assert (last["finish_reason"], last["stop_reason"]) == ("stop", "hree")


def test_a_stop_string_may_be_kept() -> None:
    reply = said(stop="hre", include_stop_str_in_output=True)
    assert content(reply) == "one two thre"


def test_stop_strings_wait_for_min_tokens() -> None:
    assert content(said(stop="two", min_tokens=4)) == SAID


def test_stop_tokens_end_the_text() -> None:
    token = encode(" three")[0]
    assert content(said(stop_token_ids=[token])) == "one two"
    assert ends(said(stop_token_ids=[token])) == ("stop", token)
    kept = said(stop_token_ids=[token], include_stop_str_in_output=True)
    assert content(kept) == "one two three"


def test_bias_forces_and_forbids_tokens() -> None:
    token = encode(" two")[0]
    assert content(said(logit_bias={str(token): 100}, max_tokens=3)) == " two two two"
    assert " two" not in (content(said(logit_bias={str(token): -100})) or "")
    assert " two" not in (content(said(bad_words=["two"])) or "")


def test_only_allowed_tokens_come() -> None:
    allowed = [encode(" two")[0], encode(" six")[0]]
    reply = said(allowed_token_ids=allowed, max_tokens=6, return_token_ids=True)
    assert set(choice(reply)["token_ids"]) <= set(allowed)


def test_repetition_ends_the_text() -> None:
    token = encode(" very")[0]
    reply = said(
        logit_bias={str(token): 100},
        max_tokens=50,
        repetition_detection={"max_pattern_size": 3, "min_count": 4},
    )
    assert content(reply) == " very very very very"
    assert ends(reply) == ("repetition", "repetition_detected")


def test_a_seed_repeats_and_chance_does_not() -> None:
    lorem = app(reply="lorem")

    def text(**fields: Any) -> str | None:
        return content(chat(lorem, **NO_THINKING, **fields))

    assert text(seed=1) == text(seed=1) != text(seed=2)
    assert text(temperature=0) == text(temperature=0)
    assert len({text() for _ in range(5)}) > 1
    assert len({text(seed=-1) for _ in range(5)}) > 1


def test_a_server_seed_makes_chance_repeat() -> None:
    replies = [content(chat(app(reply="lorem", seed=7))) for _ in range(2)]
    assert replies[0] == replies[1]


def test_n_choices_differ_and_are_counted() -> None:
    reply = chat(app(reply="lorem"), n=3, seed=1, **NO_THINKING)
    texts = [content(reply, index) for index in range(3)]
    assert len(set(texts)) == 3
    assert reply.json["usage"]["completion_tokens"] > len(texts[0] or "") // 8


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"n": 2, "seed": 1},
        {"max_tokens": 4, "temperature": 0},
        {"stop": ["the"], "seed": 3},
        {"stream_interval": 3, "temperature": 0},
        {"temperature": 0, **NO_THINKING},
    ],
    ids=str,
)
def test_a_stream_adds_up_to_the_whole_answer(fields: dict[str, Any]) -> None:
    mock = app(reply="lorem", seed=5)
    whole = chat(mock, **fields).json
    reply = chat(mock, **fields, stream=True, stream_options={"include_usage": True})
    for answer in whole["choices"]:
        index, message = answer["index"], answer["message"]
        assert streamed_text(reply, "content", index) == (message["content"] or "")
        assert streamed_text(reply, "reasoning", index) == (message["reasoning"] or "")
        last = [e["choices"][0] for e in reply.events[:-1] if e["choices"][0]["index"] == index]
        assert last[-1]["finish_reason"] == answer["finish_reason"]
    usage = reply.events[-1]["usage"]
    for count in ("prompt_tokens", "completion_tokens", "total_tokens"):
        assert usage[count] == whole["usage"][count]


def test_running_usage_counts_each_choice() -> None:
    options = {"include_usage": True, "continuous_usage_stats": True}
    reply = chat(stream=True, stream_options=options, max_tokens=5, **NO_THINKING)
    counts = [event["usage"]["completion_tokens"] for event in reply.events]
    assert counts == [0, 1, 2, 3, 4, 5, 5]


def test_usage_without_include_usage_is_not_sent() -> None:
    reply = chat(stream=True, stream_options={"continuous_usage_stats": True}, max_tokens=3)
    assert not any("usage" in event for event in reply.events)


def test_logprobs_are_of_the_tokens_said() -> None:
    reply = said(logprobs=True, top_logprobs=3, max_tokens=3)
    entries = choice(reply)["logprobs"]["content"]
    assert [entry["token"] for entry in entries] == ["one", " two", " three"]
    for entry in entries:
        top = entry["top_logprobs"]
        assert len(top) == 3
        assert top[0]["token"] == entry["token"]
        values = [one["logprob"] for one in top]
        assert values == sorted(values, reverse=True)
        assert bytes(entry["bytes"]).decode() == entry["token"]


def test_all_probabilities_together_are_no_more_than_one() -> None:
    reply = said(logprobs=True, top_logprobs=20, prompt_logprobs=20)
    said_tokens = [
        [one["logprob"] for one in entry["top_logprobs"]]
        for entry in choice(reply)["logprobs"]["content"]
    ]
    prompt = [
        [one["logprob"] for one in entry.values()]
        for entry in reply.json["prompt_logprobs"]
        if entry
    ]
    assert said_tokens
    assert prompt
    assert all(sum(map(exp, place)) <= 1 for place in [*said_tokens, *prompt])
    assert all(place == sorted(place, reverse=True) for place in said_tokens)


def test_logprobs_spell_a_split_character_at_its_last_token() -> None:
    reply = said(logprobs=True, structured_outputs={"choice": ["☃"]})
    spelt = [(e["token"], e["bytes"]) for e in choice(reply)["logprobs"]["content"][:3]]
    assert spelt == [("", []), ("", []), ("☃", [226, 152, 131])]


def test_completion_logprobs_have_offsets_into_the_text() -> None:
    answer = choice(complete(logprobs=2, max_tokens=5, echo=True))
    logprobs = answer["logprobs"]
    for offset, token in zip(logprobs["text_offset"], logprobs["tokens"], strict=True):
        assert answer["text"][offset:].startswith(token)
    assert logprobs["token_logprobs"][0] is None
    assert len(answer["prompt_logprobs"]) == 2


def test_prompt_logprobs_name_the_prompt() -> None:
    answer = choice(complete(prompt="The river runs", prompt_logprobs=1, return_token_ids=True))
    first, *rest = answer["prompt_logprobs"]
    assert first is None
    for token, entry in zip(answer["prompt_token_ids"][1:], rest, strict=True):
        assert str(token) in entry
        assert any(one["rank"] == 1 for one in entry.values())


def test_echo_alone_bills_one_token() -> None:
    answer = complete(prompt="The river", echo=True, max_tokens=0).json
    assert answer["choices"][0]["text"] == "The river"
    assert answer["usage"]["completion_tokens"] == 1


def test_each_prompt_has_its_choices() -> None:
    answer = complete(prompt=["The river", "A boat"], n=2, echo=True).json
    starts = [one["text"][:6] for one in answer["choices"]]
    assert starts == ["The ri", "The ri", "A boat", "A boat"]
    assert [one["index"] for one in answer["choices"]] == [0, 1, 2, 3]


def test_prompts_are_cut_as_asked() -> None:
    ids = encode("The river runs past the bridge")
    fields: dict[str, Any] = {"prompt": ids, "return_token_ids": True, "truncate_prompt_tokens": 2}
    assert choice(complete(**fields))["prompt_token_ids"] == ids[-2:]
    right = complete(**fields, truncation_side="right")
    assert choice(right)["prompt_token_ids"] == ids[:2]


def test_a_long_prompt_leaves_less_room() -> None:
    small = app(max_model_len=20)
    ids = [encode(" river")[0]] * 15
    answer = complete(small, prompt=ids, max_tokens=10).json
    assert answer["usage"]["total_tokens"] == 20
    assert complete(small, prompt=ids * 2).json["error"]["param"] == "input_tokens"


def test_a_prompt_seen_before_is_cached() -> None:
    mock = app(model="cached")
    ids = [encode(" river")[0]] * 300
    details = [
        complete(mock, prompt=ids).json["usage"]["prompt_tokens_details"]["cached_tokens"]
        for _ in range(2)
    ]
    assert details == [0, 256]


WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
TIME = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}}
ASKS = [{"role": "user", "content": "What is the weather in Rome?"}]


def called(reply: Reply) -> list[str]:
    calls = choice(reply)["message"].get("tool_calls", [])
    return [call["function"]["name"] for call in calls]


def test_calls_the_tool_that_the_user_speaks_of() -> None:
    reply = chat(messages=ASKS, tools=[TIME, WEATHER])
    assert called(reply) == ["get_weather"]
    assert choice(reply)["message"]["content"] is None
    assert ends(reply)[0] == "tool_calls"


def test_calls_none_when_nothing_fits_or_none_may() -> None:
    assert called(chat(tools=[TIME, WEATHER])) == []
    assert called(chat(messages=ASKS, tools=[WEATHER], tool_choice="none")) == []


def test_calls_what_it_must() -> None:
    assert called(chat(tools=[TIME, WEATHER], tool_choice="required")) == ["get_time"]
    named = {"type": "function", "function": {"name": "get_weather"}}
    reply = chat(tools=[TIME, WEATHER], tool_choice=named)
    assert called(reply) == ["get_weather"]
    assert ends(reply)[0] == "stop"


def test_answers_once_the_tool_has() -> None:
    turns = [
        *ASKS,
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "sunny"},
    ]
    assert called(chat(messages=turns, tools=[WEATHER])) == []


def test_a_streamed_call_adds_up() -> None:
    fields: dict[str, Any] = {"messages": ASKS, "tools": [WEATHER], "temperature": 0}
    whole = choice(chat(**fields))["message"]["tool_calls"][0]
    reply = chat(**fields, stream=True)
    pieces = [
        call
        for event in reply.events
        for call in event["choices"][0]["delta"].get("tool_calls", ())
    ]
    assert pieces[0]["function"] == {"name": "get_weather"}
    arguments = "".join(piece["function"]["arguments"] for piece in pieces[1:])
    assert arguments == whole["function"]["arguments"]
    assert all(piece["index"] == 0 for piece in pieces)


def test_beam_search_sends_each_beam_in_one_chunk() -> None:
    fields: dict[str, Any] = {"use_beam_search": True, "n": 2, "max_tokens": 6, **NO_THINKING}
    reply = chat(**fields, stream=True)
    assert len(reply.events) == 4
    assert chat(**fields).json["usage"]["prompt_tokens_details"] is None
