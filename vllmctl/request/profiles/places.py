"""Where profiles live.

There are four places: the *project* (``vllmctl.toml``, the nearest one upwards from the
current folder), the *user* (``config.toml`` and ``profiles/NAME.toml`` in the configuration
folder), what is *shipped* with the tool, and a *path*. A name is looked up in this order.
"""

from enum import StrEnum
from pathlib import Path

from vllmctl.env import Environment
from vllmctl.request.file_paths import is_file

PROJECT_FILE = "vllmctl.toml"
USER_FILE = "config.toml"


class Place(StrEnum):
    """Where a profile was found, in the order in which a name is looked up."""

    PROJECT = "project"
    USER = "user"
    SHIPPED = "shipped"
    PATH = "path"


def config_path(place: Place, env: Environment) -> Path | None:
    """Return the path of the configuration file of ``place``, there or not yet.

    ``None`` where there can be none: no home, no project file upwards, another place.
    """
    if place is Place.PROJECT:
        folders = (env.cwd, *env.cwd.parents)
        return next((f / PROJECT_FILE for f in folders if is_file(f / PROJECT_FILE)), None)
    if place is Place.USER and env.config_dir:
        return env.config_dir / USER_FILE
    return None


def config_files(env: Environment) -> list[tuple[Path, Place]]:
    """Return the configuration files that are there, the lowest first."""
    paths = [(config_path(place, env), place) for place in (Place.USER, Place.PROJECT)]
    return [(path, place) for path, place in paths if path and is_file(path)]


def folder(place: Place, env: Environment) -> Path | None:
    """Return the folder in which ``place`` has a file for each profile, if it has one."""
    if place is Place.SHIPPED:
        return _shipped()
    if place is Place.USER and env.config_dir:
        return env.config_dir / "profiles"
    return None


def is_path(name: str) -> bool:
    """Whether ``name`` is the path of a profile, and not its name."""
    return "/" in name or name.endswith(".toml") or name.startswith("~")


def _shipped() -> Path | None:
    """Return the profiles that ship with the tool: inside the wheel, or beside the sources."""
    import vllmctl

    package = Path(vllmctl.__file__).parent
    candidates = (package / "profiles", package.parent / "profiles")
    return next((path for path in candidates if path.is_dir()), None)
