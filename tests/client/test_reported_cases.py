"""Odd answers from public reports, each read as an excellent client would.

``tests/data/cases/kind_b.jsonl`` has what happened and what is expected. ``ELSEWHERE`` names
those that are not about reading an answer of chat or completions.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.replay import cases, logprobs_of, made_response, reasoning_of, replayed, text_of
from tests.client.servers import reset, serving, stream_head
from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Finish, Notice, Started, Usage
from vllmctl.client.failures import refusal
from vllmctl.client.hints import Asked
from vllmctl.client.server import Server
from vllmctl.client.stream import read_answer
from vllmctl.client.transport import open_exchange
from vllmctl.client.url import parse_server_url
from vllmctl.errors import HttpStatusError, IncompleteAnswerError

ELSEWHERE = {
    "b025": "the stream of /v1/responses",
    "b082": "the answer of /v1/responses",
    "b059": "test_transport: waiting as long as a busy server asks",
    "b063": "test_url",
    "b065": "test_url",
    "b066": "test_url",
    "b067": "test_proxy",
    "b069": "test_transport: an unknown authority",
    "b071": "test_transport: every address of a host",
    "b075": "test_transport: limits",
}

TEXTS = {
    "b001": "Hello 🌍!",
    "b003": "ok",
    "b005": "x",
    "b007": "z",
    "b008": "k",
    "b009": "crlf",
    "b011": "cr",
    "b016": "hi",
    "b018": "abc",
    "b019": "t",
    "b021": "Hel",
    "b022": "done?",
    "b026": "42",
    "b028": "",
    "b030": "",
    "b031": "",
    "b032": "Let me look. ",
    "b037": "x",
    "b038": "",
    "b039": "...",
    "b043": "?",
    "b045": "😀",
    "b046": " x",
    "b048": "real",
    "b049": "one two",
    "b061": "zip",
    "b073": "x" * 200_000,
    "b077": "A1 A2",
    "b079": "parts",
    "b081": "w",
}
"""The text of those answers that are complete."""


def reads_of(case: dict[str, Any]) -> list[bytes]:
    given = case["input"]
    if "chunks_hex" in given:
        return [bytes.fromhex(text) for text in given["chunks_hex"]]
    if "generate" in given:
        return [*_long_line()]
    if "chunks" in given:
        return [text.encode() for text in given["chunks"]]
    if "body_gzip_of" in given:
        return [gzip.compress(given["body_gzip_of"].encode())]
    return [given["body"].encode()]


def _long_line() -> list[bytes]:
    deltas = [{"role": "assistant", "content": ""}, {"content": "x" * 200_000}, {}]
    ends = [None, None, "stop"]
    chunks = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in zip(deltas, ends, strict=True)
    ]
    return [*(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks), b"data: [DONE]\n\n"]


def played(name: str) -> tuple[Answer, list[Event]]:
    """Read the case as it came, and in pieces; both must say the same."""
    case = cases()[name]
    given = case["input"]
    headers = given.get("headers") or {"content-type": given.get("content_type", "")}
    expected = 2 if name == "b077" else 1
    reads = reads_of(case)
    answer, events = replayed(reads, headers, expected=expected)
    if len(b"".join(reads)) < 5000:
        every_byte = [bytes([byte]) for byte in b"".join(reads)]
        again, _ = replayed(every_byte, headers, expected=expected)
        assert again.as_response() == answer.as_response()
        assert str(again.failure) == str(answer.failure)
    return answer, events


def notices(events: list[Event]) -> str:
    return "\n".join(event.text for event in events if isinstance(event, Notice))


def failure(answer: Answer) -> IncompleteAnswerError:
    assert isinstance(answer.failure, IncompleteAnswerError)
    assert answer.failure.exit_code == 7
    return answer.failure


def refused(name: str, **asked: Any) -> HttpStatusError:
    given = cases()[name]["input"]
    got = made_response([given["body"].encode()], given["headers"], given["status"], "")
    return refusal(got, Asked(**asked))


def test_every_case_has_its_place() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    missing = [name for name in cases() if f'"{name}"' not in text]
    assert missing == []


@pytest.mark.parametrize("name", TEXTS)
def test_a_complete_answer_gives_its_text(name: str) -> None:
    answer, events = played(name)
    assert answer.failure is None
    assert answer.text == text_of(events) == TEXTS[name]


def test_comments_wrapped_as_data_are_skipped_and_told_once() -> None:
    _, events = played("b007")
    assert notices(events) == "skipped what is no part of an answer: ': UPSTREAM PROCESSING'"
    _, events = played("b008")
    assert notices(events) == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("b012", "TimeoutError (504)"),
        ("b014", "This model's maximum context length is 128000 tokens. (400)"),
        ("b015", "greater than max allowed: 20 (400)"),
    ],
)
def test_an_error_in_a_stream_is_never_an_empty_success(name: str, words: str) -> None:
    answer, events = played(name)
    assert words in failure(answer).message
    assert text_of(events) == ""


def test_an_error_in_a_stream_says_what_to_do() -> None:
    assert "--max-logprobs" in failure(played("b015")[0]).hint
    assert "--max-tokens" in failure(played("b014")[0]).hint


@pytest.mark.parametrize(
    ("name", "usage"), [("b016", (26, 4, 30)), ("b018", (10, 3, 13))], ids=["late", "each chunk"]
)
def test_the_last_usage_counts(name: str, usage: tuple[int, int, int]) -> None:
    answer, events = played(name)
    assert answer.usage
    keys = ("prompt_tokens", "completion_tokens", "total_tokens")
    assert tuple(answer.usage[key] for key in keys) == usage
    assert [event for event in events if isinstance(event, Usage)]


def test_usage_that_was_not_reported_is_not_invented() -> None:
    answer, events = played("b019")
    assert answer.usage is None
    assert answer.as_response()["usage"] is None
    assert not [event for event in events if isinstance(event, Usage)]


def test_an_end_without_a_finish_is_a_cut() -> None:
    answer, events = played("b020")
    assert text_of(events) == "Hello"
    assert "ended before the answer was complete" in failure(answer).message


def test_done_without_a_finish_reason_is_complete_and_noted() -> None:
    for name in ("b021", "b038"):
        answer, events = played(name)
        assert answer.failure is None
        assert notices(events) == "the server gave no finish_reason"


def test_a_finish_without_done_is_complete() -> None:
    assert notices(played("b022")[1]) == ""


def test_a_reset_inside_a_tool_call_keeps_what_came() -> None:
    chunks = [text.encode() for text in cases()["b024"]["input"]["chunks"]]
    with (
        serving([stream_head() + b"".join(chunks), 0.1, reset]) as served,
        open_exchange(Server(parse_server_url(served.url)), "POST", "/v1/x") as response,
    ):
        answer = Answer()
        events = [event for batch in read_answer(response, answer) for event in batch]
    assert "cut" in failure(answer).message
    (call,) = answer[0].calls
    assert (call.name, call.arguments, call.is_complete) == ("write", '{"path": "/tmp/a', False)
    assert events


def test_both_names_of_reasoning_are_read() -> None:
    _, events = played("b026")
    assert reasoning_of(events) == "think more"


CALLS = {
    "b028": [("call_1", "ls", '{"p":"/"}')],
    "b030": [("no-id-0", "read", '{"f":"a.ts"}')],
    "b031": [("c1", "w", '{"a":1}')],
    "b032": [("a", "one", "{}"), ("b", "two", "{}")],
    "b038": [("c1", "get_current_weather", '{"location": "Oslo"}')],
}


@pytest.mark.parametrize("name", CALLS)
def test_tool_calls_are_put_together(name: str) -> None:
    answer, _ = played(name)
    message = answer.as_response()["choices"][0]["message"]
    calls = message["tool_calls"]
    found = [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls]
    assert found == CALLS[name]
    assert all(call.is_complete for call in answer[0].calls)


def test_an_answer_that_is_all_reasoning_is_explained() -> None:
    answer, events = played("b033")
    assert answer.failure is None
    assert text_of(events) == ""
    assert reasoning_of(events) == "Let me think step by step..."
    assert "all 64 tokens went to reasoning" in notices(events)
    assert "--thinking-token-budget" in notices(events)


def test_an_abort_is_a_failure_with_its_text_kept() -> None:
    answer, events = played("b035")
    assert text_of(events) == "half an ans"
    assert "'abort'" in failure(answer).message


def test_an_unknown_finish_reason_is_passed_on_and_noted() -> None:
    _, events = played("b037")
    assert [e.reason for e in events if isinstance(e, Finish)] == ["insufficient_system_resource"]
    assert "'insufficient_system_resource' is unknown" in notices(events)


def test_a_stop_token_is_a_number() -> None:
    _, events = played("b039")
    assert [e for e in events if isinstance(e, Finish)] == [Finish(0, "stop", 151643)]


def test_logprobs_come_as_they_are() -> None:
    assert logprobs_of(played("b043")[1]) == ["token_id:76460", "token_id:222"]
    assert [token["bytes"] for token in logprobs_of(played("b045")[1])] == [[240, 159], [152, 128]]
    (choice,) = played("b046")[0].as_response()["choices"]
    assert choice["prompt_logprobs"][0] is None


def test_the_role_alone_is_no_token() -> None:
    reads = [text.encode() for text in cases()["b048"]["input"]["chunks"]]
    ticks = iter(range(100))
    answer = Answer(sent=-1.0, clock=lambda: float(next(ticks)))
    for _ in read_answer(made_response(reads, {"content-type": "text/event-stream"}), answer):
        pass
    times = answer.timings
    assert (times.first_byte, times.first_token, times.last_token, times.ended) == (1, 3, 3, 6)
    assert answer.chunks == 1


def test_the_last_chunk_may_carry_text() -> None:
    _, events = played("b049")
    assert [e for e in events if isinstance(e, Finish)] == [Finish(0, "length", None)]


def test_choices_that_interleave_stay_apart() -> None:
    answer, events = played("b077")
    assert text_of(events, 1) == answer[1].text == "B1 B2"
    assert {e.index: e.reason for e in events if isinstance(e, Finish)} == {0: "length", 1: "stop"}


def test_keep_alives_in_the_shape_of_chunks_count_for_nothing() -> None:
    answer, events = played("b081")
    assert [e.meta["id"] for e in events if isinstance(e, Started)] == ["chatcmpl-1"]
    assert answer.chunks == 1


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("b041", "500 Internal Server Error", "echo, top_k or top_p"),
        (
            "b050",
            "400 Bad Request: This model's maximum context length is 8192 tokens. "
            "However, you requested 9001 tokens.",
            "--max-tokens",
        ),
        ("b051", "500 Internal Server Error: InternalServerError, without a message", "a schema"),
        ("b052", "401 Unauthorized", "VLLMCTL_API_KEY"),
        ("b054", "400 Bad Request: the request has no body", ""),
        ("b055", "400 Bad Request: messages[0].id: Extra inputs are not permitted (got 4711)", ""),
        ("b058", "502 Bad Gateway from nginx/1.24.0, not vLLM", "is vLLM up"),
    ],
)
def test_an_error_is_one_clear_message(name: str, message: str, hint: str) -> None:
    error = refused(name)
    assert error.message == message
    assert hint in error.hint


def test_both_shapes_of_an_error_say_the_same() -> None:
    flat = json.loads(cases()["b050"]["input"]["body"])
    nested = {"error": {**flat, "code": "400"}}
    got = made_response([json.dumps(nested).encode()], {}, 400, "")
    assert refusal(got, Asked()).message == refused("b050").message


def test_a_refused_key_names_its_source_and_not_itself() -> None:
    error = refused("b052", key_source="VLLMCTL_API_KEY")
    assert "does not take the key from VLLMCTL_API_KEY" in error.hint
    assert "/health" in refused("b052").hint


def test_an_error_object_under_200_is_an_error() -> None:
    answer, _ = played("b056")
    assert isinstance(answer.failure, HttpStatusError)
    assert (answer.failure.status, answer.failure.exit_code) == (400, 4)
    assert "vllmctl complete" in answer.failure.hint
