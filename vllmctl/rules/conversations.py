"""Checks bodies that hold several conversations, each of which the server takes as a chat."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint as facts_of
from vllmctl.record import replace
from vllmctl.rules.case import drop
from vllmctl.rules.check import Checker
from vllmctl.rules.finding import Edit, Finding, Level
from vllmctl.rules.names import NameCheck

_CHAT = "chat.completions"
_MESSAGES = "messages"
_OF_NAMES = "field."
_BESIDE_MESSAGES = frozenset(
    ("continue_final_message", "add_generation_prompt", "echo", "kv_transfer_params")
)
"""What rules look at together with messages."""

_LAST_PIECES = Finding(
    Level.WARNING,
    "conversations.stream",
    "stream",
    "several conversations are not streamed: of each answer only its last piece would come back",
    drop("stream"),
)


class ConversationsChecker:
    """Checks bodies of such an endpoint: as a whole, and each conversation as a chat."""

    def __init__(self, endpoint: Endpoint) -> None:
        chat = facts_of(_CHAT, endpoint.target)
        self._chat_fields = chat.fields
        self._whole, self._each = Checker(endpoint), Checker(chat)
        self._names = NameCheck(_with_fields_of(chat, endpoint))

    def check(self, body: Any) -> list[Finding]:
        """Return the findings of one body."""
        whole = [found for found in self._whole.check(body) if not _is_of_names(found)]
        if not isinstance(body, Mapping):
            return whole
        told: set[tuple[str, str]] = {(found.code, found.path) for found in whole}
        findings = [*self._names.findings(body), *whole]
        if body.get("stream") is True:
            findings.append(_LAST_PIECES)
        for found in self._of_conversations(body):
            if (found.code, found.path) not in told:
                findings.append(found)
            told.add((found.code, found.path))
        return findings

    def _of_conversations(self, body: Mapping[str, Any]) -> Iterator[Finding]:
        shared = {
            name: value
            for name, value in body.items()
            if name in self._chat_fields and value is not None  # nulls are not passed on
        }
        conversations = body.get(_MESSAGES)
        for number, messages in enumerate(conversations if isinstance(conversations, list) else ()):
            if isinstance(messages, list):
                for found in self._each.check({**shared, _MESSAGES: messages}):
                    if not _is_of_names(found):
                        yield _placed(found, number)
                # one has been judged with all: a schema is not compiled again for each
                shared = {name: shared[name] for name in shared if name in _BESIDE_MESSAGES}


def _with_fields_of(chat: Endpoint, endpoint: Endpoint) -> Endpoint:
    return replace(
        endpoint,
        fields={**chat.fields, **endpoint.fields},
        models={**chat.models, **endpoint.models},
        absent={**chat.absent, **endpoint.absent},
        renames=chat.renames,
    )


def _is_of_names(found: Finding) -> bool:
    return found.code.startswith(_OF_NAMES) and not found.path.startswith(_MESSAGES)


def _placed(found: Finding, number: int) -> Finding:
    """Let a finding about a chat's messages speak of the conversation that they are."""
    path = _within(found.path, number)
    if path == found.path:
        return found
    fix = found.fix and tuple(
        Edit(edit.op, _within(edit.path, number), edit.value, _within(edit.to, number))
        for edit in found.fix
    )
    return replace(found, path=path, message=found.message.replace(found.path, path), fix=fix)


def _within(path: str, number: int) -> str:
    is_inside = path == _MESSAGES or path.startswith((f"{_MESSAGES}[", f"{_MESSAGES}."))
    return f"{_MESSAGES}[{number}]{path.removeprefix(_MESSAGES)}" if is_inside else path
