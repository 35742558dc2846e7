"""From everything asked for to one body in which every value knows its source."""

from collections.abc import Mapping, Sequence
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import nested_field
from vllmctl.errors import UsageError
from vllmctl.fields.faces import faces
from vllmctl.fields.kinds import Form, Kind, kind_of
from vllmctl.fields.options import OptionSpec, face_of, flag_of
from vllmctl.fields.sugar import CHAT, IMPLICATIONS, STREAM_BLOCKERS, Implication, Sugar
from vllmctl.record import Record, field
from vllmctl.request.layers import Merge
from vllmctl.request.messages import (
    Said,
    Words,
    attachments,
    conversation,
    prompts_of,
    read_words,
    with_piped,
)
from vllmctl.request.origin import Layer, Origin
from vllmctl.request.paths import get, has
from vllmctl.request.sources import Sources
from vllmctl.request.values import guess, parse_assignment, parse_flag, parse_json, unescape

_ADDED = {"stream", *(row.path for row in IMPLICATIONS)}
"""What is added where nobody sets it."""


class GivenFlag(Record):
    """A field's or sugar's flag as given: the name typed, and its texts or its yes or no."""

    spec: OptionSpec
    typed: str
    texts: list[str] = field(factory=list)
    answer: bool | None = None


class Asked(Record):
    """All that may shape the body, still as typed, and the settings that imply fields."""

    data: str | None = None
    layers: list[Layer] = field(factory=list)
    options: list[str] = field(factory=list)
    flags: list[GivenFlag] = field(factory=list)
    unset: list[str] = field(factory=list)
    words: Words = field(factory=Words)
    needs_words: bool = True
    streams: bool = False
    wants: Mapping[str, Any] = field(factory=dict)


class Request(Record):
    """A body, the origin of each value in it, and what was done that the user did not type."""

    endpoint: Endpoint
    body: dict[str, Any]
    origins: dict[str, Origin]
    notices: list[str] = field(factory=list)


def build(asked: Asked, endpoint: Endpoint, sources: Sources) -> Request:
    """Merge the layers in the order of precedence and add what they imply.

    Body, profiles, ``-o``, flags, words, implications, ``--unset``. Raises ``UsageError``
    for a value that cannot be read.
    """
    merge = Merge(endpoint)
    told: list[Origin] = []
    if asked.data is not None:
        merge.add(_body_layer(asked.data, sources))
        _note_messages(merge, told)
    for layer in asked.layers:
        merge.add(layer)
        _note_messages(merge, told)
    for text in asked.options:
        _put_option(merge, text, endpoint, sources)
    notices = []
    for flag in asked.flags:
        before = dict(merge.origins)
        _put_flag(merge, flag, endpoint, sources)
        _require_one_voice(flag, before, merge)
        notices += _last_newline(flag, endpoint, merge)
    _note_messages(merge, told)
    # where talk goes on turn by turn, other messages have opened it and are among its own
    notices += _replaced_messages(told) if asked.needs_words else []
    notices += _add_words(merge, read_words(asked.words, sources), endpoint, sources)
    if asked.needs_words and asked.data is None:
        _require_words(merge.body, endpoint)
    for path in asked.unset:
        if not merge.unset(path) and path not in _ADDED:
            notices.append(f"--unset {path}: nothing was set there")
    notices += _imply(merge, asked, endpoint)
    return Request(endpoint, _in_reading_order(merge.body), merge.origins, notices)


def _body_layer(data: str, sources: Sources) -> Layer:
    value = parse_json(sources.resolve(data, "-d"), "-d")
    if not isinstance(value, dict):
        raise UsageError(f"-d: the body must be a JSON object, got {type(value).__name__}")
    name = f"-d {data}" if data.startswith("@") else "-d"
    return Layer(value, {key: Origin("body", name) for key in value})


def _note_messages(merge: Merge, told: list[Origin]) -> None:
    origin = merge.origins.get("messages")
    if origin is not None and origin not in told:
        told.append(origin)


def _replaced_messages(told: list[Origin]) -> list[str]:
    """Say so where a whole conversation is left out; ``told`` gave one each, the last counts."""
    if len(told) < 2 or all(origin.kind != "session" for origin in told):
        return []
    others = " and ".join(map(str, told[:-1]))
    return [f"the messages of {told[-1]} take the place of those of {others}"]


def _put_option(merge: Merge, text: str, endpoint: Endpoint, sources: Sources) -> None:
    path, value, is_json = parse_assignment(text, "-o")
    path = path.replace("-", "_")
    if "[" in path:
        raise UsageError(
            f"-o {path}: a path has no [i]", f"give the whole list: -o {path.split('[')[0]}:=JSON"
        )
    owner = f"-o {path}"
    value = sources.resolve(value, owner)
    known = nested_field(endpoint, path)
    if is_json:
        parsed = parse_json(value, owner)
    elif known is None:
        parsed = guess(value)
    else:
        parsed = parse_flag([value], kind_of(known.schema), owner, face_of(path, known).word)
        parsed = _alone(path, parsed, value)
    merge.put_path(path, parsed, Origin("option", owner))


def _alone(path: str, value: Any, text: str) -> Any:
    """One prompt is a text, not a list of one, as if it were typed without a flag."""
    return text if path == "prompt" and value == [text] else value


def _put_flag(merge: Merge, flag: GivenFlag, endpoint: Endpoint, sources: Sources) -> None:
    origin = Origin("flag", flag.typed)
    if flag.spec.sugar is not None:
        row = flag.spec.sugar
        merge.put_path(_place(row, endpoint), _sugar_value(row, flag, sources), origin)
        return
    path = flag.spec.path
    if flag.answer is not None:
        merge.put_path(path, flag.answer, origin)
        return
    texts = [sources.resolve(text, flag.typed) for text in flag.texts]
    texts = [unescape(text) for text in texts] if flag.spec.escapes else texts
    if path == "tools":
        from vllmctl.request.tool_forms import parse_tools

        merge.put_path(path, parse_tools(texts, flag.typed), origin)
        return
    value = parse_flag(texts, flag.spec.kind, flag.typed, flag.spec.word)
    if path == "messages" and any("messages" in turn for turn in value if isinstance(turn, dict)):
        raise UsageError(f"{flag.typed}: this is a whole body, not its messages", "-d takes one")
    merge.put_path(path, _alone(path, value, texts[-1]), origin)


def _last_newline(flag: GivenFlag, endpoint: Endpoint, merge: Merge) -> list[str]:
    """Say so where the newline that ends a file ends a line that is sent."""
    if not flag.texts or not all(text.startswith("@") for text in flag.texts):
        return []
    row = flag.spec.sugar
    value = get(merge.body, _place(row, endpoint) if row else flag.spec.path)
    lines = value if isinstance(value, list) else [value]
    if any(isinstance(line, str) and line.find("\n") == len(line) - 1 > 0 for line in lines):
        return [f"the text of {flag.typed} ends with a newline, which is sent, too"]
    return []


def _require_one_voice(flag: GivenFlag, before: dict[str, Origin], merge: Merge) -> None:
    """Two flags may not say different things of one value."""
    for path, origin in before.items():
        now = merge.origins.get(path)
        if origin.kind == "flag" and now is not None and now.text != origin.text:
            raise UsageError(f"{origin} and {flag.typed} both set {path}", "leave one out")


def _place(row: Sugar, endpoint: Endpoint) -> str:
    """Return the first of the sugar's places whose field this release has."""
    for path in row.paths:
        if path.split(".")[0] in endpoint.fields:
            return path
    return row.paths[0]


def _sugar_value(row: Sugar, flag: GivenFlag, sources: Sources) -> Any:
    if row.kind == "switch":
        return row.value if row.value is not None else flag.answer
    texts = [sources.resolve(text, flag.typed) for text in flag.texts]
    match row.kind:
        case "texts":
            return parse_flag(texts, Kind(Form.TEXTS), flag.typed)
        case "schema":
            from vllmctl.request.schema_forms import parse_schema

            return parse_schema(texts[-1], flag.typed)
        case "tokens":
            lists = [_tokens(text, flag.typed) for text in texts]
            return lists if len(lists) > 1 else lists[0]
        case _:
            return texts[-1]


def _tokens(text: str, owner: str) -> Any:
    return parse_flag([text], Kind(Form.INTEGERS), owner)


def _add_words(merge: Merge, words: Words, endpoint: Endpoint, sources: Sources) -> list[str]:
    if endpoint.name == CHAT:
        return _add_messages(merge, words, sources)
    wanted = not has(merge.body, "prompt") and not has(merge.body, "prompt_embeds")
    prompts = prompts_of(words, sources, wanted or bool(words.prompts))
    if not prompts:
        return []
    texts = [said.text for said in prompts]
    typed = merge.origins.get("prompt")
    if typed is not None and typed.kind == "flag":
        raise UsageError(f"{typed} and {prompts[-1].origin} both give the prompt", "leave one out")
    merge.put("prompt", texts[0] if len(texts) == 1 else texts, prompts[-1].origin)
    notices = _empty(prompts)
    if prompts[-1].origin.text != "the prompt" and texts[-1].endswith("\n"):
        notices.append("the prompt ends with a newline, and the model sees it")
    return notices


def _empty(prompts: Sequence[Said]) -> list[str]:
    return [f"{name} is empty" for said in prompts for name in said.empty]


def _require_words(body: dict[str, Any], endpoint: Endpoint) -> None:
    if not body.keys() & {"messages", "prompt", "prompt_embeds"}:
        more = ", or give --messages" if endpoint.name == CHAT else ""
        raise UsageError("there is no prompt", f"write one, pipe one in{more}")


def _add_messages(merge: Merge, words: Words, sources: Sources) -> list[str]:
    base = merge.body.get("messages") or []
    attached = attachments(words, sources)
    wanted = not base or bool(words.prompts) or words.continues
    prompts = with_piped(prompts_of(words, sources, wanted=wanted))
    require_one(prompts)
    messages, origins = conversation(base, words, prompts, attached)
    if messages == base:
        if words.continues:
            raise UsageError("there is no prompt to go on with", "write one, or pipe one in")
        return []
    merge.body["messages"] = messages
    merge.origins.update(origins)
    if words.prefill is not None:
        if merge.body.get("continue_final_message") is False:
            set_by = merge.origins["continue_final_message"]
            raise UsageError(f"--prefill needs continue_final_message, and {set_by} turns it off")
        merge.put("continue_final_message", True, Origin("implied", "implied by --prefill"))
    return [*_empty(prompts), *(one.size for one in attached if one.size)]


def require_one(prompts: Sequence[Said]) -> None:
    """Raise ``UsageError`` for more than one prompt of a chat."""
    if len(prompts) > 1:
        raise UsageError(
            f"chat takes one prompt, got {len(prompts)}: {prompts[1].text[:40]!r}",
            "a switch takes no value; --no-… in place of --… says no"
            if prompts[1].text.isdecimal() or prompts[1].text in ("true", "false")
            else "put the prompt in quotes; more turns are --message role:text",
        )


def _imply(merge: Merge, asked: Asked, endpoint: Endpoint) -> list[str]:
    _ask_for_stream(merge, asked, endpoint)
    notices = []
    for row in IMPLICATIONS:
        if not _applies(row, merge.body, asked, endpoint):
            continue
        cause = flag_of(row.when) if row.when in asked.wants else row.when
        value = asked.wants[row.when] if row.value is None else row.value
        if row.needed:
            _require_not_off(row.path, cause, merge, asked)
        if has(merge.body, row.path):
            notices += _fewer(merge, row.path, value, cause)
        elif not _is_unset(row.path, asked):
            merge.put_path(row.path, value, Origin("implied", f"implied by {cause}"))
            if not row.quiet:
                notices.append(f"sending {row.path}: {str(value).lower()}, implied by {cause}")
    return notices


def _require_not_off(path: str, cause: str, merge: Merge, asked: Asked) -> None:
    """Raise ``UsageError`` where the user turns off what ``cause`` cannot do without."""
    is_off = has(merge.body, path) and not _asks(get(merge.body, path))
    if is_off or _is_unset(path, asked):
        set_by = merge.origins[path] if is_off else f"--unset {path}"
        raise UsageError(f"{cause} needs {path}, and {set_by} turns it off", "leave one out")


def _fewer(merge: Merge, path: str, wanted: Any, cause: str) -> list[str]:
    """Say so where the user's own value at ``path`` gives less than ``cause`` needs."""
    own = get(merge.body, path)
    if own is False and wanted is True and cause.startswith("--"):
        return [f"{cause} has less to show: {path} is {merge.origins[path].deed}"]
    if not all(type(number) is int for number in (own, wanted)) or not 0 <= own < wanted:
        return []
    return [f"{cause} {wanted} finds only {own}: {path} is {merge.origins[path].deed}"]


def _is_unset(path: str, asked: Asked) -> bool:
    return not {path, path.partition(".")[0]}.isdisjoint(asked.unset)


def _ask_for_stream(merge: Merge, asked: Asked, endpoint: Endpoint) -> None:
    names = STREAM_BLOCKERS.get(endpoint.name, ())
    # 0 blocks too: the stream would come without what was asked for
    blocked = any(_asks(get(merge.body, name)) for name in names)
    free = "stream" not in merge.body and "stream" not in asked.unset
    if asked.streams and free and not blocked and "stream" in endpoint.fields:
        merge.put("stream", True, Origin("default", "vllmctl streams by default"))


def _asks(value: Any) -> bool:
    return value is not None and value is not False


def _applies(row: Implication, body: dict[str, Any], asked: Asked, endpoint: Endpoint) -> bool:
    wanted = bool(asked.wants.get(row.when) or get(body, row.when))
    known = nested_field(endpoint, row.path) is not None
    streamed = not row.streaming or bool(body.get("stream"))
    return wanted and known and streamed and endpoint.name in row.endpoints


def _in_reading_order(body: dict[str, Any]) -> dict[str, Any]:
    """Model and messages first, then the fields as help shows them, unknown ones last."""
    order = {path: place for place, path in enumerate(faces())}
    return dict(sorted(body.items(), key=lambda item: order.get(item[0], len(order))))
