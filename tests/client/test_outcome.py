"""What is said of an answer and of several, once it is whole."""

from typing import Any

import pytest

from vllmctl.client.answer import Answer
from vllmctl.client.outcome import remarks


def answer(*choices: dict[str, Any]) -> Answer:
    made = Answer()
    numbered = [{"index": n, **choice} for n, choice in enumerate(choices)]
    made.take_whole({"object": "chat.completion", "choices": numbered}, [])
    return made


THOUGHT = {"message": {"reasoning": "Hm"}, "finish_reason": "length"}
SAID = {"message": {"content": "Yes"}, "finish_reason": "stop"}
ODD = {"message": {"content": "Yes"}, "finish_reason": "why"}


def test_what_holds_for_several_answers_is_said_once_with_their_numbers() -> None:
    assert len(remarks(answer(THOUGHT, THOUGHT, THOUGHT))) == 1
    assert remarks(answer(THOUGHT, THOUGHT, THOUGHT))[0].endswith(" (answers 1, 2 and 3)")
    assert remarks(answer(SAID, THOUGHT))[0].endswith(" (answer 2)")
    assert remarks(answer(*[ODD] * 40)) == ["the finish_reason 'why' is unknown (40 of 40 answers)"]


def test_a_single_answer_needs_no_number() -> None:
    assert remarks(answer(ODD)) == ["the finish_reason 'why' is unknown"]


@pytest.mark.parametrize(
    ("message", "end", "words"),
    [
        ({"reasoning": "3.15 and 3."}, {"finish_reason": "stop", "stop_reason": "3.4"},
         'the stop string "3.4" came in the reasoning, so there is no text'),
        ({"reasoning": "Hm"}, {"finish_reason": "stop"}, "all of the answer came as reasoning"),
        ({"reasoning": "Hm", "content": "\n\n"}, {"finish_reason": "stop"}, "so there is no text"),
        ({"reasoning": "Hm"}, {"finish_reason": "length"}, "all tokens went to reasoning"),
        ({"content": None}, {"finish_reason": "stop"}, "the answer is empty"),
        ({"content": ""}, {"finish_reason": "length"}, "the answer is empty"),
    ],
)  # fmt: skip
def test_an_answer_without_text_says_why(message, end, words) -> None:
    (told,) = remarks(answer({"message": message, **end}))
    assert words in told


@pytest.mark.parametrize(
    "message", [{"refusal": "No"}, {"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]
)
def test_a_refusal_or_a_call_is_an_answer(message) -> None:
    assert remarks(answer({"message": message, "finish_reason": "stop"})) == []
