"""Structural tags, which xgrammar alone compiles when a request comes in."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from vllmctl.rules.syntax.grammar import judge_grammar
from vllmctl.rules.syntax.json_schema import RefusalError
from vllmctl.rules.syntax.regex import judge_regex
from vllmctl.rules.syntax.schema import is_text, mentions
from vllmctl.rules.syntax.xgrammar_schema import xgrammar_refusal


class _Shape(NamedTuple):
    """The members that a format must have, by their kind."""

    texts: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()


_SHAPES: Mapping[str, _Shape] = {
    "any_text": _Shape(),
    "any_tokens": _Shape(),
    "exclude_token": _Shape(),
    "token": _Shape(),
    "const_string": _Shape(texts=("value",)),
    "json_schema": _Shape(),
    "qwen_xml_parameter": _Shape(),
    "grammar": _Shape(texts=("grammar",)),
    "regex": _Shape(texts=("pattern",)),
    "sequence": _Shape(lists=("elements",)),
    "or": _Shape(lists=("elements",)),
    "tag": _Shape(formats=("content",)),
    "triggered_tags": _Shape(lists=("tags", "triggers")),
    "token_triggered_tags": _Shape(lists=("tags",)),
    "tags_with_separator": _Shape(texts=("separator",), lists=("tags",)),
    "optional": _Shape(formats=("content",)),
    "plus": _Shape(formats=("content",)),
    "star": _Shape(formats=("content",)),
    "repeat": _Shape(formats=("content",)),
    "dispatch": _Shape(lists=("rules",)),
    "token_dispatch": _Shape(lists=("rules",)),
}


_ALWAYS_NAMED = ("grammar", "regex")
"""What a format without a type is never taken for."""


def structural_tag_refusal(tag: Any) -> str:
    """Return why a structural tag (JSON in a string, or its object) is refused, or nothing."""
    try:
        _judge(_loaded(tag))
    except RefusalError as refusal:
        return str(refusal)
    return ""


def _loaded(tag: Any) -> Mapping[str, Any]:
    if isinstance(tag, str):
        try:
            tag = json.loads(tag)
        except (ValueError, RecursionError) as error:
            raise RefusalError(f"it is no JSON ({error})") from error
    if not isinstance(tag, dict):
        raise RefusalError("a structural tag is an object")
    return tag


def _judge(tag: Mapping[str, Any]) -> None:
    if "structures" in tag:
        _judge_structures(tag)
        return
    _require_json(tag)
    if tag.get("type", "structural_tag") != "structural_tag":
        raise RefusalError('its type is "structural_tag"')
    if "format" not in tag:
        raise RefusalError("it has no format")
    _judge_format(tag["format"])


def _judge_structures(tag: Mapping[str, Any]) -> None:
    """The old form: begin, schema and end for each trigger."""
    structures, triggers = tag["structures"], tag.get("triggers")
    if not isinstance(structures, list) or not structures:
        raise RefusalError("structures must be a list that is not empty")
    if not isinstance(triggers, list) or not triggers:
        raise RefusalError("triggers must be a list that is not empty")
    if not all(isinstance(trigger, str) for trigger in triggers):
        raise RefusalError("triggers are texts")
    for structure in structures:
        if not isinstance(structure, dict) or not {"begin", "schema", "end"} <= set(structure):
            raise RefusalError("a structure has begin, schema and end")
        if not isinstance(structure["begin"], str) or not isinstance(structure["end"], str):
            raise RefusalError("begin and end of a structure are texts")
        _require_json([structure["begin"], structure["schema"], structure["end"]])
        _require_trigger(structure["begin"], triggers)
        if isinstance(structure["schema"], dict | list | str):
            _judge_schema(structure["schema"])
    _require_use(triggers, [structure["begin"] for structure in structures])


def _require_json(value: Any) -> None:
    """xgrammar reads it once more, more strictly than Python does."""
    if not is_text(value):
        raise RefusalError("it holds half of a surrogate pair")
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise RefusalError("it holds NaN or Infinity, which is no JSON") from error


def _judge_format(given: Any) -> None:
    kind = given.get("type", _likely(given)) if isinstance(given, dict) else None
    shape = _SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise RefusalError(f'a format has a type such as "tag", got {kind!r}')
    for key in shape.texts:
        if not isinstance(given.get(key), str):
            raise RefusalError(f"a format {kind} has a text {key}")
    for key in shape.lists:
        if not isinstance(given.get(key), list) or not given[key]:
            raise RefusalError(f"a format {kind} has a list {key} that is not empty")
    for key in shape.formats:
        _judge_format(given.get(key))
    _judge_parts(str(kind), given)


def _likely(given: Mapping[str, Any]) -> str | None:
    """The kind of a format that does not say it, by the members that it has."""
    for kind, shape in _SHAPES.items():
        needed = (*shape.texts, *shape.formats, *shape.lists)
        if needed and kind not in _ALWAYS_NAMED and all(key in given for key in needed):
            return kind
    return "json_schema" if "json_schema" in given else None


def _judge_parts(kind: str, given: Mapping[str, Any]) -> None:
    if kind in ("json_schema", "qwen_xml_parameter"):
        _judge_schema(given.get("json_schema"))
    elif kind == "regex":
        _require_none(judge_regex(given["pattern"]).xgrammar)
    elif kind == "grammar":
        _require_none(judge_grammar(given["grammar"]).xgrammar)
    elif kind == "tag":
        _judge_ends(given)
    for part in (*given.get("elements", ()), *given.get("tags", ())):
        _judge_format(part)
    for tag in given.get("tags", ()):
        if tag.get("type", "tag") != "tag":
            raise RefusalError(f"tags of {kind} are formats of the type tag")
    if kind == "triggered_tags":
        begins = [tag.get("begin") for tag in given["tags"]]
        for begin in begins:
            _require_trigger(begin, given["triggers"])
        _require_use(given["triggers"], begins)


def _judge_ends(tag: Mapping[str, Any]) -> None:
    begin = tag.get("begin")
    is_token = isinstance(begin, dict) and begin.get("type", "token") == "token"
    if not isinstance(begin, str) and not is_token:
        raise RefusalError("a tag has a text begin")
    end = tag.get("end")
    if not isinstance(end, str | list | dict) or not end:
        raise RefusalError("a tag has an end that is not empty")


def _judge_schema(schema: Any) -> None:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        raise RefusalError("it has no schema")
    if not mentions(schema, "$ref"):
        _require_none(xgrammar_refusal(schema))


def _require_trigger(begin: Any, triggers: list[Any]) -> None:
    starts = [trigger for trigger in triggers if isinstance(trigger, str)]
    found = [start for start in starts if isinstance(begin, str) and begin.startswith(start)]
    if isinstance(begin, str) and not found:
        raise RefusalError(f"no trigger starts {begin!r}")
    if len(found) > 1:
        raise RefusalError(f"more than one trigger starts {begin!r}")


def _require_use(triggers: list[Any], begins: list[Any]) -> None:
    texts = [begin for begin in begins if isinstance(begin, str)]
    for trigger in triggers:
        is_used = isinstance(trigger, str) and any(text.startswith(trigger) for text in texts)
        if texts and not is_used:
            raise RefusalError(f"the trigger {trigger!r} starts no tag")


def _require_none(reason: str) -> None:
    if reason:
        raise RefusalError(reason)
