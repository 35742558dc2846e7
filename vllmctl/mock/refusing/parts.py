"""What the server refuses in the parts of messages, one after the other as it reads them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vllmctl.mock.refusing.wording import blame
from vllmctl.mock.wire import RefusedError
from vllmctl.rules.parts import MAY_BE_SILENT, MEDIA_TYPES, READ_BY_KEY, TEXT_KEYS, TYPES

Message = Mapping[str, Any]


class Unread(NamedTuple):
    """A part of the wrong type, which is found when the server comes to it."""

    message: int
    part: int
    refusal: RefusedError


def refuse_parts(
    messages: Sequence[Message], model: str, unread: Unread | None, *, joins: bool
) -> None:
    """Raise the first thing that is wrong with a part; ``unread`` is one of them.

    ``joins`` is whether the server stumbles over parts that have no text to join.
    """
    for number, message in enumerate(messages):
        content = message.get("content")
        texts: list[Any] = []
        for place, part in enumerate(content if isinstance(content, list) else ()):
            if unread is not None and (number, place) == unread[:2]:
                raise unread.refusal
            if joins:
                texts += _text_of(part, model)
            elif isinstance(part, Mapping) and _is_medium(part):
                raise RefusedError(f"{model} is not a multimodal model")
        _refuse_join(texts)
    if unread is not None:
        raise unread.refusal


def _text_of(part: Any, model: str) -> Iterator[Any]:
    """Yield a part's text, unless it says nothing."""
    if not isinstance(part, Mapping):
        yield part
        return
    kind = part.get("type")
    if kind is None or part.get("uuid") is not None:
        _refuse_untyped(part, model)
        kind = "tool_reference"
    if not isinstance(kind, str):
        raise blame("Invalid 'type' field in multimodal part.", "type")
    text = _of_kind(kind, part, model)
    if text:
        yield text


def _is_medium(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    return kind in MEDIA_TYPES or (kind is None and any(key in part for key in MEDIA_TYPES))


def _of_kind(kind: str, part: Mapping[str, Any], model: str) -> Any:
    if kind in MEDIA_TYPES:
        raise RefusedError(f"{model} is not a multimodal model")
    if kind not in TYPES:
        message = f"Unsupported chat content part type: {kind!r}. Supported types: "
        raise blame(f"{message}{', '.join(TYPES)}.", "type", kind)
    text = part.get(TEXT_KEYS.get(kind, "name"))
    is_silent = text is None and kind in MAY_BE_SILENT
    if kind in TEXT_KEYS and not is_silent and not isinstance(text, str | list | dict):
        raise RefusedError(f"argument of type '{type(text).__name__}' is not iterable")
    return None if kind == "prompt_embeds" else text


def _refuse_untyped(part: Mapping[str, Any], model: str) -> None:
    """Without a type, or with a uuid, the key says what a part is."""
    named = [key for key in READ_BY_KEY if key in part]
    if any(key in MEDIA_TYPES for key in named):
        raise RefusedError(f"{model} is not a multimodal model")
    if not named:
        raise blame("Missing 'type' field in multimodal part.", "type")


def _refuse_join(texts: Sequence[Any]) -> None:
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            kind = type(text).__name__
            raise RefusedError(f"sequence item {place}: expected str instance, {kind} found")
