"""All that is wrong with a profile, not only the first thing."""

from collections.abc import Iterator

from vllmctl.catalog.target import Target
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.request.profiles.chain import bases, known_endpoints, target_of, with_bases
from vllmctl.request.profiles.files import Profile, ProfileFiles
from vllmctl.request.profiles.outline import outline_problems
from vllmctl.request.profiles.places import Place
from vllmctl.request.profiles.problem import Problem, problem_at
from vllmctl.request.profiles.sections import read_sections


def check(name: str, env: Environment, *, target: Target | None = None) -> list[Problem]:
    """Return all problems of the profile called ``name``, or at that path, by line.

    Judged for ``target``, else for the profile's own target, else for the newest release:
    names, types, and the limits of the server. What it extends must exist; its problems
    are its own.

    Raises:
        ConfigError: there is no such profile, or its file cannot be read or is no TOML.
    """
    files = ProfileFiles(env)
    return _check(files.find(name), files, env, target)


def check_config(place: Place, env: Environment) -> list[Problem]:
    """Return all problems of the project's or the user's config with its named profiles.

    Empty when there is no such file. Raises ``ConfigError`` as ``check`` does.
    """
    files = ProfileFiles(env)
    config = files.config(place)
    if config is None:
        return []
    named = [profile for profile in files.all(broken={}) if profile.file.path == config.file.path]
    return [fault for profile in (config, *named) for fault in _check(profile, files, env, None)]


def _check(
    profile: Profile, files: ProfileFiles, env: Environment, target: Target | None
) -> list[Problem]:
    known = known_endpoints(target or target_of([profile]))
    problems = [
        *outline_problems(profile, known),
        *read_sections(profile, env, known, limits=True).problems,
        *_broken_bases(profile, files),
    ]
    return sorted(problems, key=lambda problem: problem.line)


def _broken_bases(profile: Profile, files: ProfileFiles) -> Iterator[Problem]:
    for index, name in enumerate(bases(profile)):
        try:
            list(with_bases(files.find(name, beside=profile), files, (profile,)))
        except UsageError as error:
            yield problem_at(profile, ("extends", index), error.message, error.hint)
