"""Targets: what reads answers, from bytes to what a terminal gets."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.fuzz.target import Target
from tools.fuzz.terminal import check_harmless, on_terminal, written
from vllmctl.client.answer import Answer
from vllmctl.client.chunked import Unchunker
from vllmctl.client.error_body import said_in_body
from vllmctl.client.failures import refused
from vllmctl.client.hints import Asked
from vllmctl.client.sse import ServerEvent, SSEReader
from vllmctl.client.stream import read_answer
from vllmctl.client.transport import Response
from vllmctl.client.wire import Reply, Request
from vllmctl.render.stats import write_usage, write_usage_json
from vllmctl.render.writers import raw_form, writer_for

_FOLDER = Path("/nowhere")

_STREAM = b"".join(
    b"data: " + json.dumps(chunk).encode() + b"\n\n"
    for chunk in (
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}],
        },
        {"id": "c", "choices": [{"index": 0, "delta": {"reasoning": "hm"}, "finish_reason": None}]},
        {"id": "c", "choices": [{"index": 0, "delta": {"content": "Hel"}, "finish_reason": None}]},
        {"id": "c", "choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": None}]},
        {
            "choices": [
                {
                    "index": 0,
                    "delta": {
                        "tool_calls": [
                            {
                                "index": 0,
                                "id": "t1",
                                "type": "function",
                                "function": {"name": "f", "arguments": '{"a"'},
                            }
                        ]
                    },
                    "logprobs": {"content": [{"token": "a", "logprob": -1.0, "bytes": [97]}]},
                }
            ]
        },
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "stop_reason": 0}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
    )
)
_WHOLE = json.dumps(
    {
        "id": "c",
        "object": "text_completion",
        "choices": [
            {
                "index": 0,
                "text": "hi",
                "message": {"role": "assistant", "content": "hi"},
                "logprobs": {"tokens": ["a"], "token_logprobs": [-1.0], "top_logprobs": [{}]},
                "finish_reason": "length",
                "stop_reason": None,
                "token_ids": [1],
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 1}},
    }
).encode()
_ERRORS = (
    b'{"error":{"message":"bad","type":"BadRequestError","param":"top_p","code":400}}',
    b'{"error":"Unauthorized"}',
    b'{"object":"error","message":"x","code":404}',
    b'{"detail":[{"type":"missing","loc":["body","messages",0,"role"],"msg":"m","input":{}}]}',
    b"{\"error\":{\"message\":\"2 validation errors:\\n  {'type': 'missing', 'loc': ('body',), "
    b"'msg': 'Field required', 'input': {'a': 1}}\\n\"}}",
    b"<html><head><title>502 Bad Gateway</title></head><body><center>nginx/1.2</center></body>",
    b'{"error":{"message":"litellm: {\\"error\\": {\\"message\\": \\"inner\\"}}"}}',
)
_STREAMS = (
    _STREAM + b"data: [DONE]\n\n",
    _STREAM.replace(b"\n", b"\r\n"),
    b": ping\n\nevent: error\ndata: " + _ERRORS[0] + b"\n\ndata: [DONE]\n\n",
    _WHOLE,
)
_WORDS = (
    b"data:", b"data: ", b"\n\ndata: ", b"event: ", b"id: ", b"retry: 3\n", b"[DONE]", b'"choices"',
    b'"delta"', b'"content"', b'"index"', b'"finish_reason"', b'"usage"', b'"error"', b'"text"',
    b'"tool_calls"', b'"arguments"', b'"logprobs"', b"\r", b"0\r\n\r\n", b"<title>", b"</title>",
    b"<script", b"(parameter=", b"validation errors", b"{'type': '", b"'loc': ('", b'{"message":',
)  # fmt: skip


def try_events(data: bytes) -> None:
    """Wherever the network cuts a stream, its events are the same."""
    whole = _events([data])
    assert _events(_pieces(data)) == whole
    if len(data) < 3000:
        assert _events(bytes([byte]) for byte in data) == whole


def try_chunks(data: bytes) -> None:
    """Wherever the network cuts chunks, their content and their faults are the same."""
    assert _unchunked(_pieces(data)) == _unchunked([data])


def try_answer(data: bytes) -> None:
    """Any body is read, told, and shown on a terminal without harm, in every format."""
    for name, kind in (("text", "text/event-stream"), ("json", "application/json"), ("jsonl", "")):
        _show(data, name, kind)
    for name in ("sse", "raw", "markdown"):
        _show(data, name, "text/event-stream")
    whole, pieces = read([data]), read(_pieces(data))
    assert str(pieces.failure) == str(whole.failure)
    assert whole.failure or _as_text(pieces) == _as_text(whole)


def try_columns(data: bytes) -> None:
    """Any stream is shown side by side without harm."""
    for name in ("text", "markdown"):
        _show(data, name, "text/event-stream", choices=2)


def try_error(data: bytes) -> None:
    """The body of an error is always told in words."""
    for headers in ({"content-type": "text/html"}, {"content-type": "application/json"}):
        said = said_in_body(data, headers)
        response = _response([data], headers, 500)
        assert refused(500, response, said, Asked()).message


TARGETS = {
    "events": Target(try_events, _STREAMS, _WORDS),
    "chunks": Target(try_chunks, (b"5\r\nhello\r\n0\r\n\r\n", b"a;x=1\r\n0123456789\r\n"), _WORDS),
    "answer": Target(try_answer, (*_STREAMS, *_ERRORS), _WORDS),
    "columns": Target(try_columns, _STREAMS, _WORDS),
    "error": Target(try_error, _ERRORS, _WORDS),
}


def _pieces(data: bytes) -> Iterator[bytes]:
    """Cut ``data`` at places that differ from input to input."""
    at, step = 0, 1 + len(data) % 7
    while at < len(data):
        yield data[at : at + step]
        at, step = at + step, 1 + (step * 7 + len(data)) % 97


def _events(reads: Iterable[bytes]) -> list[ServerEvent]:
    reader = SSEReader()
    found = [event for read in reads for event in reader.feed(read)]
    return [*found, *reader.finish()]


def _unchunked(reads: Iterable[bytes]) -> tuple[bytes, bool]:
    chunks = Unchunker()
    content = b""
    for read in reads:
        try:
            content += chunks.feed(read)
        except ValueError:
            return b"", False
        if chunks.ended:
            break
    return content, chunks.ended


def _response(reads: Iterable[bytes], headers: dict[str, str], status: int = 200) -> Response:
    request = Request("POST", "/v1/chat/completions", {"X-Request-Id": "r1"})
    reply = Reply(status, "", headers, iter(reads))
    return Response(reply, "http://server/v1/chat/completions", request, 0.0, "")


def read(reads: Iterable[bytes]) -> Answer:
    """Return the answer that comes as ``reads``."""
    answer = Answer(sent=0.0)
    for _ in read_answer(_response(reads, {"content-type": "text/event-stream"}), answer):
        pass
    return answer


def _as_text(answer: Answer) -> str:
    return repr(answer.as_response())


def _show(data: bytes, name: str, kind: str, choices: int = 1) -> None:
    env = on_terminal(_FOLDER, {"COLUMNS": "80"})
    answer = Answer(sent=0.0)
    writer = writer_for(
        name, env, env.stdout, reasoning=True, choices=choices, side_by_side=choices > 1
    )
    response = _response(_pieces(data), {"content-type": kind})
    for events in read_answer(response, answer, raw=raw_form(name)):
        writer.take(events)
    writer.finish(answer)
    write_usage(answer, env)
    write_usage_json(answer, env)
    check_harmless(written(env))
