"""Pydantic's lists of validation errors, made readable.

They come as Python texts of dicts (vLLM's ``N validation errors``), as pydantic's own
text, and as FastAPI's JSON list.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from vllmctl.record import Record

_ENTRY = re.compile(r"(?=\{'type': ')")
_LOCATION = re.compile(r"'loc': (\([^)]*\)|\[[^\]]*\]|'[^']*')")
_MESSAGE = re.compile(r"'msg': ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", re.DOTALL)
_LONGEST = 500
"""Characters of one problem; who builds schemas makes messages without end."""
_COUNT = re.compile(r"\d+ validation errors?( for [^\n]*)?:?\s*")
_TEXT_ENTRY = re.compile(
    r"^(?P<loc>\S[^\n]*)\n {2}(?P<msg>\S[^\n]*?)(?: \[type=(?P<type>\w+)[^\n]*)?$", re.MULTILINE
)
# what pydantic puts into a location to name a branch of a union, which is no part of the body
_BRANCH = re.compile(
    r"[A-Z]\w*(Param|Message|Request|Format|Tool|Response|Choice|Model)|.*[\[\](){}].*|.*-.*"
    r"|str|int|float|bool|list|dict|none|tagged|union"
)
_ROLE_ONLY = ("role", "type")
_EXPECTED = "Input should be "


class Problem(Record, frozen=True):
    """One thing that is wrong: the body path (empty: the whole body), and what is."""

    path: str
    text: str


def problems_in(message: Any) -> list[Problem]:
    """Return the problems in a message or a ``detail`` list, those of a path together.

    Empty when it is no validation message.
    """
    entries = list(_entries(message))
    kept = [entry for entry in entries if not _is_other_branch(entry)] or entries
    return _grouped(_problem(entry) for entry in kept)


def path_of(location: Any) -> str:
    """Return the body path of pydantic's location: ``messages[0].role``.

    Branches of unions and the leading ``body`` are left out.
    """
    parts = location.split(".") if isinstance(location, str) else list(location)
    if parts and parts[0] in ("body", "query", "path", "header"):
        parts = parts[1:]
    path = ""
    for place, part in enumerate(str(part) for part in parts):
        if part.isdecimal():
            path += f"[{part}]"
        elif place == 0 or not _BRANCH.fullmatch(part):
            path += f".{part}" if path else part
    return path


def _entries(message: Any) -> Iterator[dict[str, Any]]:
    if isinstance(message, list):
        yield from (entry for entry in message if isinstance(entry, dict) and "msg" in entry)
        return
    if "{'type': '" in message:
        for text in _ENTRY.split(message)[1:]:
            entry = _evaluated(text.rstrip(" \n,])"))
            if entry:
                yield entry
        return
    count = _COUNT.match(message)
    if count:
        rest = message[count.end() :]
        found = [match.groupdict() for match in _TEXT_ENTRY.finditer(rest)]
        yield from found or [{"loc": "", "msg": rest.strip()}]


def _evaluated(text: str) -> dict[str, Any] | None:
    value = _literal(text)
    if value is None:
        return _loosely_read(text)
    return value if isinstance(value, dict) else None


def _loosely_read(text: str) -> dict[str, Any] | None:
    """Return place and message of an entry whose other parts are no Python literals."""
    location = _LOCATION.search(text)
    message = _MESSAGE.search(text, location.end()) if location else None
    if location is None or message is None:
        return None
    return {"loc": _literal(location[1]), "msg": _literal(message[1])}


def _literal(text: str) -> Any:
    """Return the value of a Python literal, or ``None``; without the compiler's warnings."""
    import warnings
    from ast import literal_eval

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return None


def _is_other_branch(entry: dict[str, Any]) -> bool:
    """Whether the entry only says that a message of another role was looked for."""
    location = entry.get("loc") or ""
    parts = location.split(".") if isinstance(location, str) else [str(part) for part in location]
    in_branch = any(_BRANCH.fullmatch(part) for part in parts[1:])
    return in_branch and entry.get("type") == "literal_error" and parts[-1] in _ROLE_ONLY


def _problem(entry: dict[str, Any]) -> tuple[str, str, str]:
    """Return the path, what is wrong there, and what was given (empty if that says nothing)."""
    path, text = path_of(entry.get("loc") or ""), str(entry.get("msg") or "")
    if entry.get("type") == "json_invalid":
        reason = (entry.get("ctx") or {}).get("error") or text
        return "", f"the body is not JSON: {reason}, at character {path or '?'}", ""
    if entry.get("type") == "missing":
        return path, "required, and missing" if path else "the request has no body", ""
    given = entry.get("input")
    if not isinstance(given, str | int | float) or len(str(given)) > 60:
        return path, text, ""
    return path, text, "null" if given == "None" else str(given)


def _grouped(found: Iterable[tuple[str, str, str]]) -> list[Problem]:
    """Join what is wrong at one path: a value failed every branch of a union."""
    by_path: dict[str, list[tuple[str, str]]] = {}
    for path, text, given in found:
        by_path.setdefault(path, []).append((text, given))
    return [Problem(path, _joined(entries)) for path, entries in by_path.items()]


def _joined(entries: list[tuple[str, str]]) -> str:
    first, *others = dict.fromkeys(text for text, _ in entries)
    if others and first.startswith(_EXPECTED):
        others = [text.removeprefix(_EXPECTED) for text in others]
    given = next((given for _, given in entries if given), "")
    text = ", or ".join((first, *others)) + (f" (got {given})" if given else "")
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
