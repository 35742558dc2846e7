"""Tool calls, put together from deltas that name their call in more than one way."""

from collections.abc import Iterator
from typing import Any

from vllmctl.client.payload import parse
from vllmctl.record import Record

Piece = tuple[int, str | None, str | None, str]
"""Number of the call, id and name if they are new, a piece of the arguments."""


class Call(Record):
    """What has arrived of one call; ``arguments`` is JSON text, complete or not."""

    index: int
    id: str | None = None
    name: str = ""
    type: str = "function"
    pieces: list[str] | None = None

    @property
    def arguments(self) -> str:
        """The arguments so far, as the model wrote them."""
        return "".join(self.pieces or ())

    @property
    def is_complete(self) -> bool:
        """Whether the arguments are JSON to their end."""
        try:
            parse(self.arguments.encode("utf-8", "replace"))
        except ValueError:
            return False
        return True

    def as_dict(self) -> dict[str, Any]:
        """Return the call as an answer that did not stream has it.

        A call that the server gave no id gets one that shows it.
        """
        return {
            "id": self.id or f"no-id-{self.index}",
            "type": self.type,
            "function": {"name": self.name, "arguments": self.arguments},
        }


class ToolCalls:
    """The calls of one choice by their number."""

    def __init__(self) -> None:
        self._calls: dict[int, Call] = {}
        self._renumbered: dict[int, int] = {}
        self._last = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls[index] for index in sorted(self._calls))

    def as_list(self) -> list[dict[str, Any]]:
        """Return the calls in their order."""
        return [call.as_dict() for call in self]

    def take(self, deltas: Any) -> list[Piece]:
        """Add the ``tool_calls`` of a delta or message; return what is new in them."""
        if not isinstance(deltas, list):
            return []
        return [self._take_one(delta) for delta in deltas if isinstance(delta, dict)]

    def _take_one(self, delta: dict[str, Any]) -> Piece:
        function = delta.get("function")
        function = function if isinstance(function, dict) else {}
        call = self._call_of(delta, bool(function.get("name")))
        self._last = call.index
        new_id = None
        if call.id is None and delta.get("id"):
            new_id = call.id = str(delta["id"])
        call.type = delta.get("type") or call.type
        arguments = _as_text(function.get("arguments"))
        name = _new_name(call, function.get("name"))
        if call.pieces is None:
            call.pieces = []
        if arguments:
            call.pieces.append(arguments)
        return call.index, new_id, name, arguments

    def _call_of(self, delta: dict[str, Any], has_name: bool) -> Call:
        told, id_ = delta.get("index"), delta.get("id")
        if not isinstance(told, int):
            index = self._index_of(id_, has_name)
        else:
            index = self._renumbered.get(told, told)
            known = self._calls.get(index)
            if known and _is_another(known, id_, has_name):
                index = self._renumbered[told] = self._index_of(id_, has_name)
        return self._calls.setdefault(index, Call(index))

    def _index_of(self, id_: Any, has_name: bool) -> int:
        """Return the number that a delta without a usable one means."""
        for call in self._calls.values():
            if id_ and call.id == id_:
                return call.index
        if not self._calls or id_ or has_name:
            return max(self._calls, default=-1) + 1
        return self._last


def _is_another(known: Call, id_: Any, has_name: bool) -> bool:
    """Whether a delta that reuses the number of ``known`` begins a call of its own.

    Servers that number every call 0 do so with a new id and a name; old vLLM gave every
    delta of one call a new id, without a name.
    """
    return bool(id_ and known.id and id_ != known.id and has_name and known.pieces)


def _new_name(call: Call, name: Any) -> str | None:
    """Add ``name`` to the call; return it when it is news. A repeated name is none."""
    if not name or name == call.name or call.pieces:
        return None
    call.name += str(name)
    return str(name)


def _as_text(arguments: Any) -> str:
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    import json

    return json.dumps(arguments, ensure_ascii=False)
