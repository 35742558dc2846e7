"""Pydantic's lists of validation errors, made readable.

They come as Python texts of dicts (vLLM's ``N validation errors``), as pydantic's own
text, and as FastAPI's JSON list.
"""

import re
from ast import literal_eval
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_ENTRY = re.compile(r"(?=\{'type': ')")
_LOOSE = re.compile(
    r"'loc': (?P<loc>\([^)]*\)|\[[^\]]*\]|'[^']*').*?"
    r"'msg': (?P<msg>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")",
    re.DOTALL,
)
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


@dataclass(frozen=True, slots=True)
class Problem:
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
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        match = _LOOSE.search(text)
        return (
            {name: literal_eval(part) for name, part in match.groupdict().items()}
            if match
            else None
        )
    return value if isinstance(value, dict) else None


def _is_other_branch(entry: dict[str, Any]) -> bool:
    """Whether the entry only says that a message of another role was looked for."""
    location = entry.get("loc") or ""
    parts = location.split(".") if isinstance(location, str) else [str(part) for part in location]
    in_branch = any(_BRANCH.fullmatch(part) for part in parts[1:])
    return in_branch and entry.get("type") == "literal_error" and parts[-1] in _ROLE_ONLY


def _problem(entry: dict[str, Any]) -> Problem:
    path, text = path_of(entry.get("loc") or ""), str(entry.get("msg") or "")
    if entry.get("type") == "json_invalid":
        reason = (entry.get("ctx") or {}).get("error") or text
        return Problem("", f"the body is not JSON: {reason}, at character {path or '?'}")
    if entry.get("type") == "missing":
        return Problem(path, "required, and missing" if path else "the request has no body")
    given = entry.get("input")
    if isinstance(given, str | int | float) and len(str(given)) <= 60:
        text += f" (got {given})"
    return Problem(path, text)


def _grouped(problems: Iterable[Problem]) -> list[Problem]:
    by_path: dict[str, list[str]] = {}
    for problem in problems:
        texts = by_path.setdefault(problem.path, [])
        if problem.text not in texts:
            texts.append(problem.text)
    return [Problem(path, "; or: ".join(texts)) for path, texts in by_path.items()]
