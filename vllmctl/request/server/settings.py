"""The settings of a connection, merged from profiles, environment and flags.

A *setting* is a key of ``[server]`` (a header is ``headers.NAME``) with its source. The
order is profiles < environment < flags; ``connection`` makes of them what a client needs.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vllmctl.counts import count_in
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.record import Record, replace
from vllmctl.request.file_paths import expanded
from vllmctl.request.origin import Origin
from vllmctl.request.server.keys import KEY_SOURCES, SERVER_KEYS, parse_duration

if TYPE_CHECKING:
    from vllmctl.request.profiles.files import Profile


class Setting(Record, frozen=True, hidden=("value",)):
    """A value and its source; ``trusted`` is false when an untrusted project set it.

    Times are in seconds, paths absolute. ``folder`` is where a command of it runs.
    """

    value: Any
    origin: Origin
    trusted: bool = True
    folder: str = ""


Settings = dict[str, Setting]

_VARIABLES = ("base_url", "model", "target", "api_key", "ca_file", "proxy", "retries")
_TIMES = ("connect_timeout", "idle_timeout", "timeout")
_OPENAI_URLS = ("OPENAI_BASE_URL", "OPENAI_API_BASE")


def of_profile(profile: "Profile", env: Environment) -> Settings:
    """Return what the ``[server]`` of a profile says, whose values have been checked."""
    settings: Settings = {}
    for key, value in profile.table.get("server", {}).items():
        for path, part in _parts(key, value):
            name = ".".join(path)
            origin = profile.origin("server", *path)
            folder = profile.file.path.parent
            plain = str(expanded(part, folder, env)) if SERVER_KEYS[key].is_path else part
            plain = parse_duration(part) if key in _TIMES else plain
            settings[name] = Setting(plain, origin, profile.file.trusted, str(folder))
    return settings


def of_environment(env: Environment) -> Settings:
    """Return what the environment says: ``VLLMCTL_BASE_URL``, ``VLLMCTL_API_KEY`` and alike.

    ``OPENAI_BASE_URL`` (or the older ``OPENAI_API_BASE``) stands in for the first, and
    then ``OPENAI_API_KEY`` for the second: a key goes only where it belongs. Raises
    ``UsageError`` for a value that cannot be.
    """
    settings = _openai(env)
    for key in (*_VARIABLES, *_TIMES):
        name = f"VLLMCTL_{key.upper()}"
        text = env.variables.get(name, "").strip()
        if text:
            if key == "base_url":
                settings.clear()
            settings[key] = from_text(key, text, name, env, kind="environment")
    return settings


def from_text(key: str, text: str, source: str, env: Environment, *, kind: str = "flag") -> Setting:
    """Return the setting ``key`` as given in ``text`` by a flag or variable named ``source``.

    Raises ``UsageError`` when the text is not what the key may be.
    """
    count = count_in(text) if key == "retries" else None
    value: Any = text if count is None else count
    fault = SERVER_KEYS[key].check(value)
    if fault:
        raise UsageError(f"{source}: {fault}")
    if key in _TIMES:
        value = parse_duration(text)
    elif SERVER_KEYS[key].is_path:
        value = str(expanded(text, env.cwd, env))
    return Setting(value, Origin(kind, source))


def merged(*layers: Mapping[str, Setting]) -> Settings:
    """Return the settings of ``layers``, where later ones win.

    A source of the key replaces those below, whichever they are; names of headers are the
    same in any case. A server that a trusted layer below names too stays trusted.
    """
    result: Settings = {}
    for layer in layers:
        if any(key in layer for key in KEY_SOURCES):
            for key in KEY_SOURCES:
                result.pop(key, None)
        for key, setting in layer.items():
            if key.startswith("headers."):
                _drop_header(result, key)
            result[key] = _confirmed(setting, result.get(key)) if key == "base_url" else setting
    return result


def _confirmed(base: Setting, below: Setting | None) -> Setting:
    """``base``, which is trusted if ``below`` is and names the very same server."""
    if base.trusted or below is None or not below.trusted:
        return base
    mine, other = (url.value.rstrip("/").removesuffix("/v1") for url in (base, below))
    return replace(base, trusted=mine == other)


def _parts(key: str, value: Any) -> list[tuple[tuple[str, ...], Any]]:
    if key == "headers":
        return [((key, name), content) for name, content in value.items()]
    return [((key,), value)]


def _openai(env: Environment) -> Settings:
    url = next((name for name in _OPENAI_URLS if env.variables.get(name, "").strip()), None)
    if url is None:
        return {}
    key = env.variables.get("OPENAI_API_KEY", "").strip()
    origin = Origin("environment", "OPENAI_API_KEY") if key else Origin("environment", url)
    return {
        "base_url": from_text("base_url", env.variables[url].strip(), url, env, kind="environment"),
        # an empty key keeps a profile's key from a server that it was not meant for
        "api_key": Setting(key, origin),
    }


def _drop_header(settings: Settings, key: str) -> None:
    for known in [name for name in settings if name.lower() == key.lower()]:
        del settings[known]
