"""Texts that no tokenizer can read."""

from collections.abc import Iterator
from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, put
from vllmctl.rules.registry import own_rule

_READ = (
    *("messages", "prompt", "stop", "bad_words", "tools", "documents", "chat_template", "model"),
    *("chat_template_kwargs", "structured_outputs", "request_id", "session_id", "vllm_xargs"),
    *("kv_transfer_params", "ec_transfer_params"),
)
_UNREAD_KEYS = frozenset(("role", "name", "reasoning", "reasoning_content", "refusal"))
"""Of messages, what does not come to the tokenizer."""


@own_rule(
    "text.surrogate",
    "Texts hold no half of a surrogate pair.",
    _READ,
    kind="reject",
)
def surrogate(case: Case) -> Faults:
    """Half an emoji, mostly cut by a client that counts in UTF-16."""
    for name in _READ:
        for path, text in _texts(name, case.sent.get(name)):
            place = next((i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff"), None)
            if place is not None:
                message = f"{path} has half of a surrogate pair at character {place}"
                yield Fault(path, message, put(path, _replaced(text)))


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if not value.isascii():
            yield path, value
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(f"{path}[{place}]", item)
    elif isinstance(value, dict):
        is_message = path.startswith("messages[") and "role" in value
        for key, item in value.items():
            if not (is_message and key in _UNREAD_KEYS):
                yield from _texts(f"{path}.{key}", item)


def _replaced(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
