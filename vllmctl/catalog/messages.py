"""What the server does with messages around the check of their types.

Before it, keys get other names and tool calls are made lists. The engine then leaves some
lists unread; when the server reads them, their parts are checked, and media parts once
more by a stricter shape. The facts of this are in ``data/external.json``.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import ValidationError

from vllmctl.catalog.content_parts import ContentParts
from vllmctl.catalog.core_schema import external_schema
from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.files import read_external
from vllmctl.catalog.json_path import path_text
from vllmctl.catalog.target import index
from vllmctl.catalog.type_faults import Loc, TypeFault, expected_list, faults_of
from vllmctl.catalog.validators import judge, make_validator
from vllmctl.texts import shown

_UNREAD = ("content", "tool_calls")


class Messages:
    """What the server does with messages before and after it checks their types."""

    def __init__(self, endpoint: Endpoint) -> None:
        facts = read_external()["messages"]
        self._parts = (endpoint.models, endpoint.unknown)
        self._again = {
            kind: make_validator(external_schema(name, endpoint.models))
            for kind, name in facts["read_again"].items()
        }
        self._renamed = _in_force(facts["renamed"], endpoint)
        self._listed = _in_force(facts["listed"], endpoint)
        self._stumbles = bool(_in_force(facts["stumbles"], endpoint))

    def prepare(self, messages: Any, place: Loc) -> tuple[Any, list[TypeFault]]:
        """Give keys their new names, and make lists of what can be iterated over."""
        if not isinstance(messages, list) or not (self._renamed or self._listed):
            return messages, []
        prepared = [self._rename(message) for message in messages]
        faults = [
            expected_list(value, path_text((*place, number, key)))
            for number, message in enumerate(prepared)
            if isinstance(message, dict)
            for key, value in self._make_lists(message)
        ]
        return prepared, faults

    def _rename(self, message: Any) -> Any:
        if not isinstance(message, dict):
            return message
        renamed = dict(message)
        for old, new in self._renamed.items():
            value = renamed.pop(old, None)
            if value is not None and renamed.get(new) is None:
                renamed[new] = value
        return renamed

    def _make_lists(self, message: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Turn keys into lists in place; yield those that cannot be."""
        for key in self._listed:
            value = message.get(key)
            if isinstance(value, dict | str):
                message[key] = list(value)
            elif value is not None and not isinstance(value, list):
                yield key, value

    def read(self, messages: Any, sent: Any, place: Loc) -> Iterator[TypeFault]:
        """Yield what is wrong with the parts that the engine left unread."""
        for number, message in enumerate(messages):
            for key in _UNREAD:
                lazy = message.get(key) if isinstance(message, dict) else None
                if lazy is not None and not isinstance(lazy, str):
                    yield from self._read(lazy, sent[number][key], (*place, number, key))

    def as_sent(self, faults: list[TypeFault], sent: Any, place: Loc) -> list[TypeFault]:
        """Return faults that speak of the body as it was sent, not as it was prepared."""
        before = {
            path_text((*place, number, key)): (path_text((*place, number, old)), message[old])
            for number, message in enumerate(sent if isinstance(sent, list) else ())
            if isinstance(message, dict)
            for key, old in self._changed_keys(message)
        }
        changed = [_as_sent(fault, before) for fault in faults]
        return list({(fault.path, fault.message): fault for fault in changed}.values())

    def _changed_keys(self, message: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield ``(key now, key as sent)`` of what the server changes before it looks."""
        for old, new in self._renamed.items():
            if message.get(old) is not None and message.get(new) is None:
                yield new, old
        for key in self._listed:
            if isinstance(message.get(key), dict | str):
                yield key, key

    def _read(self, lazy: Any, sent: Any, place: Loc) -> Iterator[TypeFault]:
        if self._stumbles and place[-1] == "content" and isinstance(lazy, list):
            yield from _stumbling(lazy, place)
        try:
            parts = list(lazy)
        except ValidationError as error:
            yield from self._in_our_words(error, sent, place)
            return
        if place[-1] == "content":
            for number, part in enumerate(parts):
                yield from self._read_again(part, (*place, number))

    def _read_again(self, part: Any, place: Loc) -> list[TypeFault]:
        if not isinstance(part, dict) or part.get("uuid") is not None:
            return []
        validator = self._again.get(str(part.get("type")))
        return judge(validator, part, place)[1] if validator else []

    def _in_our_words(self, error: ValidationError, sent: Any, place: Loc) -> list[TypeFault]:
        """The engine speaks of the first shapes only; speak of the one that was meant."""
        if not isinstance(sent, list):
            return [expected_list(sent, path_text(place))]
        number = error.errors(include_url=False)[0]["loc"][0]
        if place[-1] != "content" or not isinstance(number, int):
            return faults_of(error, place)
        parts = ContentParts(*self._parts)
        return parts.faults(sent[number], (*place, number)) or faults_of(error, place)


def _stumbling(parts: list[Any], place: Loc) -> Iterator[TypeFault]:
    """Lists that the engine reads at once are searched for types, plain texts as if objects."""
    for number, part in enumerate(parts):
        if isinstance(part, str) and "type" in part:
            message = (
                "the server takes a plain text with the word type in it for an object and "
                f'fails: write {{"type": "text", "text": …}}, got {shown(part)}'
            )
            yield TypeFault(path_text((*place, number)), "text_with_type", message, part)


def _in_force(facts: Mapping[str, Mapping[str, str]], endpoint: Endpoint) -> dict[str, str]:
    """Which of the message's keys are treated so at the endpoint's release."""
    target = endpoint.target
    now = index(target.release, target.engine)
    return {
        key: fact["to"]
        for key, fact in facts.items()
        if fact["engine"] == target.engine and index(fact["since"], target.engine) <= now
    }


def _as_sent(fault: TypeFault, before: Mapping[str, tuple[str, Any]]) -> TypeFault:
    for path, (old, value) in before.items():
        if path == old and fault.path.startswith(f"{path}["):
            return expected_list(value, old)
        if fault.path == path or fault.path.startswith((f"{path}.", f"{path}[")):
            return fault._replace(path=old + fault.path.removeprefix(path))
    return fault
