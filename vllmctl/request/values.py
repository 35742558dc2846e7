"""From what a person typed to a JSON value of the field's type."""

import json
import math
import re
from typing import Any

from vllmctl.errors import UsageError
from vllmctl.fields.kinds import Form, Kind
from vllmctl.texts import shown

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\"}
_DEEPEST = 100
_MOST_DIGITS = 4000  # Python reads no more
_ESCAPE = r"\\(?:([ntr0\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))"


def parse_flag(texts: list[str], kind: Kind, owner: str, word: Any = None) -> Any:
    """Return the value of a flag given once or more with ``texts``.

    ``owner`` is the flag as typed, for messages. A flag that repeats adds up; of others the
    last one counts. ``word`` is what a bare word stands for (see ``fields.faces.Face``).
    Raises ``UsageError`` when a text is not of the form that ``kind`` asks for.
    """
    match kind.form:
        case Form.INTEGERS:
            return [number for text in texts for number in _integers(text, owner)]
        case Form.TEXTS:
            return _texts(texts, owner)
        case Form.MAP:
            return _map(texts, owner)
        case Form.JSONS:
            return [item for text in texts for item in _as_list(parse_json(text, owner))]
        case _:
            return _single(texts[-1], kind, owner, word)


def parse_json(text: str, owner: str) -> Any:
    """Return the JSON value in ``text``; say what is wrong with it, and why it often is."""
    if not text.strip():
        raise UsageError(f"{owner}: expected JSON, and this is empty")
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise UsageError(f"{owner}: this JSON nests too deeply") from None
    except ValueError as fault:
        raise UsageError(f"{owner}: not JSON: {_why(fault, text)}", _json_hint(text)) from None


def parse_assignment(text: str, owner: str) -> tuple[str, str, bool]:
    """Split ``key=text`` or ``key:=json``; the flag of the result is whether it is JSON."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip(":"):
        raise UsageError(
            f"{owner}: expected key=value or key:=json, got {text!r}",
            f"for example {owner} temperature=0.2",
        )
    if key.count(".") > _DEEPEST:
        raise UsageError(f"{owner}: a key of more than {_DEEPEST} parts nests too deeply")
    if key.endswith(":"):
        return key[:-1].strip(), value, True
    return key.strip(), value, False


def guess(text: str) -> Any:
    """Return ``text`` as JSON when it is one plain JSON value, else as the text it is."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def unescape(text: str) -> str:
    """Return ``text`` with ``\\n \\t \\r \\0 \\\\ \\xNN \\uNNNN`` as the characters they mean."""

    def character(match: re.Match[str]) -> str:
        letter, hex2, hex4 = match.groups()
        return _ESCAPES[letter] if letter else chr(int(hex2 or hex4, 16))

    return re.sub(_ESCAPE, character, text)


def _single(text: str, kind: Kind, owner: str, word: Any) -> Any:
    match kind.form:
        case Form.INTEGER:
            return _integer(text, owner)
        case Form.NUMBER:
            return _number(text, owner)
        case Form.BOOLEAN:
            return _boolean(text, owner)
        case Form.TEXT:
            return text
        case _:
            return _json_or_word(text, kind, owner, word)


def _json_or_word(text: str, kind: Kind, owner: str, word: Any) -> Any:
    if text in kind.choices:
        return text
    if word is not None and text.replace("-", "_").isidentifier():
        return _fill(word, text)
    return parse_json(text, owner) if text.lstrip()[:1] in ("{", "[") else guess(text)


def _fill(template: Any, word: str) -> Any:
    if isinstance(template, dict):
        return {key: _fill(value, word) for key, value in template.items()}
    return word if template == "$" else template


def _integer(text: str, owner: str) -> Any:
    if _is_whole(text):
        return int(text)
    value = _scalar(text, owner, "a whole number")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _number(text: str, owner: str) -> Any:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        hint = "write a point, not a comma" if re.fullmatch(r"\d+,\d+", text) else ""
        return _scalar(text, owner, "a number", hint)
    return int(text) if _is_whole(text) else number


def _scalar(text: str, owner: str, wanted: str, hint: str = "") -> Any:
    """Return a number or truth value of another kind: the checks say what a server makes of it.

    Raises ``UsageError`` for what is neither.
    """
    value = guess(text)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise UsageError(f"{owner}: expected {wanted}, got {text!r}", hint)


def _is_whole(text: str) -> bool:
    """Whether ``int`` reads ``text``; it takes fewer characters for blanks than ``strip`` does."""
    text = text.strip(" \t\n\r\v\f")
    digits = text[1:] if text.startswith(("+", "-")) else text
    return digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS


def _boolean(text: str, owner: str) -> Any:
    return _scalar(text, owner, "true or false")


def _integers(text: str, owner: str) -> list[Any]:
    if text.lstrip().startswith("["):
        return _as_list(parse_json(text, owner))
    return [_integer(part, owner) for part in text.split(",") if part.strip()]


def _texts(texts: list[str], owner: str) -> list[Any]:
    values: list[Any] = []
    for text in texts:
        values.extend(_as_texts(text, owner))
    return values


def _as_texts(text: str, owner: str) -> list[Any]:
    """Return the list that ``text`` is as JSON, or ``text``: ``[/INST]`` is one, too."""
    if re.match(r"\s*\[\s*\"", text):
        return _as_list(parse_json(text, owner))
    value = guess(text) if text.lstrip().startswith("[") else text
    return value if isinstance(value, list) else [text]


def _map(texts: list[str], owner: str) -> Any:
    merged: dict[str, Any] = {}
    for text in texts:
        if text.lstrip()[:1] not in ("{", "[") and "=" in text:
            key, value, is_json = parse_assignment(text, owner)
            merged[key] = parse_json(value, owner) if is_json else guess(value)
            continue
        value = parse_json(text, owner)
        if not isinstance(value, dict):
            raise UsageError(f"{owner}: expected an object or key=value, got {shown(value)}")
        merged.update(value)
    return merged


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"no server takes {name}")


def _why(fault: ValueError, text: str) -> str:
    if not isinstance(fault, json.JSONDecodeError):
        place = _place_of_constant(text)
        return f"{fault}{place}" if place else "it has a number of more than 4300 digits"
    near = text[max(0, fault.pos - 12) : fault.pos + 12].replace("\n", " ")
    place = f"line {fault.lineno}, column {fault.colno}"
    what = fault.msg.lower().removesuffix(" at")
    return f"{what} at {place}, near {near!r}" if near else what


def _place_of_constant(text: str) -> str:
    """Return where NaN or an infinity stands: outside of texts in quotes."""
    found = re.finditer(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)', text, re.DOTALL)
    place = next((one.start() for one in found if one[1]), None)
    if place is None:
        return ""
    line = text.count("\n", 0, place) + 1
    return f" at line {line}, column {place - text.rfind(chr(10), 0, place)}"


def _json_hint(text: str) -> str:
    if text.lstrip().startswith("{") and '"' not in text:
        return (
            "the shell seems to have taken the quotes away: put the JSON into a file and give "
            "@file, pipe it in with @-, or set one key with -o a.b=value"
        )
    return ""
