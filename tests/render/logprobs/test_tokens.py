"""Tokens out of the shapes in which servers give log-probabilities."""

import math

import pytest

from vllmctl.client.answer import Answer
from vllmctl.render.logprobs.tokens import (
    Token,
    prompt_tokens_of,
    read_logprobs,
    read_prompt_logprobs,
    tokens_of,
)


def chat(token: str, logprob: object, data: object = None, top: list[dict] | None = None) -> dict:
    return {"token": token, "logprob": logprob, "bytes": data, "top_logprobs": top or []}


def answer(**response: object) -> Answer:
    whole = Answer()
    whole.take_whole(response, [])
    return whole


def test_chat_token_has_text_bytes_and_alternatives_without_itself() -> None:
    own = {"token": " a", "logprob": -0.5, "bytes": [32, 97]}
    other = {"token": "b", "logprob": -2, "bytes": [98]}
    least = {"token": "c", "logprob": -9999.0, "bytes": [99]}
    [token] = read_logprobs({"content": [chat(" a", -0.5, [32, 97], [own, least, other])]})
    assert (token.text, token.logprob, token.data) == (" a", -0.5, b" a")
    assert [(t.text, t.logprob) for t in token.alternatives] == [("b", -2.0), ("c", -math.inf)]


def test_completion_lists_are_read_together() -> None:
    logprobs = {
        "tokens": ["The", "\n"],
        "token_logprobs": [None, -1.5],
        "top_logprobs": [None, {"\n": -1.5, ",": -2.0}],
        "text_offset": [0, 3],
    }
    first, second = read_logprobs(logprobs)
    assert (first.text, first.logprob, first.alternatives) == ("The", None, [])
    assert (second.logprob, [t.text for t in second.alternatives]) == (-1.5, [","])


@pytest.mark.parametrize(
    ("given", "logprob"),
    [
        (-0.5, -0.5),
        (0, 0.0),
        (-9999.0, -math.inf),
        (-10000, -math.inf),
        ("-inf", -math.inf),
        (-math.inf, -math.inf),
        (None, None),
        (math.nan, None),
        ("text", None),
        (True, None),
    ],
)
def test_logprob_is_a_number_minus_infinity_or_nothing(given: object, logprob: object) -> None:
    assert read_logprobs({"content": [chat("a", given)]})[0].logprob == logprob


def test_token_named_by_its_id_has_the_text_of_its_bytes() -> None:
    spelled = {"token": "token_id:630", "logprob": -0.1, "bytes": [*b"token_id:630"]}
    other = {"token": "token_id:5", "logprob": -3.0, "bytes": [*b"token_id:5"]}
    [token] = read_logprobs(
        {"content": [chat("token_id:630", -0.1, [*b"Hello"], [spelled, other])]}
    )
    assert (token.text, token.id) == ("Hello", 630)
    assert token.alternatives == [Token(None, -3.0, None, 5)]


def test_token_known_by_its_id_alone_has_no_text() -> None:
    logprobs = {"tokens": ["token_id:7"], "token_logprobs": [-1], "top_logprobs": None}
    assert read_logprobs(logprobs) == [Token(None, -1.0, None, 7)]


def test_prompt_has_nothing_before_its_first_token() -> None:
    entries = [
        None,
        {
            "642": {"logprob": -9.4, "rank": 833, "decoded_token": "us"},
            "201": {"logprob": -1.4, "rank": 1, "decoded_token": "\n"},
        },
    ]
    first, second = read_prompt_logprobs(entries)
    assert first == Token(None, None)
    assert (second.text, second.id, second.rank) == ("us", 642, 833)
    assert second.alternatives == [Token("\n", -1.4, b"\n", 201, 1)]


def test_ids_of_the_prompt_tell_its_own_tokens() -> None:
    entry = {"1": {"logprob": -1.0, "decoded_token": "a"}, "2": {"logprob": -3.0}}
    assert [t.id for t in read_prompt_logprobs([None, entry], [9, 2])] == [9, 2]


@pytest.mark.parametrize("entries", [None, [], {}, "x", [None]])
def test_prompt_without_logprobs_is_no_fault(entries: object) -> None:
    assert all(token.logprob is None for token in read_prompt_logprobs(entries))


@pytest.mark.parametrize(
    "logprobs",
    [{}, {"content": None}, {"content": [None, 3]}, {"tokens": "x"}, {"content": []}],
)
def test_odd_shapes_have_no_tokens(logprobs: dict) -> None:
    assert read_logprobs(logprobs) == []


def test_prompt_logprobs_stand_in_the_choice_or_beside_the_choices() -> None:
    entries = [None, {"5": {"logprob": -1.0, "rank": 2, "decoded_token": "x"}}]
    choice = {"index": 0, "text": "y", "prompt_logprobs": entries}
    completion = answer(choices=[choice], usage={"prompt_tokens": 2})
    chat_answer = answer(
        choices=[{"index": 0, "message": {"content": "y"}}],
        usage={"prompt_tokens": 2},
        prompt_logprobs=entries,
    )
    assert prompt_tokens_of(completion) == prompt_tokens_of(chat_answer)
    assert [token.text for token in prompt_tokens_of(completion)] == [None, "x"]


def test_ids_of_the_answer_are_its_tokens_ids() -> None:
    logprobs = {"content": [chat("a", -1.0), chat("b", -1.0)]}
    choice = {"index": 0, "message": {"content": "ab"}, "logprobs": logprobs, "token_ids": [4, 5]}
    assert [token.id for token in tokens_of(answer(choices=[choice]))] == [4, 5]


def test_answer_without_logprobs_has_no_tokens() -> None:
    assert tokens_of(answer(choices=[{"index": 0, "message": {"content": "ab"}}])) == []
