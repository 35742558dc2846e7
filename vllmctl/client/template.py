"""Reading chunks that differ in one text only, without parsing every one of them."""

import re
from collections.abc import Iterator
from typing import Any

from vllmctl.client.payload import parse
from vllmctl.client.sse import ServerEvent

Place = tuple[int, str]
"""The index of a choice, and the key that its text has in a chunk."""

_KEYS = ("content", "reasoning", "text")
_BARE_CHUNK = frozenset(("id", "object", "created", "model", "choices"))
_FIRST_TRIES = 8


class Template:
    """What the chunks of a stream have in common.

    A token's chunk mostly equals the one before it, byte for byte, but for the token. JSON
    that is ``head + text + tail``, where the text alone in quotes is a JSON string, says what
    the chunk said that ``head`` and ``tail`` were taken from, with another text. So it is
    enough to compare bytes, which costs a tenth of parsing.
    """

    def __init__(self) -> None:
        self.place: Place = (0, "")
        self._head = self._tail = b""
        self._learnt = self._used = 0

    def texts_in(self, events: Iterator[ServerEvent]) -> tuple[list[str], ServerEvent | None]:
        """Take events while they are like the others; return their texts, and the next event."""
        texts: list[str] = []
        head, tail = self._head, self._tail
        start, end = len(head), -len(tail)
        for event in events:
            name, data = event
            if name or not head or not data.startswith(head) or not data.endswith(tail):
                break
            text = data[start:end]
            if not text:  # nothing, or less than nothing: head and tail must not overlap
                break
            if b"\\" in text or b'"' in text:
                literal = _string(text)
                if literal is None:
                    break
                texts.append(literal)
            else:
                texts.append(text.decode("utf-8", "replace"))
        else:
            event = None
        self._used += len(texts)
        return texts, event

    def learn(self, data: bytes, chunk: dict[str, Any]) -> None:
        """Take ``chunk``, which was parsed from ``data``, as what the next ones are like.

        Gives up on streams whose chunks differ in more than a text: that is tried a few
        times, and more often only where it has paid.
        """
        if self._learnt > _FIRST_TRIES + self._used // 16:
            return
        place = _place_of(chunk)
        if place is None:
            return
        found = re.search(rb'"%b" ?: ?"([^"\\]+)"' % place[1].encode(), data)
        if found is None:
            return
        self._learnt += 1
        head, tail = data[: found.start(1)], data[found.end(1) :]
        if parse(head + tail) == _without_text(chunk, place[1]):
            self._head, self._tail, self.place = head, tail, place


def _string(text: bytes) -> str | None:
    """Return what ``text`` says as the inside of a JSON string, or ``None`` if it is none."""
    try:
        value = parse(b'"' + text + b'"')
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _place_of(chunk: dict[str, Any]) -> Place | None:
    """Return where the text of ``chunk`` is, if there is nothing else of account in it."""
    choices = chunk.get("choices")
    if type(choices) is not list or len(choices) != 1 or not chunk.keys() <= _BARE_CHUNK:
        return None
    (choice,) = choices
    delta = choice.get("delta", choice) if type(choice) is dict else None
    if type(delta) is not dict:
        return None
    texts = [key for key in _KEYS if delta.get(key)]
    said = {key for key, value in choice.items() if value is not None} - {"index", "delta", "text"}
    others = delta.keys() - {"content", "reasoning"} if delta is not choice else ()
    if len(texts) != 1 or said or others or type(choice.get("index")) is not int:
        return None
    return choice["index"], texts[0]


def _without_text(chunk: dict[str, Any], key: str) -> dict[str, Any]:
    (choice,) = chunk["choices"]
    if key == "text":
        return {**chunk, "choices": [{**choice, "text": ""}]}
    return {**chunk, "choices": [{**choice, "delta": {**choice["delta"], key: ""}}]}
