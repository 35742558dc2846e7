"""What is said of an answer and of several, once it is whole."""

from typing import Any

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
