"""The whole answer, put together while it arrives."""

from array import array
from collections.abc import Callable
from time import monotonic
from typing import Any

from vllmctl.client.choice import Choice
from vllmctl.client.events import Event, Started, Usage
from vllmctl.errors import VllmctlError
from vllmctl.record import Record

_META = ("id", "object", "created", "model")
_USUAL = frozenset((*_META, "choices"))


class Timings(Record):
    """When things happened, in seconds of the monotonic clock; ``None`` for what did not.

    ``sent`` is when the request began, ``first_byte`` the first read of the body,
    ``first_token`` and ``last_token`` the first and the last read with something that the
    model generated (the role alone is not), ``ended`` the end of the stream.
    """

    sent: float
    first_byte: float | None = None
    first_token: float | None = None
    last_token: float | None = None
    ended: float | None = None


class Answer:
    """Choices, usage and timings of one answer, streamed or not.

    ``failure`` is set when the answer is not complete; what arrived before is kept.
    ``chunks`` counts the chunks that brought something generated, which is not the number
    of tokens; ``gaps`` are the seconds between the reads that brought something generated for
    the same choice; ``done`` tells that the server said ``[DONE]``.
    """

    def __init__(self, *, sent: float | None = None, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._now = clock()
        self.timings = Timings(self._now if sent is None else sent)
        self.choices: dict[int, Choice] = {}
        self.usage: dict[str, Any] | None = None
        self.meta: dict[str, Any] = {}
        self.others: dict[str, Any] = {}
        self.whole: dict[str, Any] | None = None
        self.failure: VllmctlError | None = None
        self.done = False
        self.chunks = 0
        self.gaps = array("f")

    def __getitem__(self, index: int) -> Choice:
        return self.choices.get(index) or Choice(index)

    @property
    def text(self) -> str:
        """The text of the first choice."""
        return self[0].text

    @property
    def is_whole(self) -> bool:
        """Whether it was received to its end, and nothing failed on the way."""
        return self.failure is None and self.timings.ended is not None

    def arrived(self) -> None:
        """Note that a network read has just ended."""
        self._now = self._clock()
        if self.timings.first_byte is None:
            self.timings.first_byte = self._now

    def ended(self) -> None:
        """Note that nothing more will come."""
        self.timings.ended = self._clock()

    def take(self, chunk: dict[str, Any], events: list[Event]) -> None:
        """Add a chunk, or an answer that did not stream; append what it says to ``events``."""
        choices = chunk.get("choices")
        if not self.meta and choices:
            self._start(chunk, events)
        if not choices or not chunk.keys() <= _USUAL:
            self._take_rest(chunk, events)
        if choices and isinstance(choices, list):
            for piece in choices:
                self._take_piece(piece, events)

    def take_texts(
        self, index: int, texts: list[str], events: list[Event], *, reasoning: bool
    ) -> None:
        """Add a text a chunk for a choice that is known, as ``take`` would one by one."""
        text, chunks, choice = "".join(texts), sum(map(bool, texts)), self.choices[index]
        if not text:
            return
        if reasoning:
            choice.add_reasoning(text, events, self._now, chunks)
        else:
            choice.add_text(text, events)
        self._count(choice, chunks)

    def take_whole(self, response: dict[str, Any], events: list[Event]) -> None:
        """Add an answer that did not stream: it is kept as the server sent it."""
        self.whole = response
        self.take(response, events)

    def as_response(self) -> dict[str, Any]:
        """Return the answer as the server gives it without streaming.

        What did not stream is returned as it came. From a stream the members are those
        that its chunks had, with the text joined, and ``usage`` is ``None`` if it was not
        reported.
        """
        if self.whole is not None:
            return self.whole
        is_chat = "chat" in str(self.meta.get("object", "chat"))
        choices = [self._choice(self.choices[index], is_chat) for index in sorted(self.choices)]
        kind = "chat.completion" if is_chat else "text_completion"
        meta = {**self.meta, "object": kind}
        return {**meta, "choices": choices, "usage": self.usage, **self.others}

    def _start(self, chunk: dict[str, Any], events: list[Event]) -> None:
        self.meta = {key: chunk[key] for key in _META if key in chunk}
        events.append(Started(self.meta))

    def _take_piece(self, piece: Any, events: list[Event]) -> None:
        if type(piece) is not dict:
            return
        index = piece.get("index")
        if type(index) is not int:
            index = 0
        choice = self.choices.get(index)
        if choice is None:
            choice = self.choices[index] = Choice(index)
        if choice.take(piece, events, self._now):
            self._count(choice, 1)

    def _count(self, choice: Choice, chunks: int) -> None:
        """Note that ``chunks`` for ``choice`` came with the last read."""
        self.chunks += chunks
        now, last = self._now, choice.last
        if last == now:
            return
        choice.last = self.timings.last_token = now
        if last is not None:
            self.gaps.append(now - last)
        if self.timings.first_token is None:
            self.timings.first_token = now

    def _take_rest(self, chunk: dict[str, Any], events: list[Event]) -> None:
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self.usage = usage
            events.append(Usage(usage))
        if not usage and not chunk.get("choices"):
            return  # a keep-alive in the shape of a chunk
        for key, value in chunk.items():
            if value is not None and key not in _USUAL and key != "usage":
                self.others[key] = value

    def _choice(self, choice: Choice, is_chat: bool) -> dict[str, Any]:
        content: dict[str, Any] = (
            {"message": choice.as_message()} if is_chat else {"text": choice.text}
        )
        return {
            "index": choice.index,
            **content,
            "logprobs": choice.logprobs,
            "finish_reason": choice.finish_reason,
            "stop_reason": choice.stop_reason,
            "token_ids": choice.token_ids,
            **choice.others,
        }
