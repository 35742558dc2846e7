"""What a server says in an error, in whichever of the many shapes."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from vllmctl.client.payload import parse
from vllmctl.client.validation import Problem, path_of, problems_in
from vllmctl.record import Record

_TITLE = re.compile(r"<(title|h1)\b[^<>]*>", re.IGNORECASE)
_MAKER = re.compile(
    r"<(?:center|address)>\s*([\w.-]{2,}(?:/[\w.-]+)?)(?:\s*<|\s+\()|\b(cloudflare)\b", re.I
)
_TAG = re.compile(r"<(script|style)\b.*?</\1|<[^<>]+>", re.IGNORECASE | re.DOTALL)
_PARAMETER = "(parameter="
_INNER = re.compile(r"\{\s*[\"'](error|object|message|detail)[\"']")
_ABOUT = re.compile(r"`?([a-z][a-z0-9_.]*)`? (?:must|cannot|should)\b")
_LONGEST = 2000
_LONGEST_PAGE = 20_000
"""Characters of a web page that are looked at."""


class Said(Record, frozen=True):
    """An error in the server's words.

    ``problems`` are the parts of a validation message; ``param`` the body path that is
    blamed; ``code`` the status inside the body; ``page`` tells that it was a web page, and
    ``page_by`` whose (``nginx/1.24.0``), if it says so.
    """

    message: str = ""
    kind: str = ""
    code: int | str | None = None
    param: str | None = None
    problems: tuple[Problem, ...] = ()
    page: bool = False
    page_by: str = ""

    @property
    def status(self) -> int | None:
        """The ``code`` if it is an HTTP status of an error."""
        text = str(self.code)
        return int(text) if re.fullmatch("[45][0-9][0-9]", text) else None


def said_in_body(body: bytes, headers: Mapping[str, str]) -> Said:
    """Return what the body of an error says; never fails."""
    text = body.decode("utf-8", "replace").strip()
    if not text:
        return Said()
    if is_page(text, headers):
        maker = _MAKER.search(text)
        return Said(page_title(text), page=True, page_by=(maker[1] or maker[2]) if maker else "")
    try:
        value = parse(body)
    except ValueError:
        return Said(_shortened(text))
    return said_in(value) or Said(_shortened(text))


def said_in(value: Any) -> Said | None:
    """Return the error that a JSON value is, or ``None`` when it is none.

    Known shapes: ``{"error": {…}}``, ``{"error": "text"}``, ``{"object": "error", …}``,
    ``{"detail": "text" or […]}``, ``{"code", "details"}``, ``{"message": …}``, and a list
    with one of them. Source: vLLM 0.1 to 0.33, FastAPI, and gateways in front of them.
    """
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict) or value.get("choices"):
        return None
    error = value.get("error")
    if isinstance(error, dict):
        return _of_object(error)
    if isinstance(error, str) and error:
        return _of_object({"message": value.get("message") or error, **_without(value, "message")})
    if "detail" in value:
        return _of_detail(value["detail"])
    if value.get("object") == "error" or "message" in value or "details" in value:
        return _of_object(value)
    return None


def is_page(text: str, headers: Mapping[str, str]) -> bool:
    """Whether ``text`` is a web page."""
    start = text.lstrip()[:200].lower()
    is_html = "html" in headers.get("content-type", "")
    return start.startswith(("<!doctype", "<html", "<head", "<body")) or (
        is_html and start.startswith("<")
    )


def page_title(text: str) -> str:
    """Return what a web page is about, in a line."""
    text = text[:_LONGEST_PAGE]
    opening = _TITLE.search(text)
    if opening:
        text = re.split(f"</{opening[1]}", text[opening.end() :], maxsplit=1, flags=re.I)[0]
    return " ".join(unescape(_TAG.sub(" ", text)).split())[:200]


def _of_object(error: Mapping[str, Any]) -> Said:
    message = error.get("message") or error.get("details") or error.get("msg") or ""
    kind, code, param = error.get("type"), error.get("code"), error.get("param")
    if not isinstance(message, str):
        return _of_detail(message)
    inner = _nested(message)
    if inner is not None:
        return inner
    message = message.strip()
    problems = tuple(problems_in(message))
    if param and message.endswith(")"):
        message = message.partition(_PARAMETER)[0].rstrip()
    return Said(
        _shortened(message),
        _shortened(str(kind or "")),
        _shortened(code) if isinstance(code, str) else code if isinstance(code, int) else None,
        _param(param, problems, message),
        problems,
    )


def _of_detail(detail: Any) -> Said:
    if isinstance(detail, dict):
        return said_in(detail) or _of_object(detail)
    if isinstance(detail, list):
        problems = tuple(problems_in(detail))
        return Said(_shortened(str(detail)), param=_param(None, problems, ""), problems=problems)
    return _of_object({"message": str(detail or "")})


def _nested(message: str) -> Said | None:
    """Return the error that a gateway has packed as JSON into a message."""
    start = _INNER.search(message)
    if start is None:
        return None
    for end in (len(message), message.rfind("}") + 1):
        try:
            value = parse(message[start.start() : end].encode())
        except ValueError:
            continue
        return said_in(value)
    return None


def _param(param: Any, problems: tuple[Problem, ...], message: str) -> str | None:
    """Return the path that is blamed; vLLM often names it at the start of the message only."""
    if param and isinstance(param, str):
        return path_of(param) or None
    if problems:
        paths = {problem.path for problem in problems}
        return paths.pop() or None if len(paths) == 1 else None
    about = _ABOUT.match(message)
    return about[1] if about else None


def _without(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: content for name, content in value.items() if name != key}


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
