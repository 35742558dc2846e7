"""What is wrong with the lines of an OpenAI batch file, around their bodies.

Paths and edits of these findings start at the line, not at its body.
"""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.json_path import path_text
from vllmctl.catalog.load import by_path, endpoint
from vllmctl.catalog.target import Target, index
from vllmctl.errors import UsageError
from vllmctl.lint.endpoints import guessed
from vllmctl.nearest import nearest
from vllmctl.rules.finding import Edit, Finding, Level
from vllmctl.rules.words import shown

_FACTS = "batch_file"
_URL_RULE = "batchfile.urls"
_PATTERN = re.compile(r"(\*?/[\w/]+)(?: \(([\d.]+)\))?")
_SECRETS = ("api_key", "api-key", "apikey", "authorization", "base_url", "api_base", "headers")
_RESULT = ("response", "error")

Line = dict[str, Any]


class BatchFile:
    """Looks at the lines of one file, in order; remembers ids and urls."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._ids: dict[int, int] = {}
        self._urls: dict[str, int] = {}

    def findings(self, line: Line, number: int) -> list[Finding]:
        """Return what is wrong with ``line``, the ``number``-th of its file."""
        if "body" not in line and any(key in line for key in _RESULT):
            message = "this is a line of results, not a request"
            return [Finding(Level.ERROR, "batch.result", "", message)]
        return [
            *self._keys(line, number),
            *self._id(line, number),
            *self._method(line),
            *self._url(line, number),
            *_in_body(line.get("body")),
        ]

    def _keys(self, line: Line, number: int) -> Iterator[Finding]:
        missing = [key for key in self._required if key not in line]
        for key in line:
            if key in self._required or (key == "params" and "body" in missing):
                continue
            near = nearest(key.strip(), missing)
            if near is not None:
                missing.remove(near)
                message = f"unknown key {shown(key)}: did you mean {shown(near)}"
                fix = (Edit("move", path_text((key,)), to=near),)
                yield Finding(Level.ERROR, "batch.unknown_key", path_text((key,)), message, fix)
            else:
                message = f"unknown key {shown(key)}: a batch line has {', '.join(self._required)}"
                fix = (Edit("remove", path_text((key,))),)
                yield Finding(Level.WARNING, "batch.unknown_key", path_text((key,)), message, fix)
        for key in missing:
            yield _missing(key, line, number, self._target)

    def _id(self, line: Line, number: int) -> Iterator[Finding]:
        custom_id = line.get("custom_id")
        if not isinstance(custom_id, str):
            if custom_id is not None:
                message = f"custom_id must be a text, got {shown(custom_id)}"
                fix = (Edit("set", "custom_id", str(custom_id)),)
                yield Finding(Level.ERROR, "batch.custom_id", "custom_id", message, fix)
            return
        first = self._ids.setdefault(hash(custom_id), number)
        if first != number:
            message = (
                f"custom_id {shown(custom_id)} is on line {first} already: "
                "results could not be told apart"
            )
            yield Finding(Level.ERROR, "batch.duplicate_id", "custom_id", message)

    def _method(self, line: Line) -> Iterator[Finding]:
        method = line.get("method", "POST")
        if method != "POST":
            message = f"method must be POST, got {shown(method)}"
            fix = (
                None if by_path(str(line.get("url"))) is None else (Edit("set", "method", "POST"),)
            )
            yield Finding(Level.ERROR, "batch.method", "method", message, fix)

    def _url(self, line: Line, number: int) -> Iterator[Finding]:
        url = line.get("url")
        if not isinstance(url, str):
            if url is not None:
                message = f"url must be a text, got {shown(url)}"
                yield Finding(Level.ERROR, "batch.url", "url", message)
            return
        right = _path_of(url, self._target)
        if right is None:
            yield Finding(Level.ERROR, "batch.url", "url", self._no_url(url))
            return
        if right != url:
            message = f"url must be the path {right}, got {shown(url)}"
            yield Finding(Level.ERROR, "batch.url", "url", message, (Edit("set", "url", right),))
        yield from self._new_url(right, number)

    def _new_url(self, url: str, number: int) -> Iterator[Finding]:
        """What there is to say of a url when it comes for the first time."""
        if url in self._urls:
            return
        if not self._takes(url):
            message = f"`vllm run-batch` takes no {url}: it takes {', '.join(self._patterns)}"
            yield Finding(Level.WARNING, "batch.not_in_run_batch", "url", message)
        first = next(iter(self._urls.items()), None)
        if first is not None:
            message = (
                f"url {url} differs from {first[0]} on line {first[1]}: "
                "many batch services refuse that"
            )
            yield Finding(Level.NOTE, "batch.mixed_urls", "url", message)
        self._urls[url] = number

    def _no_url(self, url: str) -> str:
        near = nearest(url, [pattern.lstrip("*") for pattern in self._patterns])
        return f"no endpoint has the url {shown(url)}" + (f": did you mean {near}" if near else "")

    def _takes(self, url: str) -> bool:
        return not self._patterns or any(fnmatchcase(url, one) for one in self._patterns)

    @cached_property
    def _facts(self) -> Endpoint | None:
        try:
            return endpoint(_FACTS, self._target)
        except UsageError:
            return None

    @cached_property
    def _required(self) -> tuple[str, ...]:
        return tuple(self._facts.fields) if self._facts else ("custom_id", "method", "url", "body")

    @cached_property
    def _patterns(self) -> tuple[str, ...]:
        """The urls of ``vllm run-batch``, read from the rule's text."""
        rule = self._facts.rules.get(_URL_RULE) if self._facts else None
        return tuple(
            pattern
            for pattern, since in _PATTERN.findall(rule.text if rule else "")
            if not since or index(since) <= index(self._target.release)
        )


def _path_of(url: str, target: Target) -> str | None:
    """The path that was meant by a url: with a slash in front, without a host."""
    for candidate in (url, f"/{url}", f"/v1/{url.lstrip('/')}"):
        if by_path(candidate, target.engine) is not None:
            path = "/" + candidate.partition("://")[2].partition("/")[2]
            return (path if "://" in candidate else candidate).partition("?")[0].rstrip("/")
    return None


def _missing(key: str, line: Line, number: int, target: Target) -> Finding:
    message = f"{key} is missing"
    fix: tuple[Edit, ...] | None = None
    name = guessed(line.get("body", line.get("params")))
    match key:
        case "custom_id":
            fix = (Edit("set", key, f"request-{number}"),)
        case "method":
            fix = (Edit("set", key, "POST"),)
        case "url" if name is not None:
            fix = (Edit("set", key, endpoint(name, target).path),)
        case "body" if isinstance(line.get("params"), dict):
            message = "body is missing; params is another provider's name for it"
            fix = (Edit("move", "params", to="body"),)
        case _:
            pass
    return Finding(Level.ERROR, "batch.missing_key", key, message, fix)


def _in_body(body: Any) -> Iterator[Finding]:
    if not isinstance(body, Mapping):
        return
    if body.get("stream"):
        message = "a batch has no streams: its results are whole answers"
        fix = (Edit("remove", "body.stream"),)
        yield Finding(Level.ERROR, "batch.stream", "body.stream", message, fix)
    for key in body:
        if key.lower() in _SECRETS:
            path = path_text(("body", key))
            message = f"{key} does not belong in a batch file: whoever reads the file has it"
            yield Finding(Level.ERROR, "batch.secret", path, message, (Edit("remove", path),))
