"""One choice of an answer, put together from its pieces."""

from typing import Any

from vllmctl.client.events import (
    Event,
    Finish,
    Logprobs,
    Reasoning,
    Refusal,
    Text,
    Thought,
    ToolCallDelta,
)
from vllmctl.client.tool_calls import ToolCalls
from vllmctl.record import Record, field

_KNOWN = frozenset(
    ("index", "delta", "message", "text", "logprobs", "finish_reason", "stop_reason", "token_ids")
)
_TEXTS = frozenset(("content", "reasoning", "reasoning_content"))
_KNOWN_IN_DELTA = _TEXTS | {"role", "refusal", "tool_calls"}


class Thinking(Record):
    """How long a choice has thought, from chunk to chunk, and in how many chunks that came."""

    seconds: float = 0.0
    chunks: int = 0
    goes_on: bool = False
    _last: float = 0.0

    def add(self, now: float, chunks: int) -> None:
        """Take chunks that have just arrived."""
        if self.goes_on:
            self.seconds += now - self._last
        self.goes_on, self._last = True, now
        self.chunks += chunks


class Choice(Record):
    """What has arrived of the choice ``index``; the pieces of text are joined when read.

    ``last`` is when something generated came for it, by the clock of the answer.
    """

    index: int
    role: str | None = None
    texts: list[str] = field(factory=list)
    reasonings: list[str] = field(factory=list)
    thinking: Thinking = field(factory=Thinking)
    last: float | None = None
    refusals: list[str] = field(factory=list)
    calls: ToolCalls = field(factory=ToolCalls)
    logprobs: dict[str, Any] | None = None
    token_ids: list[int] | None = None
    finish_reason: str | None = None
    stop_reason: int | str | None = None
    others: dict[str, Any] = field(factory=dict)
    message_others: dict[str, Any] = field(factory=dict)

    @property
    def text(self) -> str:
        """The answer's text so far."""
        return "".join(self.texts)

    @property
    def reasoning(self) -> str:
        """What the model has thought so far."""
        return "".join(self.reasonings)

    def take(self, piece: dict[str, Any], events: list[Event], now: float) -> bool:
        """Add one element of a chunk's ``choices``; append what it says to ``events``.

        Returns whether something that the model generated came with it.
        """
        delta = piece.get("delta") or piece.get("message")
        generated = False
        if type(delta) is dict:
            generated = self._take_delta(delta, events, now)
        elif piece.get("text"):
            self.add_text(_plain(piece["text"]), events)
            generated = True
        if isinstance(piece.get("logprobs"), dict):
            self._add_logprobs(piece["logprobs"], events)
        if isinstance(piece.get("token_ids"), list):
            self.token_ids = self.token_ids or []
            self.token_ids.extend(piece["token_ids"])
        if piece.get("finish_reason"):
            self._finish(piece, events)
        if not piece.keys() <= _KNOWN:
            self._keep(piece)
        return generated

    def add_text(self, text: str, events: list[Event]) -> None:
        """Add to the answer's text."""
        if self.thinking.goes_on:
            self._end_thinking(events)
        self.texts.append(text)
        last = events[-1] if events else None
        if type(last) is Text and last.index == self.index:
            last.text += text
        else:
            events.append(Text(self.index, text))

    def add_reasoning(self, text: str, events: list[Event], now: float, chunks: int = 1) -> None:
        """Add to the reasoning what came in so many chunks."""
        self.thinking.add(now, chunks)
        self.reasonings.append(text)
        last = events[-1] if events else None
        if type(last) is Reasoning and last.index == self.index:
            last.text += text
        else:
            events.append(Reasoning(self.index, text))

    def as_message(self) -> dict[str, Any]:
        """Return the ``message`` of a chat answer that did not stream."""
        message: dict[str, Any] = {
            "role": self.role or "assistant",
            "content": self.text or None,
            "refusal": "".join(self.refusals) or None,
            "reasoning": self.reasoning or None,
        }
        if self.calls:
            message["tool_calls"] = self.calls.as_list()
        return {**self.message_others, **message}

    def _take_delta(self, delta: dict[str, Any], events: list[Event], now: float) -> bool:
        generated = False
        reasoning = delta.get("reasoning") or delta.get("reasoning_content")
        if reasoning:
            self.add_reasoning(_plain(reasoning), events, now)
            generated = True
        content = delta.get("content")
        if content:
            self.add_text(_plain(content), events)
            generated = True
        if delta.keys() <= _TEXTS:
            return generated
        return self._take_rest(delta, events) or generated

    def _take_rest(self, delta: dict[str, Any], events: list[Event]) -> bool:
        self.role = self.role or delta.get("role")
        refusal = _plain(delta.get("refusal") or "")
        pieces = self.calls.take(delta.get("tool_calls"))
        if self.thinking.goes_on and (refusal or pieces):
            self._end_thinking(events)
        if refusal:
            self.refusals.append(refusal)
            events.append(Refusal(self.index, refusal))
        for piece in pieces:
            _add_call(ToolCallDelta(self.index, *piece), events)
        for key, value in delta.items():
            if key not in _KNOWN_IN_DELTA and value is not None:
                self.message_others[key] = value
        return bool(refusal or pieces)

    def _end_thinking(self, events: list[Event]) -> None:
        thinking = self.thinking
        thinking.goes_on = False
        events.append(Thought(self.index, thinking.seconds, thinking.chunks))

    def _add_logprobs(self, logprobs: dict[str, Any], events: list[Event]) -> None:
        events.append(Logprobs(self.index, logprobs))
        if self.logprobs is None:
            self.logprobs = {}
        for key, value in logprobs.items():
            known = self.logprobs.get(key)
            if isinstance(known, list) and isinstance(value, list):
                known.extend(value)
            elif value is not None or key not in self.logprobs:
                self.logprobs[key] = list(value) if isinstance(value, list) else value

    def _finish(self, piece: dict[str, Any], events: list[Event]) -> None:
        if self.thinking.goes_on:
            self._end_thinking(events)
        reason, stop = str(piece["finish_reason"]), piece.get("stop_reason")
        if (reason, stop) != (self.finish_reason, self.stop_reason):
            self.finish_reason, self.stop_reason = reason, stop
            events.append(Finish(self.index, reason, stop))

    def _keep(self, piece: dict[str, Any]) -> None:
        for key, value in piece.items():
            if value is not None and key not in _KNOWN:
                self.others[key] = value


def _add_call(delta: ToolCallDelta, events: list[Event]) -> None:
    last = events[-1] if events else None
    if (
        type(last) is ToolCallDelta
        and (last.index, last.call_index) == (delta.index, delta.call_index)
        and delta.id is None
        and delta.name is None
    ):
        last.arguments += delta.arguments
    else:
        events.append(delta)


def _plain(content: Any) -> str:
    """Return a text that some servers send as a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "".join(
        str(part.get("text") or "") if isinstance(part, dict) else str(part) for part in parts
    )
