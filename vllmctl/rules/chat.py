"""Messages: their parts, the calls of tools in them, and what they must not be."""

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from vllmctl.rules.case import Case, Fault, Faults, drop, move, put
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.media import usual_part
from vllmctl.rules.parts import (
    MAY_BE_SILENT,
    READ_BY_KEY,
    ROLES,
    TEXT_KEYS,
    TYPES,
    messages,
    modality,
    parts,
    read_by_key,
)
from vllmctl.rules.registry import TEMPLATED, own_rule, rule
from vllmctl.rules.words import listed, shown

if TYPE_CHECKING:
    from vllmctl.catalog.part_keys import PartKeys

_KEYS = frozenset(
    (
        "role",
        "content",
        "name",
        "tool_calls",
        "tool_call_id",
        "reasoning",
        "reasoning_content",
        "refusal",
        "audio",
        "function_call",
        "tools",
        "task",
        "annotations",
    )
)


_OPENAI = "openai.types.chat"
"""What messages are made of; the types of other APIs' messages say themselves what parts are."""

_OTHER_KEYS = {"text": "content", "value": "content"}
"""What other APIs call a key of messages."""


@own_rule(
    "messages.none",
    "There is at least one message.",
    ("messages",),
    kind="reject",
    endpoints=TEMPLATED,
)
def no_messages(case: Case) -> Faults:
    """A template has nothing to make a prompt of."""
    reused = case.object("kv_transfer_params").get("prompt_token_ids")
    if case.value.get("messages") == [] and not reused:
        yield Fault("messages", "messages must not be empty")


@rule("messages.part_type")
def part_type(case: Case) -> Faults:
    """What a part holds is said by its type; media may say it by their key."""
    if _OPENAI not in repr(case.endpoint.fields["messages"].schema):
        return
    for path, part, _ in parts(case):
        kind = part.get("type")
        if read_by_key(part) and any(key in part for key in READ_BY_KEY):
            continue
        if kind is None and "text" in part:
            yield Fault(f"{path}.type", f"{path} has no type", put(f"{path}.type", "text"))
        elif not isinstance(kind, str) or kind not in TYPES:
            message = f"{path}.type {shown(kind)} is unknown; there are {listed(TYPES)}"
            yield Fault(f"{path}.type", message, usual_part(path, part))


@own_rule(
    "messages.part_text",
    "The text of a part is a string; only text and refusal parts may leave it out.",
    ("messages",),
    kind="reject",
    endpoints=TEMPLATED,
    since="0.32.0",
)
def part_text(case: Case) -> Faults:
    """Parts that some shape fits reach the template, whatever their text is."""
    for path, part, _ in parts(case):
        kind = part.get("type")
        key = TEXT_KEYS.get(kind) if isinstance(kind, str) else None
        text = part.get(key) if key else ""
        if isinstance(text, str) or (text is None and kind in MAY_BE_SILENT):
            continue
        place = f"{path}.{key}"
        message = f"{place} must be a string, got {shown(text)}"
        level = Level.WARNING if text in ([], {}) else None  # nothing to join: it is left out
        yield Fault(place, message, _as_text(place, text), level)


def _as_text(path: str, value: Any) -> tuple[Edit, ...] | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return put(path, shown(value)) if is_number else None


@rule("messages.tool_calls_shape")
def tool_calls_shape(case: Case) -> Faults:
    """Calls are calls of functions."""
    for path, call in _calls(case):
        if call.get("type", "function") != "function" or not isinstance(
            call.get("function"), Mapping
        ):
            yield Fault(path, f"{path} must be a call of type function")


def _calls(case: Case) -> list[tuple[str, Mapping[str, Any]]]:
    """The calls of tools in assistants' messages, with their paths."""
    found: list[tuple[str, Mapping[str, Any]]] | None = case.memo.get("calls")
    if found is None:
        found = case.memo["calls"] = [
            (f"{path}.tool_calls[{place}]", call)
            for path, message in messages(case)
            if message.get("role") == "assistant" and isinstance(message.get("tool_calls"), list)
            for place, call in enumerate(message["tool_calls"])
            if isinstance(call, dict)
        ]
    return found


@own_rule(
    "messages.tool_arguments",
    "The arguments of a call are a JSON object in a string; others become an empty one.",
    ("messages",),
    kind="normalize",
    endpoints=TEMPLATED,
)
def tool_arguments(case: Case) -> Faults:
    """Templates get the object, and older releases refuse what is none."""
    for path, call in _calls(case):
        function = call.get("function")
        text = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(text, str) and text:
            reason = _no_object(text)
            if reason:
                place = f"{path}.function.arguments"
                name = f" (call {call['id']})" if "id" in call else ""
                message = f"{place}{name} {reason}: the server takes {{}} instead or refuses it"
                yield Fault(place, message, put(place, "{}"))


def _no_object(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"is no JSON, {error}"
    return "" if isinstance(value, dict) else f"must be a JSON object, got {shown(value)}"


@own_rule(
    "messages.tool_answers",
    "Every call of a tool is answered by a message of the role tool.",
    ("messages",),
    kind="normalize",
    endpoints=TEMPLATED,
)
def tool_answers(case: Case) -> Faults:
    """Models are confused by calls without answers and answers without calls."""
    open_calls: dict[str, str] = {}
    for path, message in messages(case):
        if message.get("role") == "tool":
            asked = message.get("tool_call_id")
            if asked is None:
                yield Fault(path, f"{path} does not say in tool_call_id which call it answers")
            if isinstance(asked, str) and open_calls.pop(asked, None) is None:
                yield Fault(
                    f"{path}.tool_call_id", f"{path} answers {asked}, which no message before calls"
                )
            continue
        for call, place in open_calls.items():
            yield Fault(
                place, f"{place} is never answered: no message of role tool has tool_call_id {call}"
            )
        open_calls = _ids(path, message)


def _ids(path: str, message: Mapping[str, Any]) -> dict[str, str]:
    calls = message.get("tool_calls")
    return {
        call["id"]: f"{path}.tool_calls[{place}]"
        for place, call in enumerate(calls if isinstance(calls, list) else ())
        if isinstance(call, dict) and isinstance(call.get("id"), str)
    }


@own_rule(
    "messages.role",
    "Roles go to the chat template as they are; it may drop what it does not know.",
    ("messages",),
    kind="normalize",
    endpoints=TEMPLATED,
)
def role(case: Case) -> Faults:
    """Nobody checks them."""
    for path, message in messages(case):
        given = message.get("role")
        if given not in ROLES and isinstance(given, str):
            text = (
                f"{path}.role {shown(given)} is not usual; the chat template may drop the message"
            )
            yield Fault(f"{path}.role", text)


@own_rule(
    "messages.unknown_key",
    "Keys of messages that vLLM does not know do not reach the template.",
    ("messages",),
    endpoints=TEMPLATED,
)
def unknown_key(case: Case) -> Faults:
    """Ids, options and the like."""
    for path, message in messages(case):
        for key in message:
            if key not in _KEYS:
                yield _strange_key(path, key, message, _KEYS, _OTHER_KEYS.get(key))


@own_rule(
    "messages.part_key",
    "Keys of parts that no type of part has are left out.",
    ("messages",),
    endpoints=TEMPLATED,
)
def part_key(case: Case) -> Faults:
    """Marks for caches, ids, misspelt keys, and those of a later release."""
    found = parts(case)
    if not found:
        return
    from vllmctl.catalog.part_keys import part_keys

    known = part_keys(case.endpoint)
    for path, part, _ in found:
        for key, value in part.items():
            if key not in known.keys and key not in TYPES:
                yield _part_key(path, key, part, known)
            elif isinstance(value, dict) and key in known.inside:
                for name in value:
                    if name not in known.inside[key]:
                        yield _strange_key(f"{path}.{key}", name, value, known.inside[key])


def _part_key(path: str, key: str, part: Mapping[str, Any], known: "PartKeys") -> Fault:
    since = known.elsewhere.get(key)
    if since is None:
        return _strange_key(path, key, part, known.keys)
    return Fault(f"{path}.{key}", f"{path}.{key} is ignored before {since}", drop(f"{path}.{key}"))


def _strange_key(
    path: str, key: str, around: Mapping[str, Any], known: Collection[str], means: str | None = None
) -> Fault:
    """A key that nobody reads; ``means`` is what it is called here, if that is known."""
    from vllmctl.nearest import nearest

    place = f"{path}.{key}"
    near = means or nearest(key, sorted(known))
    if near is None or near in around:
        return Fault(place, f"{place} is ignored", drop(place))
    return Fault(place, f"{place} is ignored: did you mean {near}", move(place, f"{path}.{near}"))


@own_rule(
    "messages.reasoning_name",
    "Between 0.16.0 and 0.21.0 a message's thoughts are called reasoning only.",
    ("messages",),
    endpoints=TEMPLATED,
    since="0.16.0",
    until="0.21.0",
)
def reasoning_name(case: Case) -> Faults:
    """Before and after, reasoning_content is read as well."""
    for path, message in messages(case):
        if message.get("reasoning_content") is not None:
            place = f"{path}.reasoning_content"
            fix = (
                move(place, f"{path}.reasoning")
                if message.get("reasoning") is None
                else drop(place)
            )
            yield Fault(place, f"{place} is ignored: the name is reasoning", fix)


@rule("messages.system_text_only")
def system_text_only(case: Case) -> Faults:
    """Taken, against the API's own description."""
    for path, part, role_ in parts(case):
        if role_ == "system" and modality(part):
            message = f"{path}: system messages should hold text only"
            yield Fault(path, message, None, Level.WARNING)


@rule("messages.mm_mixed_embeds")
def mixed_embeds(case: Case) -> Faults:
    """Of one modality, all are media or all are embeddings."""
    seen: dict[str, bool] = {}
    for path, part, _ in parts(case):
        kind = modality(part)
        if kind:
            embedded = "embeds" in str(part.get("type"))
            if seen.setdefault(kind, embedded) != embedded:
                message = f"{path}: {kind} parts and {kind} embeddings cannot be mixed"
                yield Fault(path, message)
                return


@rule("messages.mm_embeds_flag")
def embeds_flag(case: Case) -> Faults:
    """Off by default."""
    for path, part, _ in parts(case):
        if str(part.get("type")) in ("image_embeds", "audio_embeds", "video_embeds"):
            yield Fault(path, f"{path} needs a server with --enable-mm-embeds")


@rule("messages.one_media")
def one_media(case: Case) -> Faults:
    """One to a request in the first releases."""
    media = [path for path, part, _ in parts(case) if modality(part)]
    if len(media) > 1:
        message = f"{case.endpoint.target} takes one media part a request, got {len(media)}"
        yield Fault(media[1], message)


@rule("messages.media_uuid")
def media_uuid(case: Case) -> Faults:
    """Nothing, unless it is known from before."""
    for path, part, _ in parts(case):
        kind = part.get("type")
        empty = isinstance(kind, str) and kind in part and part[kind] is None
        if modality(part) and empty and part.get("uuid") is None:
            yield Fault(path, f"{path} is empty; only a uuid of something cached may stand for it")
