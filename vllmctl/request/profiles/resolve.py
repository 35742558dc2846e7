"""Profiles: from names to layers of fields and the settings of a server.

The user's config comes first, then the project's, then the profiles that were asked for,
left to right, each after what it extends. How a profile is written down:
``vllmctl.request.profiles.files``.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from vllmctl.catalog.target import Target, parse_target
from vllmctl.env import Environment
from vllmctl.record import Record, field
from vllmctl.request.origin import Layer, Origin
from vllmctl.request.profiles.places import config_files
from vllmctl.request.server.settings import Settings, merged, of_profile

if TYPE_CHECKING:
    from vllmctl.request.profiles.files import Profile
    from vllmctl.request.profiles.problem import Problem

Strangers = Literal["refused", "judged", "kept"]

_OTHERS_MAY_READ = 0o044


class Skipped(Record, frozen=True):
    """A field of ``[request]`` that the endpoint does not have, so that it is not sent."""

    path: str
    origin: Origin


class Resolved(Record):
    """What profiles say about one request.

    ``layers`` are in the order of precedence, lowest first; ``server`` has the settings of
    the connection; ``profiles`` all that were applied, in order; ``notices`` what the user
    should know; ``skipped`` what does not apply to this endpoint.
    """

    layers: list[Layer] = field(factory=list)
    server: Settings = field(factory=dict)
    profiles: list["Profile"] = field(factory=list)
    notices: list[str] = field(factory=list)
    skipped: list[Skipped] = field(factory=list)


def resolve(
    names: Sequence[str],
    endpoint: str,
    env: Environment,
    *,
    target: Target | None = None,
    configs: bool = True,
    unknown: Strangers = "refused",
) -> Resolved:
    """Return what the configs and the profiles called ``names`` say for ``endpoint``.

    Names and types are judged for ``target``, else for ``VLLMCTL_TARGET``, else for the
    target that the profiles set, else for the newest release. ``configs`` false leaves out
    what always applies. ``unknown`` says what becomes of fields that the release does not
    have: ``judged`` keeps those that the rules tell more about, ``kept`` all.

    Raises:
        ConfigError: a profile that is missing or cannot be read, or that says what its
            reader does not know; the message has one line for each problem.
    """
    if not names and not (configs and config_files(env)):
        return Resolved()  # before anything is imported that reads TOML
    from vllmctl.request.profiles.chain import applied
    from vllmctl.request.profiles.files import ProfileFiles

    profiles = applied(ProfileFiles(env), names, configs=configs)
    return _resolved(profiles, endpoint, env, target, unknown)


def _resolved(
    profiles: list["Profile"],
    endpoint: str,
    env: Environment,
    target: Target | None,
    unknown: Strangers,
) -> Resolved:
    from vllmctl.catalog.load import endpoint as load_endpoint
    from vllmctl.request.profiles.chain import known_endpoints, target_of
    from vllmctl.request.profiles.outline import outline_problems
    from vllmctl.request.profiles.problem import as_error
    from vllmctl.request.profiles.sections import layers_for, read_sections

    target = target or _target_of_environment(env) or target_of(profiles)
    known, own = known_endpoints(target), load_endpoint(endpoint, target)
    result = Resolved(profiles=profiles)
    problems: list[Problem] = []
    for profile in profiles:
        sections = read_sections(profile, env, known)
        found = [*outline_problems(profile, known), *sections.problems]
        problems += [p for p in found if not (unknown == "kept" and p.unknown)]
        if not _serious(problems, unknown):
            layers, skipped = layers_for(sections, own, known)
            result.layers += layers
            result.skipped += [Skipped(name, profile.origin(*path)) for name, path in skipped]
            result.server = merged(result.server, of_profile(profile, env))
            result.notices += [*_secrets_in_the_open(profile), *_silence(profile, layers, own.path)]
    if _serious(problems, unknown):
        raise as_error(problems)
    return result


def _serious(problems: list["Problem"], unknown: Strangers) -> bool:
    """Whether any of ``problems`` is left to be told here."""
    from vllmctl.request.profiles.problem import only_strange

    return bool(problems) and (unknown == "refused" or not only_strange(problems))


def _target_of_environment(env: Environment) -> Target | None:
    text = env.variables.get("VLLMCTL_TARGET", "").strip()
    return parse_target(text, "VLLMCTL_TARGET") if text and text != "server" else None


def _silence(profile: "Profile", layers: list[Layer], path: str) -> Iterator[str]:
    """Say when a profile has nothing for this endpoint, though it has for another."""
    fields = [profile.table.get(section) for section in ("request", "chat", "complete")]
    if any(fields) and not layers and not profile.table.keys() & {"server", "extends"}:
        yield f"{profile.title} says nothing that {path} knows"


def _secrets_in_the_open(profile: "Profile") -> Iterator[str]:
    from vllmctl.request.server.secret import is_secret_header

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
