"""Saving and removing profiles.

A file of one profile is written whole. In a file that holds more, only the table of the
profile is replaced; all else stays as it is, comments too.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vllmctl.catalog.target import Target, newest
from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.record import Record, field
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.file_paths import expanded, is_there, shown
from vllmctl.request.profiles.chain import known_endpoints, with_bases
from vllmctl.request.profiles.content import profile_table
from vllmctl.request.profiles.files import Profile, ProfileFile, ProfileFiles
from vllmctl.request.profiles.outline import outline_problems
from vllmctl.request.profiles.places import PROJECT_FILE, Place, config_path, folder, is_path
from vllmctl.request.profiles.problem import as_error
from vllmctl.request.profiles.sections import read_sections
from vllmctl.request.profiles.toml_tables import CannotEditError, with_table, without_table
from vllmctl.request.server.settings import Setting

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TAKEN = "`vllmctl profiles save --force` replaces it, `vllmctl profiles rm` removes it"
_BOM = "\ufeff"


class Saved(Record, frozen=True):
    """Where a profile went, and what was left out of it."""

    path: Path
    shown: str
    notices: list[str] = field(factory=list)


class _Slot(Record, frozen=True):
    """Where a profile is written: a whole file, or the table ``keys`` of one."""

    path: Path
    place: Place
    keys: tuple[str, ...] = ()


def save(
    name: str,
    values: Mapping[str, Any],
    endpoint: str,
    env: Environment,
    *,
    server: Mapping[str, Setting] | None = None,
    where: Place = Place.USER,
    description: str = "",
    extends: Sequence[str] = (),
    target: Target | None = None,
    force: bool = False,
) -> Saved:
    """Save fields of a request to ``endpoint`` as the profile ``name`` (or at that path).

    ``where`` is ``user`` (a file of its own) or ``project`` (a table of ``vllmctl.toml``,
    the nearest one, else a new one in the current folder). Fields that both commands take
    alike go to ``[request]``. Secrets are never written, and null cannot be: ``notices``
    say what was left out.

    Raises:
        ConfigError: the name is taken (without ``force``), is no name, or the file cannot
            be written or changed; one that it extends is not there or broken.
    """
    slot = _slot_for(name, where, env, force=force)
    files = ProfileFiles(env)
    for base in extends:
        list(with_bases(files.find(base), files))
    known = known_endpoints(target or newest())
    table, notices = profile_table(values, endpoint, known, server or {})
    anchored = [_anchored(base, slot.path.parent, env) for base in extends]
    head = {"description": description, "extends": anchored}
    table = {key: value for key, value in head.items() if value} | table
    _require_readable(table, slot, env, target)
    _write(slot, table, env)
    if slot.place is not Place.PATH and _ships(name, env):
        notices.append(f"{name} ships with vllmctl; from now on the name means yours")
    return Saved(slot.path, shown(slot.path, env), notices)


def remove(name: str, env: Environment, *, where: Place | None = None) -> Saved:
    """Remove the profile ``name`` of the user or the project (``where``, else the first found).

    Raises ``ConfigError`` when there is none, or only one that ships with the tool.
    """
    if is_path(name):
        raise ConfigError(f"{name} is a path, not a name", "remove the file itself")
    broken: dict[Path, ConfigError] = {}
    found = [p for p in ProfileFiles(env).all(name, broken=broken) if where in (None, p.place)]
    own = _own_file(name, env)
    if own in broken and where in (None, Place.USER) and not _is_projects(found):
        _unlink(own, shown(own, env))
        return Saved(own, shown(own, env))
    if not found and broken:
        raise next(iter(broken.values()))
    if not found:
        place = f" in the {where} place" if where else ""
        raise ConfigError(f"no profile is called {name}{place}")
    profile = found[0]
    if profile.place is Place.SHIPPED:
        raise ConfigError(f"{name} ships with vllmctl and cannot be removed")
    _remove(profile, env)
    return Saved(profile.file.path, profile.file.shown)


def _own_file(name: str, env: Environment) -> Path:
    """Return the file that is the user's profile ``name`` alone, there or not."""
    return (folder(Place.USER, env) or env.cwd) / f"{name}.toml"


def _is_projects(found: list[Profile]) -> bool:
    return bool(found) and found[0].place is Place.PROJECT


def _ships(name: str, env: Environment) -> bool:
    return any(profile.place is Place.SHIPPED for profile in ProfileFiles(env).all(name, broken={}))


def _anchored(base: str, folder: Path, env: Environment) -> str:
    """Return ``base`` as a profile in ``folder`` must write it: paths start there."""
    if not is_path(base):
        return base
    path = expanded(base, env.cwd, env)
    return f"./{path.relative_to(folder)}" if path.is_relative_to(folder) else str(path)


def _slot_for(name: str, where: Place, env: Environment, *, force: bool) -> _Slot:
    files = ProfileFiles(env)
    if is_path(name):
        if not name.endswith(".toml"):
            hint = f"a name has no /; a path ends in .toml: {name.rstrip('/')}.toml"
            raise ConfigError(f"{name!r} is no name for a profile, and no path of one", hint)
        slot = _Slot(expanded(name, env.cwd, env), Place.PATH)
        taken = is_there(slot.path)
    elif not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} is no name for a profile", "use letters, digits, . _ and -")
    else:
        broken: dict[Path, ConfigError] = {}
        old = next((p for p in files.all(name, broken=broken) if p.place is where), None)
        slot = _Slot(old.file.path, where, old.keys) if old else _new_slot(name, where, env)
        taken = old is not None or slot.path in broken
        if slot.keys and slot.path in broken:
            raise broken[slot.path]
    if taken and not force:
        there = ".".join(slot.keys) + " of " if slot.keys else ""
        raise ConfigError(f"{there}{shown(slot.path, env)} is there already", _TAKEN)
    return slot


def _new_slot(name: str, where: Place, env: Environment) -> _Slot:
    if where is Place.PROJECT:
        path = config_path(Place.PROJECT, env) or env.cwd / PROJECT_FILE
        return _Slot(path, where, ("profiles", name))
    home = folder(Place.USER, env) if where is Place.USER else None
    if home is None:
        reason = (
            "HOME is not set, or no folder"
            if where is Place.USER
            else f"nothing is saved to {where}"
        )
        raise ConfigError(f"there is no place for the profile {name}: {reason}", "give a path")
    return _Slot(home / f"{name}.toml", where)


def _require_readable(
    table: dict[str, Any], slot: _Slot, env: Environment, target: Target | None
) -> None:
    """Make sure that what is written can be read again."""
    text = _toml(table)
    file = ProfileFile(slot.path, shown(slot.path, env), slot.place, text, table, 0, True)
    profile = Profile(slot.path.stem, file, (), table)
    known = known_endpoints(target or newest())
    problems = [*outline_problems(profile, known), *read_sections(profile, env, known).problems]
    if problems:
        raise as_error(problems)


def _write(slot: _Slot, table: dict[str, Any], env: Environment) -> None:
    if not slot.keys:
        write_atomically(slot.path, _toml(table), env)
        _trust_own(slot, env)
        return
    nested = table
    for key in reversed(slot.keys):
        nested = {key: nested}
    old = _read_text(slot.path, env)
    try:
        new = with_table(old.text, slot.keys, _toml(nested))
    except CannotEditError:
        raise _by_hand(slot.path, slot.keys, env) from None
    _rewrite(slot.path, old, new, env)
    if old.trusted:
        _trust_own(slot, env)


def _trust_own(slot: _Slot, env: Environment) -> None:
    """Trust what we wrote ourselves outside the user's folder."""
    from vllmctl.request.profiles.trust import trust

    if slot.place in (Place.PROJECT, Place.PATH) and env.config_dir:
        trust(slot.path, env)


def _remove(profile: Profile, env: Environment) -> None:
    path = profile.file.path
    if profile.keys:
        old = _read_text(path, env)
        try:
            new = without_table(old.text, profile.keys)
        except CannotEditError:
            raise _by_hand(path, profile.keys, env) from None
        _rewrite(path, old, new, env)
        if old.trusted:
            _trust_own(_Slot(path, profile.place), env)
        return
    _unlink(path, profile.file.shown)


def _unlink(path: Path, name: str) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise ConfigError(f"cannot remove {name}: {error.strerror}") from None


class _Text(Record, frozen=True):
    """A file's text with ``\\n`` line ends, how it was written, and whether it was trusted."""

    text: str = ""
    has_mark: bool = False
    is_crlf: bool = False
    trusted: bool = True


def _read_text(path: Path, env: Environment) -> _Text:
    from vllmctl.request.profiles.trust import is_trusted

    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return _Text()
    except OSError as error:
        raise ConfigError(f"cannot read {shown(path, env)}: {error.strerror}") from None
    text = content.decode("utf-8-sig")  # it was read as a profile before
    return _Text(
        text.replace("\r\n", "\n"),
        content.startswith(_BOM.encode()),
        "\r\n" in text,
        is_trusted(path, content, env),
    )


def _rewrite(path: Path, old: _Text, new: str, env: Environment) -> None:
    """Write ``new`` in the manner of ``old``."""
    text = new.replace("\n", "\r\n") if old.is_crlf else new
    write_atomically(path, (_BOM if old.has_mark else "") + text, env)


def _by_hand(path: Path, keys: tuple[str, ...], env: Environment) -> ConfigError:
    table = ".".join(keys)
    return ConfigError(
        f"{shown(path, env)}: {table} is not a table of its own ([{table}]), so it cannot be "
        "changed without touching the rest",
        "change it by hand",
    )


def _toml(data: dict[str, Any]) -> str:
    import tomli_w

    text = tomli_w.dumps(data, multiline_strings=True)
    return text if tomllib.loads(text) == data else tomli_w.dumps(data)
