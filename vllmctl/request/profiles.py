"""Profiles: from names to layers of fields and the settings of a server.

The user's config comes first, then the project's, then the profiles that were asked for,
left to right, each after what it extends. What several extend is applied once, where it
is first needed. How profiles are found and written down: ``vllmctl.request.profile_files``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint as load_endpoint
from vllmctl.catalog.load import endpoint_names
from vllmctl.catalog.target import Target, newest, parse_target
from vllmctl.env import Environment
from vllmctl.errors import ConfigError, UsageError
from vllmctl.request.origin import Layer
from vllmctl.request.profile_files import Place, Profile, ProfileFiles
from vllmctl.request.profile_outline import outline_problems
from vllmctl.request.profile_problem import Problem, as_error
from vllmctl.request.profile_sections import Skipped, layers_for, read_sections
from vllmctl.request.secret import is_secret_header
from vllmctl.request.server_settings import Settings, merged, of_profile

_ENDPOINTS = ("chat.completions", "completions")
_OTHERS_MAY_READ = 0o044


@dataclass(slots=True)
class Resolved:
    """What profiles say about one request.

    ``layers`` are in the order of precedence, lowest first; ``server`` has the settings of
    the connection; ``profiles`` all that were applied, in order; ``notices`` what the user
    should know; ``skipped`` what does not apply to this endpoint.
    """

    layers: list[Layer] = field(default_factory=list)
    server: Settings = field(default_factory=dict)
    profiles: list[Profile] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def resolve(
    names: Sequence[str],
    endpoint: str,
    env: Environment,
    *,
    target: Target | None = None,
    configs: bool = True,
    allow_unknown: bool = False,
) -> Resolved:
    """Return what the configs and the profiles called ``names`` say for ``endpoint``.

    Names and types are judged for ``target``, else for the target that the profiles set,
    else for the newest release. ``configs`` false leaves out what always applies;
    ``allow_unknown`` keeps fields that the release does not know.

    Raises:
        ConfigError: a profile that is missing or cannot be read, or that says what its
            reader does not know; the message has one line for each problem.
    """
    profiles = list(_applied(ProfileFiles(env), names, configs=configs))
    target = target or target_of(profiles)
    known = known_endpoints(target)
    own = next((e for e in known if e.name == endpoint), None) or load_endpoint(endpoint, target)
    result = Resolved(profiles=profiles)
    problems: list[Problem] = []
    for profile in profiles:
        sections = read_sections(profile, env, known)
        found = [*outline_problems(profile, known), *sections.problems]
        problems += [p for p in found if not (allow_unknown and p.unknown_field)]
        if not problems:
            layers, skipped = layers_for(sections, own, known)
            result.layers += layers
            result.skipped += skipped
            result.server = merged(result.server, of_profile(profile, env))
            result.notices += _secrets_in_the_open(profile)
    if problems:
        raise as_error(problems)
    return result


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


def with_bases(
    profile: Profile, files: ProfileFiles, way: tuple[Profile, ...] = ()
) -> Iterator[Profile]:
    """Yield what ``profile`` extends, deepest first, and then the profile.

    ``way`` leads from the profile that was asked for to this one. Raises ``ConfigError``
    for a base that is missing, and for one that leads back.
    """
    if profile.identity in [other.identity for other in way]:
        names = " → ".join(other.name or other.title for other in (*way, profile))
        raise ConfigError(f"{way[-1].where('extends')}: profiles extend each other: {names}")
    for name in bases(profile):
        yield from with_bases(files.find(name, beside=profile), files, (*way, profile))
    yield profile


def bases(profile: Profile) -> list[str]:
    """Return the names that ``profile`` extends; what is no name is left out."""
    extends = profile.table.get("extends", [])
    names = [extends] if isinstance(extends, str) else extends
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _applied(files: ProfileFiles, names: Sequence[str], *, configs: bool) -> Iterator[Profile]:
    places = (Place.USER, Place.PROJECT) if configs else ()
    asked = [config for place in places if (config := files.config(place))]
    asked += [files.find(name) for name in names]
    seen = set()
    for wanted in asked:
        for profile in with_bases(wanted, files):
            if profile.identity not in seen or profile is wanted:
                seen.add(profile.identity)
                yield profile


def _secrets_in_the_open(profile: Profile) -> Iterator[str]:
    server = profile.table.get("server", {})
    headers = [("headers", name) for name in server.get("headers", {}) if is_secret_header(name)]
    secrets = ([("api_key",)] if "api_key" in server else []) + headers
    if not secrets:
        return
    where = profile.where("server", *secrets[0])
    yield f"{where}: a key in plain text; api_key_env or api_key_cmd keeps it out of the file"
    if profile.file.mode & _OTHERS_MAY_READ:
        file = profile.file
        yield f"others may read {file.shown}, which holds a key: chmod 600 {file.path}"
