"""What is wrong with a profile, and where."""

from collections.abc import Iterable
from enum import Enum

from vllmctl.errors import ConfigError
from vllmctl.record import Record
from vllmctl.request.profiles.files import Profile

MOST = 100
"""How many problems are told."""


class Unknown(Enum):
    """What is known of a field that the release does not have."""

    MISPLACED = 1
    """A profile has another place for that name."""
    STRANGE = 2
    """The rules know what names mean that are no fields, and tell it of any body."""


class Problem(Record, frozen=True):
    """One fault of a profile.

    ``file`` is the file as shown to people, ``line`` counts from 1, ``path`` is the dotted
    key within the profile (``request.max_tokens``), ``hint`` how to mend it, or empty.
    ``unknown`` marks a field that the release does not have.
    """

    file: str
    line: int
    path: str
    message: str
    hint: str = ""
    unknown: "Unknown | None" = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.path}: {self.message}"

    def as_dict(self) -> dict[str, object]:
        """Return the JSON form that ``profiles check --format json`` prints."""
        return {
            "file": self.file,
            "line": self.line,
            "path": self.path,
            "message": self.message,
            "hint": self.hint,
        }


def problem_at(
    profile: Profile,
    path: tuple[str | int, ...],
    message: str,
    hint: str = "",
    *,
    unknown: "Unknown | None" = None,
) -> Problem:
    """Return a problem with the value at ``path`` of ``profile``."""
    from vllmctl.catalog.json_path import path_text

    line = profile.line(*path)
    return Problem(profile.file.shown, line, path_text(path), message, hint, unknown)


def without_echoes(problems: Iterable[Problem]) -> list[Problem]:
    """Return ``problems`` without those about a value that an earlier one is about already.

    No more than ``MOST``: nobody reads more, and to name alike ones takes its time.
    """
    kept: list[Problem] = []
    for problem in problems:
        if not any(_overlap(problem.path, other.path) for other in kept):
            kept.append(problem)
        if len(kept) == MOST:
            break
    return kept


def only_strange(problems: Iterable[Problem]) -> bool:
    """Whether the rules tell more about each of ``problems`` than is said here."""
    return all(problem.unknown is Unknown.STRANGE for problem in problems)


def as_error(problems: list[Problem]) -> ConfigError:
    """Return all ``problems`` as one error."""
    if len(problems) == 1:
        return ConfigError(str(problems[0]), problems[0].hint)
    return ConfigError("\n".join(with_hint(problem) for problem in problems[:MOST]))


def _overlap(path: str, other: str) -> bool:
    short, long = sorted((path, other), key=len)
    return long.startswith(short) and long[len(short) : len(short) + 1] in ("", ".", "[")


def with_hint(problem: Problem) -> str:
    """Return ``problem`` and how to mend it, in one line."""
    return f"{problem} ({problem.hint})" if problem.hint else str(problem)
