"""Where profiles live, and reading the files that hold them.

There are four places: the *project* (``vllmctl.toml``, the nearest one upwards from the
current folder), the *user* (``config.toml`` and ``profiles/NAME.toml`` in the configuration
folder), what is *shipped* with the tool, and a *path*. A name is looked up in this order.

The grammar is one for all of them. A profile is these keys, all of them optional::

    description = "One line for the list"
    extends = ["base", "./other.toml"]   # applied before this profile, left to right

    [request]        # fields of the body, for every command whose endpoint has them
    temperature = 0.2
    repetition_detection.min_count = 4   # nested fields dotted, or as a table of their own

    [chat]           # fields for chat alone; they win over [request]
    [complete]       # fields for complete alone
    [server]         # the connection: see vllmctl.request.server_keys

A file ``NAME.toml``, or one given by its path, holds one profile. ``config.toml`` and
``vllmctl.toml`` hold one without a name, which always applies, and may hold more under
``[profiles.NAME]`` (so ``[profiles.NAME.request]`` and so on). A profile that extends its
own name extends the one that it shadows.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import dropwhile
from pathlib import Path
from typing import Any

from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.request.file_paths import expanded, shown
from vllmctl.request.origin import Origin
from vllmctl.request.toml_errors import syntax_error
from vllmctl.request.toml_lines import TomlLines

PROJECT_FILE = "vllmctl.toml"
USER_FILE = "config.toml"
_MOST_BYTES = 4 * 1024 * 1024


class Place(StrEnum):
    """Where a profile was found, in the order in which a name is looked up."""

    PROJECT = "project"
    USER = "user"
    SHIPPED = "shipped"
    PATH = "path"


@dataclass(frozen=True)
class ProfileFile:
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


@dataclass(frozen=True, slots=True)
class Profile:
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
        path = self.config_path(place)
        if path is None or not _exists(path):
            return None
        file = self._file(path, place)
        return Profile("", file, (), {k: v for k, v in file.data.items() if k != "profiles"})

    def config_path(self, place: Place) -> Path | None:
        """Return the path of the configuration file of ``place``, there or not yet.

        It is ``None`` where there can be none: no home, or no project file upwards.
        """
        if place is Place.PROJECT:
            return self._project_path
        folder = self._env.config_dir if place is Place.USER else None
        return folder / USER_FILE if folder else None

    def find(self, name: str, *, beside: Profile | None = None) -> Profile:
        """Return the profile called ``name``, or at that path.

        ``beside`` is the profile that extends it: a path starts at its folder, and its own
        name means the profile that it shadows. Raises ``ConfigError`` when there is none.
        """
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
        for path, place in self._holders(name):
            try:
                yield from self._profiles_in(path, place, name)
            except ConfigError as error:
                if broken is None:
                    raise
                broken[path] = error

    def folder(self, place: Place) -> Path | None:
        """Return the folder in which ``place`` has its single-profile files, if it has one."""
        if place is Place.SHIPPED:
            return shipped_folder()
        if place is Place.USER and self._env.config_dir:
            return self._env.config_dir / "profiles"
        return None

    def _holders(self, name: str | None) -> Iterator[tuple[Path, Place]]:
        """Yield the files that may hold profiles (called ``name``), in the order of lookup."""
        for place in (Place.PROJECT, Place.USER, Place.SHIPPED):
            folder, config = self.folder(place), self.config_path(place)
            if folder:
                singles = [folder / f"{name}.toml"] if name else _toml_files(folder)
                yield from ((path, place) for path in singles if _exists(path))
            if config and _exists(config):
                yield config, place

    def _profiles_in(self, path: Path, place: Place, name: str | None) -> Iterator[Profile]:
        file = self._file(path, place)
        if path != self.config_path(place):
            yield self._whole(file, path.stem)
            return
        tables = file.data.get("profiles", {})
        if not isinstance(tables, dict):
            raise ConfigError(f"{file.shown}:{file.lines.line('profiles')}: profiles is no table")
        for key in tables if name is None else [name] if name in tables else []:
            yield _table_of(file, key, tables[key])

    def _at_path(self, name: str, beside: Profile | None) -> Profile:
        base = beside.file.path.parent if beside else self._env.cwd
        path = expanded(name, base, self._env)
        if not _exists(path):
            by = f" (extended by {beside.where('extends')})" if beside else ""
            raise ConfigError(f"no profile file {path}{by}")
        return self._whole(self._file(path, self._place_of(path)), shown(path, self._env))

    def _place_of(self, path: Path) -> Place:
        for place in (Place.USER, Place.SHIPPED):
            folder = self.folder(place)
            if folder and path.parent == folder:
                return place
        return Place.PATH

    @staticmethod
    def _whole(file: ProfileFile, name: str) -> Profile:
        if "profiles" in file.data:
            line = file.lines.line("profiles")
            raise ConfigError(
                f"{file.shown}:{line}: this file holds one profile, so [profiles.…] has no "
                "meaning in it",
                f"only {USER_FILE} and {PROJECT_FILE} hold several; call theirs by name",
            )
        return Profile(name, file, (), file.data)

    def _file(self, path: Path, place: Place) -> ProfileFile:
        if path not in self._read:
            self._read[path] = _read_file(path, place, self._env)
        return self._read[path]

    @cached_property
    def _project_path(self) -> Path | None:
        for folder in (self._env.cwd, *self._env.cwd.parents):
            if _exists(folder / PROJECT_FILE):
                return folder / PROJECT_FILE
        return None

    def _no_such(self, name: str, beside: Profile | None) -> ConfigError:
        from vllmctl.nearest import nearest

        by = f" (extended by {beside.where('extends')})" if beside else ""
        like = nearest(name, {profile.name for profile in self.all(broken={})})
        hint = f"did you mean {like}? " if like else ""
        return ConfigError(
            f"no profile is called {name}{by}",
            hint + "`vllmctl profiles list` shows them all; a path needs a / or ends in .toml",
        )


def is_path(name: str) -> bool:
    """Whether ``name`` is the path of a profile, and not its name."""
    return "/" in name or name.endswith(".toml") or name.startswith("~")


def shipped_folder() -> Path | None:
    """Return the folder of the profiles that ship with the tool: in the wheel or the sources."""
    import vllmctl

    package = Path(vllmctl.__file__).parent
    for folder in (package / "profiles", package.parent / "profiles"):
        if folder.is_dir():
            return folder
    return None


def _table_of(file: ProfileFile, name: str, table: Any) -> Profile:
    if not isinstance(table, dict):
        line = file.lines.line("profiles", name)
        raise ConfigError(f"{file.shown}:{line}: profiles.{name} must be a table")
    return Profile(name, file, ("profiles", name), table)


def _exists(path: Path) -> bool:
    """Whether a file is there to be read; what cannot be looked at is not."""
    try:
        return path.exists() and not path.is_dir()
    except OSError:
        return False


def _toml_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except OSError:
        return []


def _read_file(path: Path, place: Place, env: Environment) -> ProfileFile:
    name = f"shipped {path.name}" if place is Place.SHIPPED else shown(path, env)
    content, mode = _read_bytes(path, name)
    text = _decoded(content, name)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(error, text, name) from None
    except RecursionError:
        raise ConfigError(f"{name}: nested too deeply") from None
    return ProfileFile(path, name, place, text, data, mode, _trusts(path, content, place, env))


def _read_bytes(path: Path, name: str) -> tuple[bytes, int]:
    import stat

    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISFIFO(status.st_mode):
            raise ConfigError(f"{name} is not a file")
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
    from vllmctl.request.trust import is_trusted

    return is_trusted(path, content, env)
