"""Reading the files that hold profiles, and finding a profile by its name.

The grammar is one for all files. A profile is these keys, all of them optional::

    description = "One line for the list"
    extends = ["base", "./other.toml"]   # applied before this profile, left to right

    [request]        # fields of the body, for every command whose endpoint has them
    temperature = 0.2
    repetition_detection.min_count = 4   # nested fields dotted, or as a table of their own

    [chat]           # fields for chat alone; they win over [request]
    [complete]       # fields for complete alone
    [server]         # the connection: see vllmctl.request.server.keys

A file ``NAME.toml``, or one given by its path, holds one profile. ``config.toml`` and
``vllmctl.toml`` hold one without a name, which always applies, and may hold more under
``[profiles.NAME]`` (so ``[profiles.NAME.request]`` and so on). A profile that extends its
own name extends the one that it shadows.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import dropwhile
from pathlib import Path
from typing import Any

from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.record import Record
from vllmctl.request.file_paths import expanded, is_file, is_there, shown
from vllmctl.request.origin import Origin
from vllmctl.request.profiles.places import (
    PROJECT_FILE,
    USER_FILE,
    config_path,
    folder,
    is_path,
)
from vllmctl.request.profiles.places import Place as Place  # noqa: PLC0414 - for those who look here
from vllmctl.request.profiles.toml_errors import syntax_error
from vllmctl.request.profiles.toml_lines import TomlLines

_MOST_BITS = 14_284
"""Of an integer; those with more have more than the 4,300 digits that Python writes."""
_MOST_BYTES = 1024 * 1024
MOST_LEVELS = 100
"""How deep values may nest; deeper ones are a mistake, or meant to break the reader."""

_PART = r"""(?:(?<![\w-])[\w-]+|"[^"]*"|'[^']*')"""
_LONG_KEY = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*{_PART}){{{MOST_LEVELS}}}")
"""A dotted key of so many parts takes ``tomllib`` minutes."""

_OF_SEVERAL = (USER_FILE, PROJECT_FILE)
"""Files of these names may hold profiles in tables."""


class ProfileFile(Record, frozen=True):
    """A TOML file that was read: its parsed ``data``, and its ``text`` with ``\\n`` line ends.

    ``trusted`` says whether it may name programs, variables and other secrets.
    """

    path: Path
    shown: str
    place: Place
    text: str
    data: Mapping[str, Any]
    mode: int
    trusted: bool

    @cached_property
    def lines(self) -> TomlLines:
        """Where the keys stand."""
        return TomlLines(self.text)


class Profile(Record, frozen=True):
    """One profile: a whole file, or a table of it.

    ``name`` is empty for what always applies; ``keys`` lead to its table in the file.
    """

    name: str
    file: ProfileFile
    keys: tuple[str, ...]
    table: Mapping[str, Any]

    @property
    def place(self) -> Place:
        """Where the profile was found."""
        return self.file.place

    @property
    def title(self) -> str:
        """What the profile is called in messages."""
        return f"profile {self.name}" if self.name else f"{self.place} config"

    @property
    def identity(self) -> tuple[Path, tuple[str, ...]]:
        """What tells this profile from all others, whatever way leads to it."""
        return self.file.path.resolve(), self.keys

    def line(self, *path: str | int) -> int:
        """Return the line on which ``path`` of the profile is set."""
        return self.file.lines.line(*self.keys, *path)

    def where(self, *path: str | int) -> str:
        """Return file and line of ``path``: ``vllmctl.toml:4``."""
        return f"{self.file.shown}:{self.line(*path)}"

    def origin(self, *path: str | int) -> Origin:
        """Return the origin of the value at ``path``."""
        return Origin("profile", f"{self.title} ({self.where(*path)})")


class ProfileFiles:
    """The profiles within reach of an environment; each file is read once."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._read: dict[Path, ProfileFile] = {}

    def config(self, place: Place) -> Profile | None:
        """Return what always applies in the ``project`` or for the ``user``, if there is any."""
        path = config_path(place, self._env)
        if path is None or not is_file(path):
            return None
        file = self._file(path, place)
        return Profile("", file, (), {k: v for k, v in file.data.items() if k != "profiles"})

    def require_readable(self, path: Path) -> None:
        """Raise ``ConfigError`` when the file at ``path`` is none that may hold profiles."""
        file = self._file(path, self._place_of(path))
        if path.name in _OF_SEVERAL:
            list(_tables(file, None))
        else:
            _whole(file, path.stem)

    def find(self, name: str, *, beside: Profile | None = None) -> Profile:
        """Return the profile called ``name``, or at that path.

        ``beside`` is the profile that extends it: a path starts at its folder, and its own
        name means the profile that it shadows. Raises ``ConfigError`` when there is none.
        """
        require_name(name)
        if is_path(name):
            return self._at_path(name, beside)
        candidates = self.all(name)
        if beside and beside.name == name:
            own = beside.identity
            candidates = dropwhile(lambda other: other.identity != own, candidates)
            next(candidates, None)
        found = next(candidates, None)
        if found is None:
            raise self._no_such(name, beside)
        return found

    def all(
        self, name: str | None = None, *, broken: dict[Path, ConfigError] | None = None
    ) -> Iterator[Profile]:
        """Yield the profiles (called ``name``) in the order of lookup, shadowed ones too.

        With ``broken``, a file that cannot be read is put there and does not end the list.
        """
        for path, place, is_single in self._holders(name):
            try:
                file = self._file(path, place)
                yield from [_whole(file, path.stem)] if is_single else _tables(file, name)
            except ConfigError as error:
                if broken is None:
                    raise
                broken[path] = error

    def _holders(self, name: str | None) -> Iterator[tuple[Path, Place, bool]]:
        """Yield the files that may hold profiles (called ``name``), in the order of lookup.

        The flag is whether the whole file is one profile.
        """
        for place in (Place.PROJECT, Place.USER, Place.SHIPPED):
            single, config = folder(place, self._env), config_path(place, self._env)
            if single:
                paths = _toml_files(single) if name is None else [single / f"{name}.toml"]
                yield from ((path, place, True) for path in paths if is_file(path))
            if config and is_file(config):
                yield config, place, False

    def _at_path(self, name: str, beside: Profile | None) -> Profile:
        base = beside.file.path.parent if beside else self._env.cwd
        path = expanded(name, base, self._env)
        if not is_there(path):
            by = f" (extended by {beside.where('extends')})" if beside else ""
            raise ConfigError(f"no profile file {path}{by}")
        return _whole(self._file(path, self._place_of(path)), shown(path, self._env))

    def _place_of(self, path: Path) -> Place:
        for place in (Place.USER, Place.SHIPPED):
            if path.parent == folder(place, self._env):
                return place
        return Place.PATH

    def _file(self, path: Path, place: Place) -> ProfileFile:
        if path not in self._read:
            self._read[path] = _read_file(path, place, self._env)
        return self._read[path]

    def _no_such(self, name: str, beside: Profile | None) -> ConfigError:
        if beside and beside.name == name:
            return ConfigError(
                f"{beside.where('extends')}: {name} extends itself",
                "it can extend one of that name in the user's or the shipped profiles",
            )
        from vllmctl.nearest import nearest

        by = f" (extended by {beside.where('extends')})" if beside else ""
        like = nearest(name, {profile.name for profile in self.all(broken={})})
        hint = f"did you mean {like}? " if like else ""
        return ConfigError(
            f"no profile is called {name}{by}",
            hint + "`vllmctl profiles list` shows them all; a path needs a / or ends in .toml",
        )


def require_name(name: str) -> None:
    """Raise ``ConfigError`` for a name that is empty."""
    if not name.strip():
        raise ConfigError("the name of a profile is empty", "`vllmctl profiles list` has them")


def is_deeper(value: Any, levels: int) -> bool:
    """Whether ``value`` has lists or tables in more than ``levels`` levels."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(is_deeper(part, levels - 1) for part in inner)


def _whole(file: ProfileFile, name: str) -> Profile:
    """Return the one profile of ``file``."""
    if "profiles" in file.data:
        raise ConfigError(
            f"{file.shown}:{file.lines.line('profiles')}: a file named by its path is one "
            "profile, so [profiles.…] has no meaning in it",
            f"the profiles that {' and '.join(_OF_SEVERAL)} hold are called by name",
        )
    return Profile(name, file, (), file.data)


def _tables(file: ProfileFile, name: str | None) -> Iterator[Profile]:
    """Yield the ``[profiles.…]`` of ``file`` (called ``name``)."""
    tables = file.data.get("profiles", {})
    if not isinstance(tables, dict):
        raise ConfigError(f"{file.shown}:{file.lines.line('profiles')}: profiles must be a table")
    for key, table in tables.items():
        if name not in (None, key):
            continue
        if not isinstance(table, dict):
            line = file.lines.line("profiles", key)
            raise ConfigError(f"{file.shown}:{line}: profiles.{key} must be a table")
        yield Profile(key, file, ("profiles", key), table)


def _toml_files(single: Path) -> list[Path]:
    try:
        return sorted(path for path in single.iterdir() if path.suffix == ".toml")
    except OSError:
        return []


def _read_file(path: Path, place: Place, env: Environment) -> ProfileFile:
    name = f"shipped {path.name}" if place is Place.SHIPPED else shown(path, env)
    content, mode = _read_bytes(path, name)
    text = _decoded(content, name)
    if any(row.count(".") > MOST_LEVELS and _LONG_KEY.search(row) for row in text.split("\n")):
        raise ConfigError(f"{name}: nested too deeply")
    try:
        data: dict[str, Any] | None = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(error, text, name) from None
    except ValueError:
        raise _too_wide(name) from None
    except RecursionError:
        data = None
    if data is None or is_deeper(data, MOST_LEVELS):
        raise ConfigError(f"{name}: nested too deeply")
    if _has_wide_number(data):
        raise _too_wide(name)
    return ProfileFile(path, name, place, text, data, mode, _trusts(path, content, place, env))


def _too_wide(name: str) -> ConfigError:
    return ConfigError(f"{name}: a number has more than 4300 digits")


def _has_wide_number(value: Any) -> bool:
    """Whether an integer is too long to be written; hexadecimal ones are read at any length."""
    if isinstance(value, int):
        return value.bit_length() > _MOST_BITS
    if not isinstance(value, dict | list):
        return False
    return any(map(_has_wide_number, value.values() if isinstance(value, dict) else value))


def _read_bytes(path: Path, name: str) -> tuple[bytes, int]:
    import stat

    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISFIFO(status.st_mode):
            raise ConfigError(f"{name} is not a file")  # a pipe is: -p <(…)
        if status.st_size > _MOST_BYTES:
            raise ConfigError(f"{name} is too large for a profile: {status.st_size} bytes")
        return path.read_bytes(), status.st_mode
    except OSError as error:
        raise ConfigError(f"cannot read {name}: {error.strerror}") from None


def _decoded(content: bytes, name: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        byte = content[error.start]
        raise ConfigError(
            f"{name}:{line}: byte 0x{byte:02x} is not UTF-8", "save the file as UTF-8"
        ) from None
    return text.replace("\r\n", "\n")


def _trusts(path: Path, content: bytes, place: Place, env: Environment) -> bool:
    if place in (Place.USER, Place.SHIPPED):
        return True
    from vllmctl.request.profiles.trust import is_trusted

    return is_trusted(path, content, env)
