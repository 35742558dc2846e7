"""An answer is read as what it is, and one that is not complete is told as such."""

import json
from typing import Any

import pytest

from tests.client.replay import made_response, replayed, text_of
from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Failed, Finish, Notice, Raw, Started, Text, ToolCallDelta
from vllmctl.client.hints import Asked
from vllmctl.client.stream import RawForm, read_answer
from vllmctl.client.wire import CutError
from vllmctl.errors import HttpStatusError, IncompleteAnswerError, TimedOutError, VllmctlError

SSE = {"content-type": "text/event-stream; charset=utf-8"}
JSON = {"content-type": "application/json"}


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    kind = "chat.completion.chunk"
    return json.dumps({"id": "c", "object": kind, "choices": [choice], **more}).encode()


def event(data: bytes) -> bytes:
    return b"data: " + data + b"\n\n"


def stream(*texts: str, finish: str | None = "stop", done: bool = True) -> bytes:
    events = [event(chunk({"role": "assistant", "content": ""}))]
    events += [event(chunk({"content": text})) for text in texts]
    events += [event(chunk(finish=finish))] if finish else []
    return b"".join(events) + (b"data: [DONE]\n\n" if done else b"")


WHOLE = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "ab"}, "finish_reason": "stop"}
        ],
    }
).encode()


def shown(events: list[Event]) -> str:
    return text_of(events)


@pytest.mark.parametrize("headers", [SSE, JSON, {}, {"content-type": "text/plain"}])
@pytest.mark.parametrize("body", [stream("a", "b"), b"\xef\xbb\xbf" + stream("a", "b"), WHOLE])
def test_the_content_decides_and_not_its_label(headers: dict[str, str], body: bytes) -> None:
    for reads in ([body], [body[:1], body[1:]]):
        answer, events = replayed(reads, headers or {"x": "y"})
        assert shown(events) == "ab"
        assert answer.failure is None


@pytest.mark.parametrize(
    "before", [b": keep-alive\n\n", b"\n\n", b"id: 1\nretry: 5\n", b"event: x\n"]
)
def test_a_stream_may_begin_with_anything_of_a_stream(before: bytes) -> None:
    _, events = replayed([before, stream("a")], SSE)
    assert shown(events) == "a"


@pytest.mark.parametrize("headers", [SSE, JSON, {"content-type": "text/html"}])
def test_a_web_page_under_200_is_no_answer(headers: dict[str, str]) -> None:
    answer, _ = replayed([b"<!doctype html><title>Sign in</title>"], headers)
    assert isinstance(answer.failure, IncompleteAnswerError)
    assert "Sign in" in answer.failure.message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "no answer"),
        (b"hello", "no answer"),
        (b"d", "no answer"),
        (b"{}", "no answer in"),
        (b"[1]", "no answer in"),
        (b'{"choices": []}', "no answer in"),
        (WHOLE[:-5], "not JSON"),
        (b"data: [DONE]\n\n", "no answer"),
        (b": keep-alive\n\n", "no answer"),
    ],
)
def test_nothing_of_use_is_not_an_empty_answer(body: bytes, words: str) -> None:
    answer, events = replayed([body], SSE)
    assert isinstance(answer.failure, IncompleteAnswerError)
    assert words in answer.failure.message
    assert isinstance(events[-1], Failed)


def cut_after(*reads: bytes, error: VllmctlError) -> Any:
    yield from reads
    raise error


def read_cut(*reads: bytes, error: VllmctlError, **options: Any) -> tuple[Answer, list[Event]]:
    answer = Answer()
    response = made_response(cut_after(*reads, error=error), SSE)
    return answer, [e for batch in read_answer(response, answer, **options) for e in batch]


def test_text_that_is_no_json_is_quoted() -> None:
    answer, _ = replayed([b"hello"], JSON)
    assert str(answer.failure) == "the answer is not JSON: 'hello'"


@pytest.mark.parametrize("error", [CutError("cut"), TimedOutError("too late")])
def test_what_came_before_a_fault_is_shown_then_the_fault(error: VllmctlError) -> None:
    answer, events = read_cut(stream("a", finish=None, done=False), error=error)
    assert shown(events) == "a"
    assert answer.failure is error
    assert events[-1] == Failed(error)


def test_a_cut_in_an_event_is_a_cut_and_nothing_else() -> None:
    answer, events = read_cut(
        stream("a", finish=None, done=False) + b'data: {"ch', error=CutError("x")
    )
    assert str(answer.failure) == "x"
    assert shown(events) == "a"


def test_a_cut_after_every_choice_has_finished_is_no_fault() -> None:
    answer, _ = read_cut(stream("a", done=False), error=CutError("x"))
    assert answer.failure is None
    answer, _ = read_cut(stream("a", done=False), error=CutError("x"), expected=2)
    assert answer.failure is not None


def test_choices_that_never_came_make_a_stream_without_done_incomplete() -> None:
    answer, _ = replayed([stream("a", done=False)], SSE, expected=2)
    assert answer.failure is not None
    answer, _ = replayed([stream("a")], SSE, expected=2)
    assert answer.failure is None


def test_an_end_in_the_middle_of_an_event_is_told() -> None:
    answer, events = replayed([stream("a", finish=None, done=False) + chunk()[:20]], SSE)
    assert shown(events) == "a"
    assert answer.failure is not None
    answer, events = replayed([stream("a", finish=None, done=False) + event(chunk())[:20]], SSE)
    assert "in the middle of an event" in str(answer.failure)


def test_the_last_event_needs_no_blank_line() -> None:
    answer, _ = replayed([stream("a", done=False).rstrip()], SSE)
    assert answer.failure is None
    answer, _ = replayed([stream("a").rstrip()], SSE)
    assert (answer.done, answer.failure) == (True, None)


def test_an_event_that_cannot_be_read_is_told_after_all_the_others() -> None:
    body = stream("a", finish=None, done=False) + b"data: {broken\n\n" + stream("b")
    answer, events = replayed([body], SSE)
    assert shown(events) == "ab"
    assert "1 of the stream's events cannot be read" in str(answer.failure)
    assert "{broken" in str(answer.failure)


ERROR = b'{"error": {"message": "engine died (parameter=x)", "param": "x", "code": 500}}'


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b""])
def test_an_error_after_text_keeps_the_text(end: bytes) -> None:
    answer, events = replayed([stream("a", finish=None, done=False), event(ERROR) + end], SSE)
    assert shown(events) == "a"
    assert isinstance(answer.failure, IncompleteAnswerError)
    assert answer.failure.message == "the server failed while answering: engine died (500)"
    assert answer.failure.param == "x"


def test_nothing_is_waited_for_after_an_error() -> None:
    def then_hang() -> Any:
        yield event(ERROR)
        raise AssertionError("the reader wants more")

    answer = Answer()
    for _ in read_answer(made_response(then_hang(), SSE), answer):
        pass
    assert answer.failure


def test_nothing_is_waited_for_after_done() -> None:
    def then_hang() -> Any:
        yield stream("a")
        raise AssertionError("the reader wants more")

    answer = Answer()
    for _ in read_answer(made_response(then_hang(), SSE), answer):
        pass
    assert answer.failure is None


def test_an_error_event_of_unknown_shape_is_an_error() -> None:
    answer, _ = replayed([b'event: error\ndata: {"what": 1}\n\n'], SSE)
    assert """{"what": 1}""" in str(answer.failure)


@pytest.mark.parametrize("code", [400, 503])
def test_an_error_object_under_200_has_the_status_it_names(code: int) -> None:
    answer, _ = replayed([json.dumps({"error": {"message": "no", "code": code}}).encode()], JSON)
    assert isinstance(answer.failure, HttpStatusError)
    assert answer.failure.status == code


def test_words_about_an_error_know_what_was_asked() -> None:
    answer = Answer()
    body = b'{"error": {"message": "The model x does not exist", "param": "model", "code": 404}}'
    asked = Asked(served=lambda: ["y"])
    for _ in read_answer(made_response([event(body)], SSE), answer, asked=asked):
        pass
    assert answer.failure
    assert "It serves y" in answer.failure.hint


@pytest.mark.parametrize("reason", ["abort", "error"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_finish_that_is_a_failure_is_one(reason: str, whole: bool) -> None:
    body = WHOLE.replace(b'"stop"', f'"{reason}"'.encode()) if whole else stream("a", finish=reason)
    answer, events = replayed([body], JSON if whole else SSE)
    assert isinstance(answer.failure, IncompleteAnswerError)
    assert f"'{reason}'" in answer.failure.message
    assert Finish(0, reason, None) in events


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls", "repetition", "content_filter"])
def test_a_regular_finish_is_no_news(reason: str) -> None:
    answer, events = replayed([stream("a", finish=reason)], SSE)
    assert answer.failure is None
    assert not [e for e in events if isinstance(e, Notice)]


def test_arguments_that_are_no_json_are_noted() -> None:
    call = {"index": 0, "id": "1", "function": {"name": "f", "arguments": '{"a'}}
    answer, events = replayed([event(chunk({"tool_calls": [call]}, "length"))], SSE)
    assert answer.failure is None
    assert Notice("the arguments of the call of f are not complete") in events


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b'{"id": "x"}',
        b'{"choices": null}',
        b'{"choices": [null, 5, "x", {}]}',
        b'{"choices": 5}',
        b'{"choices": [{"index": "0", "delta": null}]}',
        b'{"choices": [{"index": 0, "delta": {"content": null, "tool_calls": null}}]}',
        b'{"choices": [{"index": 0, "delta": {"tool_calls": [null, 1, {"function": null}]}}]}',
        b'{"choices": [{"index": 0, "delta": [], "logprobs": [], "token_ids": 5}]}',
        b'{"choices": [{"delta": {}}], "usage": null}',
        b'{"choices": [{"index": 0, "delta": {"role": "assistant"}}], "usage": []}',
        b'{"choices": [{"index": 0, "delta": {}, "finish_reason": ""}], "error": null}',
    ],
)
def test_odd_chunks_harm_nobody(data: bytes) -> None:
    answer, events = replayed([stream("a", finish=None, done=False), event(data), stream("b")], SSE)
    assert answer.failure is None
    assert shown(events) == "ab"


def test_content_in_parts_and_both_names_of_reasoning_are_read() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    delta = {"content": parts, "reasoning": "r", "reasoning_content": "r", "refusal": "no"}
    answer, _ = replayed([event(chunk(delta, "stop"))], SSE)
    assert (answer.text, answer[0].reasoning) == ("ab", "r")
    message = answer.as_response()["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "ab", "refusal": "no", "reasoning": "r"}


def test_lone_surrogates_and_broken_utf8_become_replacement_characters() -> None:
    lone = chunk({"content": "x"}).replace(b'"x"', b'"\\ud83d"')
    broken = chunk({"content": "x"}).replace(b'"x"', b'"\xff"')
    answer, events = replayed([event(lone) + event(broken) + stream("a")], SSE)
    assert answer.failure is None
    assert shown(events).encode().decode() == "\ufffd\ufffda"


def test_text_of_one_read_is_joined() -> None:
    _, events = replayed([stream("a", "b", "c")], SSE)
    assert [e for e in events if not isinstance(e, Started)] == [
        Text(0, "abc"),
        Finish(0, "stop", None),
    ]


def test_arguments_of_one_read_are_joined() -> None:
    first = {"index": 0, "id": "1", "function": {"name": "f", "arguments": ""}}
    more = [{"index": 0, "function": {"arguments": text}} for text in ('{"a"', ":1}")]
    deltas = [chunk({"tool_calls": [call]}) for call in (first, *more)]
    _, events = replayed([b"".join(map(event, deltas)) + stream()], SSE)
    assert ToolCallDelta(0, 0, "1", "f", '{"a":1}') in events


def raw(body: list[bytes], form: RawForm, headers: dict[str, str] = SSE) -> bytes:
    _, events = replayed(body, headers, raw=form)
    return b"".join(e.data for e in events if isinstance(e, Raw))


def test_raw_bytes_are_those_that_came() -> None:
    body = b": hello\r\n\r\n" + stream("a") + event(ERROR)
    assert raw([body[:9], body[9:]], RawForm.BYTES) == body
    assert raw([WHOLE], RawForm.BYTES, JSON) == WHOLE
    assert raw([b"<html>"], RawForm.BYTES, JSON) == b"<html>"


def test_raw_events_are_events_and_nothing_else() -> None:
    body = b": hello\r\n\r\ndata: 1\r\ndata: 2\r\n\r\nevent: ping\ndata:x\n\n" + stream("a")
    expected = b"data: 1\ndata: 2\n\nevent: ping\ndata: x\n\n" + stream("a")
    assert raw([body], RawForm.SSE) == expected
    assert raw([WHOLE], RawForm.SSE, JSON) == WHOLE


def test_raw_json_is_a_chunk_a_line() -> None:
    lines = raw([stream("a", "b")], RawForm.JSON).splitlines()
    contents = [json.loads(line)["choices"][0]["delta"].get("content") for line in lines]
    assert contents == ["", "a", "b", None]


def test_what_comes_after_the_end_is_no_part_of_the_answer() -> None:
    late = event(chunk({"content": "c"}, "length")) + event(ERROR) + b"data: {broken\n\n"
    for reads in ([stream("a", "b") + late], [stream("a", "b"), late]):
        answer, _ = replayed(reads, SSE)
        assert (answer.text, answer[0].finish_reason, answer.failure) == ("ab", "stop", None)
    assert raw([event(ERROR)], RawForm.JSON) == ERROR + b"\n"
    assert (
        raw([json.dumps(json.loads(WHOLE), indent=1).encode()], RawForm.JSON, JSON).count(b"\n")
        == 1
    )


def test_unknown_members_are_kept() -> None:
    body = [
        event(chunk({"content": "a", "audio": {"id": 1}}, prompt_token_ids=[1, 2], usage=None)),
        event(chunk(finish="stop", metrics={"x": 1}, prompt_token_ids=None)),
    ]
    made = replayed(body, SSE)[0].as_response()
    assert made["prompt_token_ids"] == [1, 2]
    assert made["metrics"] == {"x": 1}
    assert made["choices"][0]["message"]["audio"] == {"id": 1}
