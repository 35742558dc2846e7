"""Recorded exchanges are served byte for byte; all else is answered as ever."""

import json
from pathlib import Path

import pytest

from tests.mock.asking import COMPLETIONS, HELLO, app, ask, chat
from vllmctl.errors import UsageError
from vllmctl.mock.options import read_options

FOLDER = Path(__file__).parents[1] / "data" / "mock" / "recorded"


def test_serves_what_was_recorded() -> None:
    mock = app(record=FOLDER)
    fields = {"model": "tiny", "temperature": 0, "chat_template_kwargs": {"enable_thinking": False}}
    reply = chat(mock, messages=HELLO, **fields)
    assert reply.data == (FOLDER / "chat-basic-nothink.response").read_bytes()


def test_serves_recorded_streams_event_by_event() -> None:
    reply = chat(app(record=FOLDER), model="tiny", temperature=0, stream=True)
    assert reply.data == (FOLDER / "chat-stream.response").read_bytes()
    assert reply.headers["content-type"].startswith("text/event-stream")


def test_serves_recorded_refusals_and_pages() -> None:
    mock = app(record=FOLDER)
    body = json.loads((FOLDER / "comp-suffix.request.json").read_text())
    assert ask(COMPLETIONS, body, of=mock).status == 400
    assert ask("/version", of=mock).json == {"version": "0.32.0"}


CURL_D = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Slow\r\nretry-after: 7\r\ndate: x\r\n\r\n"
CURL_V = """\
> POST /v1/chat/completions HTTP/1.1
> Host: x:8000
>
< HTTP/1.1 429 Slow
< Retry-After: 7
"""


@pytest.mark.parametrize("headers", [CURL_D, CURL_V], ids=["-D", "-v"])
def test_reads_headers_as_curl_writes_them(tmp_path: Path, headers: str) -> None:
    (tmp_path / "a.request.json").write_text(json.dumps({"messages": HELLO, "seed": 5}))
    (tmp_path / "a.response").write_text("wait")
    (tmp_path / "a.headers").write_bytes(headers.encode())
    reply = chat(app(record=tmp_path), seed=5)
    assert (reply.status, reply.data, reply.headers["retry-after"]) == (429, b"wait", "7")
    assert "date" not in reply.headers


@pytest.mark.parametrize(
    ("answer", "kind"),
    [("data: [DONE]\n\n", "text/event-stream"), ('{"id": "x"}', "application/json")],
)
def test_needs_no_headers(tmp_path: Path, answer: str, kind: str) -> None:
    (tmp_path / "a.request.json").write_text(json.dumps({"messages": HELLO, "seed": 5}))
    (tmp_path / "a.response").write_text(answer)
    reply = chat(app(record=tmp_path), seed=5)
    assert (reply.data.decode(), reply.headers["content-type"]) == (answer, kind)


def test_answers_what_was_not_recorded() -> None:
    assert chat(app(record=FOLDER), temperature=0.5).status == 200


def test_faults_hit_recorded_streams_too() -> None:
    mock = app(record=FOLDER, fault="no-done")
    assert b"[DONE]" not in chat(mock, model="tiny", temperature=0, stream=True).data


def test_wants_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        read_options({"record": str(tmp_path / "none")})
