"""What an answer is made of, as it arrives.

Small mutable records: text that arrives in one network read for one choice is one ``Text``,
however many chunks the server made of it.
"""

from typing import Any

from vllmctl.errors import VllmctlError
from vllmctl.record import Record


class Started(Record):
    """The first chunk: ``meta`` holds its ``id``, ``model``, ``created`` and alike."""

    meta: dict[str, Any]


class Text(Record):
    """A piece of the answer's text for the choice ``index``."""

    index: int
    text: str


class Reasoning(Record):
    """A piece of what the model thinks before it answers (``reasoning``)."""

    index: int
    text: str


class Thought(Record):
    """A choice has stopped to think: ``seconds`` and ``chunks`` of reasoning so far.

    A chunk is not a token: how many tokens that were, only ``Usage`` can tell.
    """

    index: int
    seconds: float
    chunks: int


class Refusal(Record):
    """A piece of a refusal that the server tells apart from the text."""

    index: int
    text: str


class ToolCallDelta(Record):
    """A piece of the tool call number ``call_index`` of a choice.

    ``id`` and ``name`` come with the first piece and are ``None`` afterwards;
    ``arguments`` is a piece of JSON text, which may be empty.
    """

    index: int
    call_index: int
    id: str | None
    name: str | None
    arguments: str


class Logprobs(Record):
    """The log-probabilities that came with a chunk, in the server's own shape.

    Chat: ``{"content": [{"token", "logprob", "bytes", "top_logprobs"}, …]}``. Completions:
    ``{"tokens", "token_logprobs", "top_logprobs", "text_offset"}``, four lists of one length.
    """

    index: int
    logprobs: dict[str, Any]


class Usage(Record):
    """The tokens used so far; the last one is the total."""

    usage: dict[str, Any]


class Finish(Record):
    """A choice ended.

    ``reason`` is the server's word (``stop``, ``length``, ``tool_calls``, ``abort``,
    ``repetition`` …); ``stop_reason`` the stop string or token id that ended it, ``None``
    for the model's own end (0 is a token id).
    """

    index: int
    reason: str
    stop_reason: int | str | None


class Notice(Record):
    """Something worth knowing that is not part of the answer."""

    text: str


class Raw(Record):
    """What arrived, in the form that was asked for; see ``client.stream.RawForm``."""

    data: bytes


class Failed(Record):
    """The last event of an answer that is not complete."""

    error: VllmctlError


Event = (
    Started
    | Text
    | Reasoning
    | Thought
    | Refusal
    | ToolCallDelta
    | Logprobs
    | Usage
    | Finish
    | Notice
    | Raw
    | Failed
)
