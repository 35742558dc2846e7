"""Looking at profiles: the list, one in full, and where each is kept."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.record import Record
from vllmctl.request.file_paths import expanded, is_file, shown
from vllmctl.request.profiles.files import Profile, ProfileFiles
from vllmctl.request.profiles.places import Place, config_files, is_path
from vllmctl.request.profiles.toml_tables import table_text
from vllmctl.request.server.secret import is_secret_header, masked, masked_url


class Listed(Record, frozen=True):
    """A row of the list of profiles.

    ``where`` is file and line as shown; ``shadowed_by`` the place whose profile of the same
    name wins, or ``None``; ``problem`` says why the file cannot be read, or is empty.
    """

    name: str
    description: str
    place: Place
    path: Path
    where: str
    shadowed_by: Place | None = None
    problem: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return the JSON form that ``profiles list --format json`` prints."""
        return {
            "name": self.name,
            "description": self.description,
            "place": self.place.value,
            "path": str(self.path),
            "shadowed_by": self.shadowed_by.value if self.shadowed_by else None,
            "problem": self.problem or None,
        }


class Shown(Record, frozen=True):
    """One profile: its ``text`` as written and its ``table`` as read, secrets masked in both."""

    profile: Profile
    text: str
    table: dict[str, Any]


def list_profiles(env: Environment) -> list[Listed]:
    """Return all profiles in the order of lookup; files that cannot be read come last."""
    broken: dict[Path, ConfigError] = {}
    winners: dict[str, Place] = {}
    rows = []
    for profile in ProfileFiles(env).all(broken=broken):
        winner = winners.get(profile.name)
        winners.setdefault(profile.name, profile.place)
        rows.append(_row(profile, winner))
    return rows + [_broken_row(path, error, env) for path, error in broken.items()]


def profile_names(env: Environment, places: Container[Place] = tuple(Place)) -> list[str]:
    """Return the names that ``-p`` takes, for completion; never fails."""
    found = ProfileFiles(env).all(broken={})
    return sorted({profile.name for profile in found if profile.place in places})


def show(name: str, env: Environment) -> Shown:
    """Return the profile called ``name``, or at that path, as it is written.

    Raises ``ConfigError`` when there is none, or its file cannot be read.
    """
    profile = ProfileFiles(env).find(name)
    table = _masked(profile.table)
    text = table_text(profile.file.text, profile.keys) if profile.keys else profile.file.text
    return Shown(profile, _masked_text(text, profile.table) or _as_toml(table), table)


def path_of(name: str, env: Environment) -> tuple[Path, int]:
    """Return the file of the profile ``name`` and the line on which it begins.

    The file need not be sound, as this leads to where it is mended; so ``name`` may be that of
    a configuration file, too. Raises ``ConfigError`` when there is none.
    """
    if is_path(name) and is_file(path := expanded(name, env.cwd, env)):
        return path, 1
    files, broken = ProfileFiles(env), dict[Path, ConfigError]()
    profile = next(files.all(name, broken=broken), None)
    called = [path for path in broken if path.stem == name]
    configs = [path for path, _ in config_files(env) if path.stem == name]
    if called and (profile is None or profile.place is Place.SHIPPED):
        return called[0], 1
    if profile is None and configs:
        return configs[0], 1
    profile = profile or files.find(name)
    return profile.file.path, profile.line() if profile.keys else 1


def _row(profile: Profile, winner: Place | None) -> Listed:
    description = profile.table.get("description", "")
    return Listed(
        name=profile.name,
        description=" ".join(description.split()) if isinstance(description, str) else "",
        place=profile.place,
        path=profile.file.path,
        where=profile.where() if profile.keys else profile.file.shown,
        shadowed_by=winner,
    )


def _broken_row(path: Path, error: ConfigError, env: Environment) -> Listed:
    folder = env.config_dir
    place = Place.USER if folder and path.is_relative_to(folder) else Place.PROJECT
    return Listed(path.stem, "", place, path, shown(path, env), problem=error.message)


def _secrets(server: Any) -> list[tuple[str, str]]:
    """Return the secret texts of a ``[server]`` table, and what may be shown instead."""
    if not isinstance(server, dict):
        return []
    headers = server.get("headers")
    found = [server.get("api_key")]
    if isinstance(headers, dict):
        found += [value for name, value in headers.items() if is_secret_header(name)]
    urls = [server.get("base_url"), server.get("proxy")]
    pairs = [(text, masked(text)) for text in found if isinstance(text, str)]
    pairs += [(url, masked_url(url)) for url in urls if isinstance(url, str)]
    return [(secret, instead) for secret, instead in pairs if secret and secret != instead]


def _masked(table: Mapping[str, Any]) -> dict[str, Any]:
    swaps = dict(_secrets(table.get("server")))

    def swap(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: swap(inner) for key, inner in value.items()}
        return swaps.get(value, value) if isinstance(value, str) else value

    return {key: swap(value) if key == "server" else value for key, value in table.items()}


def _masked_text(text: str, table: Mapping[str, Any]) -> str:
    """Return ``text`` with its secrets masked; empty when they are not written literally."""
    for secret, instead in _secrets(table.get("server")):
        if secret not in text:
            return ""
        text = text.replace(secret, instead)
    return text


def _as_toml(table: dict[str, Any]) -> str:
    import tomli_w

    return tomli_w.dumps(table)
