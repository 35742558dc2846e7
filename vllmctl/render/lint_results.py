"""Results of lint: as text, as JSON, as JSON lines, as annotations of GitHub's."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol, TextIO

from vllmctl.env import Environment
from vllmctl.lint.finding import RangedFinding, TextFinding
from vllmctl.lint.places import Places
from vllmctl.lint.result import Result
from vllmctl.render.style import harmless
from vllmctl.render.words import Words
from vllmctl.rules.finding import Finding, Level

FORMATS = ("text", "json", "jsonl", "github")

_ANNOTATIONS = {
    Level.ERROR: "error",
    Level.IGNORED: "warning",
    Level.WARNING: "warning",
    Level.NOTE: "notice",
}
_PLURALS = {Level.ERROR: "errors", Level.WARNING: "warnings", Level.NOTE: "notes"}


class Report(Protocol):
    """Writes results as they come, and what belongs behind them all."""

    def write(self, result: Result) -> None:
        """Write one result."""

    def finish(self) -> None:
        """Write the end."""


class TextReport:
    """``FILE:LINE:COLUMN: level: message [code]``, and the mend below it."""

    def __init__(self, stream: TextIO, env: Environment) -> None:
        self._words = Words(stream, env)

    def write(self, result: Result) -> None:
        """Write one result."""
        for done in (*result.rewritten, *result.changes):
            self._words.write(f"{_name(result)}fixed: {done}")
        places = Places(result)
        for finding in result.findings:
            self._finding(finding, result, places)

    def finish(self) -> None:
        """Nothing stands behind the results."""
        self._words.flush()

    def _finding(self, finding: Finding, result: Result, places: Places) -> None:
        self._words.write(
            _where(finding, result, places),
            (f"{finding.level.value}:", finding.level.value),
            f" {finding.message}{_releases(finding)} ",
            (f"[{finding.code}]", "dim"),
        )
        if isinstance(finding, TextFinding) and finding.excerpt:
            for line in finding.excerpt.split("\n"):
                self._words.write(f"    {line}")
        if finding.fix:
            self._words.write(f"    fix: {', '.join(map(str, finding.fix))}")


class JsonReport:
    """One object, or a list of them with their files when there are several."""

    def __init__(self, stream: TextIO, *, strict: bool, many: bool, fixed: bool) -> None:
        self._stream = stream
        self._strict = strict
        self._many = many
        self._fixed = fixed
        self._count = 0

    def write(self, result: Result) -> None:
        """Write one result."""
        facts = result.as_dict(strict=self._strict)
        if self._many:
            facts = {**_source(result), **facts}
            self._stream.write(",\n" if self._count else "[\n")
        if self._fixed:
            facts |= _mended(result)
        self._count += 1
        _dump(facts, self._stream, indent=2)

    def finish(self) -> None:
        """Close the list."""
        if self._many:
            self._stream.write("\n]\n" if self._count else "[]\n")
        else:
            self._stream.write("\n")


class JsonLinesReport:
    """One object a line, with the line of the file that it is about."""

    def __init__(self, stream: TextIO, *, strict: bool, named: bool, fixed: bool) -> None:
        self._stream = stream
        self._strict = strict
        self._named = named
        self._fixed = fixed

    def write(self, result: Result) -> None:
        """Write one result."""
        facts = {**_source(result, named=self._named), **result.as_dict(strict=self._strict)}
        if self._fixed:
            facts |= _mended(result)
        self._stream.write(_line(facts))

    def finish(self) -> None:
        """Nothing stands behind the results."""


class GithubReport:
    """Annotations that GitHub shows beside the lines of a pull request."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, result: Result) -> None:
        """Write one result."""
        places = Places(result)
        for finding in result.findings:
            properties = _properties(finding, result, places)
            message = _escaped(f"{finding.message}{_releases(finding)}{_fix(finding)}")
            kind = _ANNOTATIONS[finding.level]
            self._stream.write(f"::{kind} {properties}::{message}\n")

    def finish(self) -> None:
        """Nothing stands behind the results."""


class Tally:
    """Counts what was found, for the summary."""

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.is_ok = True
        self._requests = 0
        self._changes = 0
        self._levels: Counter[Level] = Counter()
        self._targets: dict[str, None] = {}

    def add(self, result: Result) -> None:
        """Count one result."""
        self._requests += 1
        self._changes += len(result.changes) + len(result.rewritten)
        self._targets[result.target] = None
        if result.findings:
            self._levels.update(finding.level for finding in result.findings)
            self.is_ok = self.is_ok and result.is_ok(strict=self.strict)

    def __str__(self) -> str:
        requests = f"{self._requests} request{'s' * (self._requests != 1)}"
        target = f" for {', '.join(self._targets)}" if self._targets else ""
        counts = [f"{self._changes} fixed"] if self._changes else []
        for level in Level:
            count = self._levels[level]
            word = _PLURALS.get(level, level.value) if count != 1 else level.value
            counts += [f"{count} {word}"] if count else []
        return f"{requests}{target}: {', '.join(counts) or 'nothing to say'}"


def _source(result: Result, *, named: bool = True) -> dict[str, Any]:
    source: dict[str, Any] = {"file": result.name} if named and result.name else {}
    if result.line is not None:
        source["line"] = result.line
    if result.custom_id is not None:
        source["custom_id"] = result.custom_id
    return source


def _mended(result: Result) -> dict[str, Any]:
    return {
        "changes": [change.as_dict() for change in result.changes],
        "rewritten": result.rewritten,
        "body": result.value if result.readable else None,
    }


def _dump(facts: Mapping[str, Any], stream: TextIO, *, indent: int | None) -> None:
    text = json.dumps(facts, ensure_ascii=False, indent=indent)
    try:
        stream.write(text)
    except UnicodeEncodeError:  # half of a surrogate pair can be written as an escape only
        stream.write(json.dumps(facts, indent=indent))


def _line(facts: Mapping[str, Any]) -> str:
    """One object on one line, by the quickest writer at hand."""
    from pydantic_core import PydanticSerializationError, to_json

    try:
        return to_json(facts).decode() + "\n"
    except (PydanticSerializationError, UnicodeEncodeError):  # half of a surrogate pair
        return json.dumps(facts, separators=(",", ":")) + "\n"


def _name(result: Result) -> str:
    name = "stdin" if result.name == "-" else result.name
    line = "" if result.line is None else f"{result.line}"
    return "".join(f"{part}:" for part in (name, line) if part) + (" " if name or line else "")


def _where(finding: Finding, result: Result, places: Places) -> str:
    line, column = places.of(finding)
    name = getattr(finding, "file", "") or ("stdin" if result.name == "-" else result.name)
    parts = [name, *(str(number) for number in (line, column) if number)]
    return "".join(f"{part}:" for part in parts if part) + (" " if any(parts) else "")


def _releases(finding: Finding) -> str:
    return finding.where if isinstance(finding, RangedFinding) else ""


def _fix(finding: Finding) -> str:
    return f" (fix: {', '.join(map(str, finding.fix))})" if finding.fix else ""


def _properties(finding: Finding, result: Result, places: Places) -> str:
    line, column = places.of(finding)
    file = getattr(finding, "file", "") or result.name
    properties = {
        "file": file if file not in ("", "-") else "",
        "line": str(line or 1),
        "col": str(column or ""),
        "title": finding.code,
    }
    return ",".join(f"{key}={_escaped_more(text)}" for key, text in properties.items() if text)


def _escaped(text: str) -> str:
    text = harmless(text)
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_more(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
