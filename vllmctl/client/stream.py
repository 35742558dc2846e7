"""From a response to events, whatever the server makes of its promise."""

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Failed, Notice, Raw
from vllmctl.client.failures import failed_answer, page_instead, refused
from vllmctl.client.hints import Asked
from vllmctl.client.outcome import failure_of, finished, remarks
from vllmctl.client.payload import parse
from vllmctl.client.sse import ServerEvent, SSEReader
from vllmctl.client.template import Template
from vllmctl.client.wire import CutError
from vllmctl.errors import IncompleteAnswerError, VllmctlError

if TYPE_CHECKING:
    from vllmctl.client.transport import Response

_KEEP_ALIVES = ("ping", "keepalive", "keep-alive", "heartbeat")
_LONGEST_START = 4096
"""Bytes of nothing but space after which nothing else is expected to tell what comes."""
_BOM = b"\xef\xbb\xbf"
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")


class RawForm(StrEnum):
    """What ``Raw`` events are wanted: none, every read's bytes, events, or a chunk a line."""

    NONE = "none"
    BYTES = "bytes"
    SSE = "sse"
    JSON = "json"


def read_answer(
    response: "Response",
    answer: Answer,
    *,
    raw: RawForm = RawForm.NONE,
    expected: int = 1,
    asked: Asked | None = None,
) -> Iterator[list[Event]]:
    """Read an answer with status 200, adding to ``answer``; give what arrives together.

    One list an item: the events of one network read, adjacent text of a choice joined. With
    ``raw`` there are ``Raw`` events among them. ``expected`` is the number of choices that
    were asked for; ``asked`` serves words about errors. No exception is raised for what the
    server does: all that arrived is given first, then ``answer.failure`` is set and the
    last event is ``Failed``.

    Streams and whole answers are told apart by what comes, not only by what the header says.
    """
    body: _Events | _Whole | None = None
    try:
        for read in _with_telling_start(response.chunks()):
            answer.arrived()
            if body is None:
                body = _body_of(read, response, answer, raw, asked or Asked())
            events = body.take(read)
            if events:
                yield events
            if body.over:
                break
    except VllmctlError as error:
        if not isinstance(error, CutError) or not finished(answer, expected):
            answer.failure = answer.failure or error
    answer.ended()
    events = body.finish() if body else []
    is_whole = isinstance(body, _Whole)
    answer.failure = answer.failure or failure_of(answer, expected=expected, whole=is_whole)
    events += [Notice(text) for text in remarks(answer)]
    if answer.failure:
        events.append(Failed(answer.failure))
    if events:
        yield events


class _Events:
    """An answer that comes as server-sent events."""

    def __init__(self, answer: Answer, raw: RawForm, asked: Asked) -> None:
        self._answer = answer
        self._raw = raw
        self._asked = asked
        self._reader = SSEReader()
        self._template = Template()
        self._damaged = 0
        self._first_damage = b""
        self._told = False

    @property
    def over(self) -> bool:
        """Whether nothing more of use will come."""
        answer = self._answer
        return answer.done or (answer.failure is not None and self._raw is RawForm.NONE)

    def take(self, read: bytes) -> list[Event]:
        events: list[Event] = [Raw(read)] if self._raw is RawForm.BYTES else []
        self._take_all(self._reader.feed(read), events)
        return events

    def finish(self) -> list[Event]:
        """Take what the end completes; judge what could not be read."""
        events: list[Event] = []
        rest = [] if self._answer.done or self._answer.failure else self._reader.finish()
        before = self._damaged
        self._take_all(rest, events)
        answer = self._answer
        if self._damaged > before:
            answer.failure = IncompleteAnswerError("the stream ended in the middle of an event")
        elif self._damaged and not answer.failure:
            answer.failure = IncompleteAnswerError(
                f"{self._damaged} of the stream's events cannot be read, the first of them "
                f"{_quoted(self._first_damage)}",
                "text may be missing; --format raw shows what came",
            )
        return events

    def _take_all(self, arrived: list[ServerEvent], events: list[Event]) -> None:
        if self._raw is RawForm.SSE and arrived:
            events.append(Raw(b"".join(_as_sse(name, data) for name, data in arrived)))
        rest = iter(arrived)
        while not self._answer.done:
            texts, event = self._template.texts_in(rest)
            if texts:
                index, key = self._template.place
                self._answer.take_texts(index, texts, events, reasoning=key == "reasoning")
            if event is None:
                return
            name, data = event
            if name or data[:1] != b"{":
                self._take_odd(name, data, events)
            else:
                self._take_chunk(data, events)

    def _take_chunk(self, data: bytes, events: list[Event]) -> None:
        try:
            chunk = parse(data)
        except ValueError:
            self._damage(data)
            return
        if self._raw is RawForm.JSON:
            events.append(Raw(_as_line(data)))
        if chunk.get("choices") is None or chunk.get("error"):
            self._take_other(chunk, events)
            return
        self._answer.take(chunk, events)
        if self._raw is not RawForm.JSON:
            self._template.learn(data, chunk)

    def _take_odd(self, name: str, data: bytes, events: list[Event]) -> None:
        """Take an event that is named, or whose data is no JSON object at first sight."""
        data = data.strip()
        if data == b"[DONE]":
            self._answer.done = True
        elif name.lower() in _KEEP_ALIVES or not data:
            pass
        elif data[:1] == b"{":
            self._take_all([("", data)], events)
            if name == "error" and not self._answer.failure:
                self._answer.failure = failed_answer(None, self._asked, _quoted(data))
        elif data[:1] == b":" or _is_json(data):
            self._tell(f"skipped what is no part of an answer: {_quoted(data)}", events)
        else:
            self._damage(data)

    def _damage(self, data: bytes) -> None:
        self._damaged += 1
        self._first_damage = self._first_damage or data

    def _take_other(self, chunk: dict[str, Any], events: list[Event]) -> None:
        """Take a chunk without choices: an error, usage alone, or nothing of use."""
        from vllmctl.client.error_body import said_in

        said = None if chunk.get("usage") else said_in(chunk)
        if said is not None:
            self._answer.failure = self._answer.failure or failed_answer(said, self._asked)
        else:
            self._answer.take(chunk, events)

    def _tell(self, text: str, events: list[Event]) -> None:
        if not self._told:
            self._told = True
            events.append(Notice(text))


class _Whole:
    """An answer that comes as one JSON object, or what comes instead of it."""

    over = False

    def __init__(self, response: "Response", answer: Answer, raw: RawForm, asked: Asked) -> None:
        self._response = response
        self._answer = answer
        self._raw = raw
        self._asked = asked
        self._reads: list[bytes] = []

    def take(self, read: bytes) -> list[Event]:
        self._reads.append(read)
        return [] if self._raw is RawForm.NONE or self._raw is RawForm.JSON else [Raw(read)]

    def finish(self) -> list[Event]:
        """Read the whole; what was cut may be an answer nevertheless."""
        events: list[Event] = []
        failure = self._read(b"".join(self._reads), events)
        self._answer.failure = self._answer.failure or failure
        return events

    def _read(self, body: bytes, events: list[Event]) -> VllmctlError | None:
        try:
            value = parse(body)
        except ValueError:
            return page_instead(body, self._response)
        if self._raw is RawForm.JSON:
            events.append(Raw(_as_line(body)))
        if isinstance(value, dict) and value.get("choices"):
            self._answer.take_whole(value, events)
            return None
        return self._other(value)

    def _other(self, value: Any) -> VllmctlError | None:
        from vllmctl.client.error_body import said_in

        said = said_in(value)
        if said is None:
            return IncompleteAnswerError(f"there is no answer in {_quoted(b''.join(self._reads))}")
        return refused(said.status or 500, self._response, said, self._asked)


def _with_telling_start(reads: Iterator[bytes]) -> Iterator[bytes]:
    """Return ``reads`` with as many of the first joined as it takes to tell what they are."""
    start = b""
    for read in reads:
        start += read
        text = start.removeprefix(_BOM).lstrip()
        is_told = not any(sign.startswith(text) for sign in (*_FIELDS, _BOM))
        if is_told or len(start) > _LONGEST_START:
            break
    if start:
        yield start
    yield from reads


def _body_of(
    start: bytes, response: "Response", answer: Answer, raw: RawForm, asked: Asked
) -> _Events | _Whole:
    """Choose by the first bytes, and where they say nothing by the content type."""
    start = start.removeprefix(_BOM).lstrip()
    is_stream = "event-stream" in response.headers.get("content-type", "")
    if start[:1] in (b"{", b"[", b"<"):
        is_stream = False
    elif start.startswith(_FIELDS):
        is_stream = True
    if is_stream:
        return _Events(answer, raw, asked)
    return _Whole(response, answer, raw, asked)


def _as_sse(name: str, data: bytes) -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + data.replace(b"\n", b"\ndata: ") + b"\n\n"


def _as_line(data: bytes) -> bytes:
    return data.strip().replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"


def _is_json(data: bytes) -> bool:
    try:
        parse(data)
    except ValueError:
        return False
    return True


def _quoted(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return repr(text if len(text) <= 100 else text[:99] + "…")
