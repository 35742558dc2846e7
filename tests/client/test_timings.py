"""When things came: thinking, and the gaps between chunks."""

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Reasoning, Text, Thought


def piece(index: int = 0, finish: str | None = None, **delta: object) -> dict[str, object]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def read(*reads: tuple[float, dict[str, object]]) -> tuple[Answer, list[Event]]:
    """Take a chunk at each time."""
    now = [0.0]
    answer, events = Answer(sent=0.0, clock=lambda: now[0]), list[Event]()
    for time, chunk in reads:
        now[0] = time
        answer.arrived()
        answer.take(chunk, events)
    return answer, events[1:]


def test_the_end_of_thinking_is_told_before_the_text() -> None:
    answer, events = read(
        (1.0, piece(reasoning="a")), (3.0, piece(reasoning="b")), (5.0, piece(content="c"))
    )
    assert events == [Reasoning(0, "ab"), Thought(0, 2.0, 2), Text(0, "c")]
    assert (answer[0].thinking.seconds, answer[0].thinking.chunks) == (2.0, 2)


def test_thinking_ends_with_a_call_a_refusal_or_the_choice() -> None:
    call = {"index": 0, "function": {"name": "f", "arguments": ""}}
    for end in (piece(tool_calls=[call]), piece(refusal="no"), piece(finish="length")):
        _, events = read((1.0, piece(reasoning="a")), (2.0, end))
        assert events[1] == Thought(0, 0.0, 1)


def test_thinking_that_goes_on_is_added_up() -> None:
    answer, _ = read(
        (1.0, piece(reasoning="a")), (2.0, piece(reasoning="b")), (3.0, piece(content="c")),
        (7.0, piece(reasoning="d")), (9.0, piece(reasoning="e")),
    )  # fmt: skip
    assert (answer[0].thinking.seconds, answer[0].thinking.chunks) == (3.0, 4)


def test_reasoning_and_text_in_one_chunk_are_both_there() -> None:
    _, events = read((1.0, piece(reasoning="a", content="b")))
    assert events == [Reasoning(0, "a"), Thought(0, 0.0, 1), Text(0, "b")]


def test_gaps_are_between_reads_of_the_same_choice() -> None:
    answer, _ = read(
        (1.0, piece(0, content="a")), (1.5, piece(1, content="b")), (3.0, piece(0, content="c")),
        (3.0, piece(0, content="d")), (3.5, piece(1, content="e")), (9.0, piece(0, role="x")),
    )  # fmt: skip
    assert list(answer.gaps) == [2.0, 2.0]
    assert (answer.timings.first_token, answer.timings.last_token) == (1.0, 3.5)
