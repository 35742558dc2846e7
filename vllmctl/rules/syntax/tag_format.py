"""The formats of structural tags, read as xgrammar reads them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from vllmctl.rules.syntax.json_schema import RefusalError, is_number

_STYLES = ("json", "qwen_xml", "minimax_xml", "deepseek_xml", "glm_xml", "cohere_xml")
_MOST = 2**31 - 1


class Format(NamedTuple):
    """A format that is well formed, with the formats in it."""

    kind: str
    given: Mapping[str, Any]
    parts: tuple["Format", ...] = ()


def read_format(given: Any) -> Format:
    """Read a format.

    Raises:
        RefusalError: it is none.
    """
    return _Formats().read(given)


class _Formats:
    """Reads formats; what has no type is tried as many, and all that is in it once."""

    def __init__(self) -> None:
        self._untyped: dict[int, Format | RefusalError] = {}

    def read(self, given: Any) -> Format:
        """Read a format, or raise ``RefusalError``."""
        if not isinstance(given, dict):
            raise RefusalError(f'a format is an object with a type such as "tag", got {given!r}')
        if "type" not in given:
            return self._likely(given)
        kind = given["type"]
        if not isinstance(kind, str) or kind not in _READERS:
            raise RefusalError(f'a format has a type such as "tag", got {kind!r}')
        return self._of_kind(kind, given)

    def _of_kind(self, kind: str, given: Mapping[str, Any]) -> Format:
        parts = _READERS[kind](given)
        return Format(kind, given, tuple(self.read(part) for part in parts))

    def _likely(self, given: Mapping[str, Any]) -> Format:
        known = id(given)
        if known not in self._untyped:
            self._untyped[known] = self._first(given)
        found = self._untyped[known]
        if isinstance(found, RefusalError):
            raise found
        return found

    def _first(self, given: Mapping[str, Any]) -> Format | RefusalError:
        """What a format without a type is taken for: the first that it can be."""
        for kind in _UNNAMED:
            try:
                if kind != "any_text" or "excludes" in given:
                    return self._of_kind(kind, given)
            except RefusalError:
                continue
        return RefusalError('a format has a type such as "tag"')


Parts = Sequence[Any]
"""What is in a format, not yet read."""

Reader = Callable[[Mapping[str, Any]], Parts]


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(given: Mapping[str, Any], key: str, *, empty: bool = True) -> None:
    value = given.get(key)
    if not isinstance(value, str) or not (value or empty):
        raise RefusalError(f"a format has a text {key}{'' if empty else ' that is not empty'}")


def _texts(given: Mapping[str, Any], key: str, *, empty: bool = False) -> None:
    values = given.get(key, [])
    if not isinstance(values, list):
        raise RefusalError(f"{key} is a list")
    for value in values:
        if not isinstance(value, str) or not (value or empty):
            raise RefusalError(f"{key} has texts that are not empty")


def _list(given: Mapping[str, Any], key: str) -> list[Any]:
    values = given.get(key)
    if not isinstance(values, list) or not values:
        raise RefusalError(f"a format has a list {key} that is not empty")
    return values


def _flags(given: Mapping[str, Any], *keys: str) -> None:
    for key in keys:
        if not isinstance(given.get(key, False), bool):
            raise RefusalError(f"{key} is true or false")


def read_token(value: Any) -> None:
    """Look at the id or the text of a token."""
    if isinstance(value, str) and value:
        return
    if not is_number(value) or not 0 <= value <= _MOST or value != math.floor(value):
        raise RefusalError("a token is given by its id")


def _tokens(given: Mapping[str, Any], key: str) -> None:
    values = given.get(key, [])
    if not isinstance(values, list):
        raise RefusalError(f"{key} is a list")
    for value in values:
        read_token(value)


def _budget(given: Mapping[str, Any], key: str) -> None:
    value = given.get(key)
    if value is not None and (
        not is_number(value) or not 0 <= value <= _MOST or value != math.floor(value)
    ):
        raise RefusalError(f"{key} is a whole number")


def _json_schema(given: Mapping[str, Any]) -> Parts:
    if not isinstance(given.get("json_schema"), dict | bool):
        raise RefusalError("it has no schema")
    style = given.get("style", "json")
    if isinstance(style, str) and style not in (*_STYLES, "kimi_k3_xml"):
        raise RefusalError(f"there is no style {style}")
    return _qwen(given)


def _qwen(given: Mapping[str, Any]) -> Parts:
    if not isinstance(given.get("json_schema"), dict | bool):
        raise RefusalError("it has no schema")
    _flags(given, "any_order")
    count = given.get("max_whitespace_cnt")
    if count is not None and not _is_whole(count):
        raise RefusalError("max_whitespace_cnt is a whole number")
    return ()


def _any_text(given: Mapping[str, Any]) -> Parts:
    _budget(given, "max_tokens")
    _budget(given, "max_chars")
    _texts(given, "excludes", empty=True)
    return ()


def _any_tokens(given: Mapping[str, Any]) -> Parts:
    _tokens(given, "exclude_tokens")
    _budget(given, "max_tokens")
    return ()


def _exclude_token(given: Mapping[str, Any]) -> Parts:
    _tokens(given, "exclude_tokens")
    return ()


def _token(given: Mapping[str, Any]) -> Parts:
    read_token(given.get("token"))
    return ()


def _const(given: Mapping[str, Any]) -> Parts:
    _text(given, "value")
    return ()


def _grammar(given: Mapping[str, Any]) -> Parts:
    _text(given, "grammar", empty=False)
    return ()


def _regex(given: Mapping[str, Any]) -> Parts:
    _text(given, "pattern", empty=False)
    return ()


def _elements(given: Mapping[str, Any]) -> Parts:
    return _list(given, "elements")


def _content(given: Mapping[str, Any]) -> Parts:
    if "content" not in given:
        raise RefusalError("it has no content")
    return [given["content"]]


def _tag(given: Mapping[str, Any]) -> Parts:
    begin, end = given.get("begin"), given.get("end")
    if isinstance(begin, dict):
        read_token(begin.get("token"))
    elif not isinstance(begin, str):
        raise RefusalError("a tag has a text begin")
    content = _content(given)
    if isinstance(end, dict):
        read_token(end.get("token"))
    elif isinstance(end, list):
        _list(given, "end")
        _texts(given, "end", empty=True)
    elif not isinstance(end, str):
        raise RefusalError("a tag has a text end, or a list of them")
    return content


def _tags(given: Mapping[str, Any]) -> Parts:
    tags = _list(given, "tags")
    if not all(isinstance(one, dict) and one.get("type", "tag") == "tag" for one in tags):
        raise RefusalError("tags are formats of the type tag")
    _flags(given, "at_least_one", "stop_after_first")
    return [{**one, "type": "tag"} for one in tags]


def _triggered(given: Mapping[str, Any]) -> Parts:
    _list(given, "triggers")
    _texts(given, "triggers")
    _texts(given, "excludes")
    return _tags(given)


def _token_triggered(given: Mapping[str, Any]) -> Parts:
    _list(given, "trigger_tokens")
    _tokens(given, "trigger_tokens")
    _tokens(given, "exclude_tokens")
    return _tags(given)


def _separated(given: Mapping[str, Any]) -> Parts:
    _text(given, "separator")
    return _tags(given)


def _repeat(given: Mapping[str, Any]) -> Parts:
    least, most = given.get("min"), given.get("max")
    if not _is_whole(least) or not _is_whole(most):
        raise RefusalError("repeat has the whole numbers min and max")
    if not 0 <= least <= _MOST or most < -1 or 0 <= most < least:
        raise RefusalError("min is at least 0, and max is not less than it, or -1")
    return _content(given)


def _dispatch(given: Mapping[str, Any]) -> Parts:
    _texts(given, "excludes")
    return _rules(given, lambda start: isinstance(start, str))


def _token_dispatch(given: Mapping[str, Any]) -> Parts:
    _tokens(given, "exclude_tokens")
    return _rules(given, _starts_by_token)


def _starts_by_token(start: Any) -> bool:
    is_id = is_number(start) and abs(start) <= _MOST and start == math.floor(start)
    return isinstance(start, str) or is_id


def _rules(given: Mapping[str, Any], starts: Callable[[Any], bool]) -> Parts:
    rules = _list(given, "rules")
    if not all(isinstance(rule, list) and len(rule) == 2 and starts(rule[0]) for rule in rules):
        raise RefusalError("rules are pairs of what starts them and a format")
    _flags(given, "loop")
    return [rule[1] for rule in rules]


_READERS: Mapping[str, Reader] = {
    "any_text": _any_text,
    "any_tokens": _any_tokens,
    "const_string": _const,
    "dispatch": _dispatch,
    "exclude_token": _exclude_token,
    "grammar": _grammar,
    "json_schema": _json_schema,
    "optional": _content,
    "or": _elements,
    "plus": _content,
    "qwen_xml_parameter": _qwen,
    "regex": _regex,
    "repeat": _repeat,
    "sequence": _elements,
    "star": _content,
    "tag": _tag,
    "tags_with_separator": _separated,
    "token": _token,
    "token_dispatch": _token_dispatch,
    "token_triggered_tags": _token_triggered,
    "triggered_tags": _triggered,
}
_UNNAMED = (
    *("tag", "const_string", "json_schema", "any_text", "sequence", "or", "triggered_tags"),
    *("tags_with_separator", "optional", "plus", "star", "repeat", "dispatch", "token_dispatch"),
)
