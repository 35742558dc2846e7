"""What is claimed of the server's ways, asked of a real one."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

pytestmark = pytest.mark.live

CHAT: dict[str, Any] = {
    "messages": [{"role": "user", "content": "Hello there"}],
    "max_tokens": 8,
    "temperature": 0,
}
COMPLETE = {"prompt": "Hello there", "max_tokens": 8, "temperature": 0}
PATHS = {"chat": ("/v1/chat/completions", CHAT), "complete": ("/v1/completions", COMPLETE)}
CHAT_ONLY = {
    "add_generation_prompt": False,
    "continue_final_message": True,
    "chat_template": "x",
    "chat_template_kwargs": {"a": 1},
    "documents": [],
    "return_prompt_text": True,
}


@pytest.fixture
def ask(live_url):
    """Send fields on top of a small request; return the status and the answer."""

    def send(kind, **fields):
        path, body = PATHS[kind]
        request = urllib.request.Request(
            live_url.rstrip("/") + path,
            json.dumps({**body, **fields}).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.loads(refusal.read())

    return send


def text(answer):
    choice = answer[1]["choices"][0]
    return choice["text"] if "text" in choice else choice["message"]["content"] or ""


@pytest.mark.parametrize("kind", PATHS)
@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"top_k": -1}, 200),
        ({"top_k": 0}, 200),
        ({"top_k": -2}, 400),
        ({"top_p": 1}, 200),
        ({"top_p": 0}, 400),
        ({"priority": 5}, 200),
        ({"cache_salt": "a" * 128}, 200),
        ({"cache_salt": "a" * 129}, 400),
        ({"watermarking": True}, 200),
        ({"best_of": 3}, 200),
        ({"detokenize": False}, 200),
        ({"truncate_prompt_tokens": -1}, 200),
        ({"truncate_prompt_tokens": 0}, 400),
        ({"stop": ["a", "b", "c", "d", "e"]}, 400),
        ({"logprob_token_ids": [1]}, 400),
        ({"vllm_xargs": {"top_p": 9}}, 200),
        ({"repetition_detection": {"max_pattern_size": 4}}, 400),
    ],
    ids=str,
)
def test_the_server_takes_and_refuses_as_is_said(ask, kind, fields, status):
    assert ask(kind, **fields)[0] == status


def test_chat_echoes_an_assistant_message_only(ask):
    assert "Hello there" not in text(ask("chat", echo=True))
    prefilled = [*CHAT["messages"], {"role": "assistant", "content": "Well"}]
    begun = ask(
        "chat",
        messages=prefilled,
        echo=True,
        continue_final_message=True,
        add_generation_prompt=False,
    )
    assert text(begun).startswith("Well")
    assert text(ask("complete", echo=True)).startswith("Hello there")


def test_continue_final_message_needs_the_other_switch_off(ask):
    assert ask("chat", continue_final_message=True)[0] == 400


@pytest.mark.parametrize("name", CHAT_ONLY)
def test_completions_ignores_fields_of_chat(ask, name):
    assert text(ask("complete", **{name: CHAT_ONLY[name]})) == text(ask("complete"))


@pytest.mark.parametrize("name", ["mm_processor_kwargs", "media_io_kwargs"])
def test_completions_refuses_media_settings_that_are_not_its_own(ask, name):
    assert ask("complete", **{name: {"image": {}}})[0] == 400


def test_beam_search_still_works_and_n_is_its_width(ask):
    status, answer = ask("complete", use_beam_search=True, n=2)
    assert status == 200
    assert len({choice["text"] for choice in answer["choices"]}) == 2


def test_stop_strings_end_an_answer_that_ignores_its_end_token(ask):
    _, answer = ask("complete", ignore_eos=True, stop=["a", "e"], max_tokens=60)
    assert answer["choices"][0]["finish_reason"] == "stop"


def test_stop_strings_wait_for_min_tokens(ask):
    _, answer = ask("complete", min_tokens=20, stop=["a", "e", "o"], max_tokens=40)
    assert answer["usage"]["completion_tokens"] >= 20


def test_a_prompt_that_is_too_long_is_cut_by_minus_one(ask):
    assert ask("complete", prompt=[5] * 3000, truncate_prompt_tokens=-1)[0] == 200
    assert ask("complete", prompt=[5] * 3000)[0] == 400


def test_tokens_are_named_by_id_in_logprobs_only(ask):
    _, answer = ask("complete", return_tokens_as_token_ids=True, logprobs=0)
    assert answer["choices"][0]["logprobs"]["tokens"][0].startswith("token_id:")
    assert "token_id:" not in answer["choices"][0]["text"]


def test_the_prompts_text_does_not_come_back(ask):
    assert ask("chat", return_prompt_text=True)[1]["prompt_text"] is None


def test_transfer_parameters_are_not_echoed(ask):
    assert ask("complete", kv_transfer_params={"a": 1})[1]["kv_transfer_params"] is None


def test_a_bad_word_inside_a_longer_token_gets_through(ask):
    free = text(ask("complete", max_tokens=40, ignore_eos=True))
    word = next(word for word in free.split() if word.isalpha() and len(word) > 4)
    inside = word[1:]
    assert inside in text(ask("complete", max_tokens=40, ignore_eos=True, bad_words=[inside]))


def test_completions_take_null_for_sixteen_tokens_and_chat_goes_on(ask):
    assert ask("complete", max_tokens=None, ignore_eos=True)[1]["usage"]["completion_tokens"] == 16
    assert ask("chat", max_tokens=None, ignore_eos=True)[1]["usage"]["completion_tokens"] > 16
