"""Which profiles apply, in which order, and for which release they are meant."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint as load_endpoint
from vllmctl.catalog.load import endpoint_names
from vllmctl.catalog.target import Target, newest, parse_target
from vllmctl.errors import ConfigError, UsageError
from vllmctl.request.profiles.files import MOST_LEVELS, Profile, ProfileFiles
from vllmctl.request.profiles.places import Place

_ENDPOINTS = ("chat.completions", "completions")


def applied(files: ProfileFiles, names: Sequence[str], *, configs: bool) -> list[Profile]:
    """Return what applies, lowest first: user's and project's config, then ``names``.

    Each comes after what it extends. What several extend is there once, where it is first
    needed; what was asked for by name is always there.
    """
    places = (Place.USER, Place.PROJECT) if configs else ()
    asked = [config for place in places if (config := files.config(place))]
    asked += [files.find(name) for name in names]
    chain: list[Profile] = []
    seen = set()
    for wanted in asked:
        for profile in with_bases(wanted, files):
            if profile is wanted or profile.identity not in seen:
                seen.add(profile.identity)
                chain.append(profile)
    return chain


def with_bases(
    profile: Profile,
    files: ProfileFiles,
    way: tuple[Profile, ...] = (),
    done: set[tuple[Path, tuple[str, ...]]] | None = None,
) -> Iterator[Profile]:
    """Yield what ``profile`` extends, deepest first and each once, and then the profile.

    ``way`` leads from the profile that was asked for to this one, ``done`` are those that
    were yielded. Raises ``ConfigError`` for a base that is missing, and for one that leads
    back.
    """
    done = set() if done is None else done
    if profile.identity in [other.identity for other in way]:
        names = " → ".join(other.name or other.title for other in (*way, profile))
        raise ConfigError(f"{way[-1].where('extends')}: profiles extend each other: {names}")
    if len(way) > MOST_LEVELS:
        raise ConfigError(f"{profile.where()}: more than {MOST_LEVELS} profiles extend each other")
    for name in dict.fromkeys(bases(profile)):
        base = files.find(name, beside=profile)
        if base.identity not in done:
            yield from with_bases(base, files, (*way, profile), done)
    done.add(profile.identity)
    yield profile


def bases(profile: Profile) -> list[str]:
    """Return the names that ``profile`` extends; what is no name is left out."""
    extends = profile.table.get("extends", [])
    names = [extends] if isinstance(extends, str) else extends
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def known_endpoints(target: Target) -> list[Endpoint]:
    """Return the endpoints whose fields a profile may have, as they were at ``target``."""
    there = endpoint_names(target)
    return [load_endpoint(name, target) for name in _ENDPOINTS if name in there]


def target_of(profiles: Sequence[Profile]) -> Target:
    """Return the target that the last of ``profiles`` sets which sets any, else the newest."""
    for profile in reversed(profiles):
        server = profile.table.get("server")
        text = server.get("target") if isinstance(server, dict) else None
        if isinstance(text, str) and text != "server":
            try:
                return parse_target(text)
            except UsageError:  # the check of the profile says so, with the line
                continue
    return newest()
