"""The fields of a profile's section, with ``@file`` values read."""

import json
import re
from pathlib import Path
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.request.file_paths import expanded
from vllmctl.request.profiles.files import MOST_LEVELS, Profile, is_deeper
from vllmctl.request.profiles.problem import Problem, problem_at
from vllmctl.request.profiles.strict_types import kinds_at
from vllmctl.request.sources import decode

KeyPath = tuple[str | int, ...]

_ESCAPED = re.compile(r"\\+@")
"""A text that begins with ``@``; one backslash is taken away."""


class SectionReader:
    """Reads one section of a profile; ``problems`` holds what could not be read."""

    def __init__(self, profile: Profile, section: str, env: Environment) -> None:
        self.problems: list[Problem] = []
        self._profile = profile
        self._section = section
        self._env = env

    def read(self, endpoints: list[Endpoint]) -> dict[str, Any]:
        """Return the fields of the section, as they go into a body of ``endpoints``."""
        table = self._profile.table[self._section]
        return {key: self._read(value, (key,), endpoints) for key, value in table.items()}

    def _read(self, value: Any, path: KeyPath, endpoints: list[Endpoint]) -> Any:
        match value:
            case dict():
                return {k: self._read(v, (*path, k), endpoints) for k, v in value.items()}
            case list():
                return [self._read(v, (*path, i), endpoints) for i, v in enumerate(value)]
            case str() if _ESCAPED.match(value):
                return value[1:]
            case str() if value.startswith("@"):
                return self._read_file(value[1:], path, endpoints)
            case _:
                return value

    def _read_file(self, name: str, path: KeyPath, endpoints: list[Endpoint]) -> Any:
        try:
            file = self._file(name)
            text = decode(file.read_bytes(), str(file))
            return _parsed(text, file) if _wants_json(file, path, endpoints) else text
        except OSError as error:
            self._report(path, f"cannot read {error.filename or name}: {error.strerror}")
        except UsageError as error:
            self._report(path, error.message, error.hint)
        return f"@{name}"

    def _file(self, name: str) -> Path:
        if name in ("", "-"):
            raise UsageError(
                f"@{name} names no file" if not name else "@- (standard input) is for flags only"
            )
        folder = self._profile.file.path.parent
        path = expanded(name, folder, self._env)
        if not self._profile.file.trusted and not _is_inside(path, folder):
            raise UsageError(
                f"{path} is outside the folder of the profile, which is not trusted",
                f"`vllmctl profiles trust {self._profile.file.shown}` if you know who wrote it",
            )
        return path

    def _report(self, path: KeyPath, message: str, hint: str = "") -> None:
        hint = hint or "paths start at the profile's folder; a text that begins with @ is '\\@…'"
        self.problems.append(problem_at(self._profile, (self._section, *path), message, hint))


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _wants_json(file: Path, path: KeyPath, endpoints: list[Endpoint]) -> bool:
    """Whether the file's content is JSON: where the field takes texts too, its name tells."""
    first, *rest = path
    kinds: set[str] = set()
    for endpoint in endpoints:
        field = endpoint.fields.get(str(first))
        if field:
            kinds |= kinds_at(field.schema, tuple(rest), endpoint)
    if kinds == {"string"}:
        return False
    return file.suffix == ".json" or (bool(kinds) and not kinds & {"string", "any"})


def _parsed(text: str, file: Path) -> Any:
    try:
        value = json.loads(text)
        if is_deeper(value, MOST_LEVELS):
            raise RecursionError("nested too deeply")
        return value
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not JSON: {error}", "the field takes no text") from None
