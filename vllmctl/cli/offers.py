"""The words that TAB offers, by the names that tables give them (``OptionSpec.offers``).

Each is asked of what the program itself reads; nothing here is a list of its own.
"""

from collections.abc import Callable, Iterator, Sequence

from vllmctl.cli.given import Given
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.fields.options import OptionSpec
from vllmctl.record import Record

Candidate = tuple[str, str]
"""A word and a line about it."""


class Asking(Record):
    """The unfinished word, what was given before it, where the program runs, and what of it."""

    unfinished: str
    given: Given
    env: Environment
    command: str = "chat"


def offered(kind: str, asking: Asking) -> Iterator[Candidate]:
    """Yield the words of ``kind``; files for what begins with @, which every value may be."""
    if asking.unfinished.startswith("@"):
        yield from files("@", asking.unfinished[1:], asking.env)
    elif kind:
        yield from _OFFERS[kind](asking)


def files(before: str, typed: str, env: Environment) -> Iterator[Candidate]:
    """Yield the paths that go on from ``typed``, with ``before`` in front."""
    folder, slash, start = typed.rpartition("/")
    try:
        found = sorted((env.cwd / f"{folder}{slash}").iterdir())
    except OSError:
        return
    for path in found:
        if path.name.startswith(start or path.name.lstrip(".")):
            yield f"{before}{folder}{slash}{path.name}{'/' if path.is_dir() else ''}", ""


def _profiles(asking: Asking) -> Iterator[Candidate]:
    from vllmctl.request.profiles.listing import profile_names

    yield from ((name, "") for name in profile_names(asking.env))


def _sessions(asking: Asking) -> Iterator[Candidate]:
    from vllmctl.request.sessions import session_names

    yield from ((name, "") for name in session_names(asking.env))


def _own_profiles(asking: Asking) -> Iterator[Candidate]:
    from vllmctl.request.profiles.listing import profile_names
    from vllmctl.request.profiles.places import Place

    own = (Place.PROJECT, Place.USER)
    yield from ((name, "") for name in profile_names(asking.env, own))


def _assignments(asking: Asking) -> Iterator[Candidate]:
    """Keys with ``=``; behind that the values, where only some are taken."""
    key, equals, value = asking.unfinished.partition("=")
    if value.startswith("@"):
        yield from files(f"{key}=@", value[1:], asking.env)
    elif not equals:
        yield from ((f"{path}=", spec.help) for path, spec in _keys(asking))
    else:
        yield from ((f"{key}={word}", "") for word in _words_for(key, asking))


def _words_for(key: str, asking: Asking) -> tuple[str, ...]:
    """What ``key`` (with a colon: as JSON) may be set to, where only some words are taken."""
    spec = dict(_keys(asking)).get(key.removesuffix(":").replace("-", "_"))
    if spec is None or spec.switch:
        return ("true", "false") if spec else ()
    return () if key.endswith(":") else spec.choices


def _keys(asking: Asking) -> Iterator[tuple[str, OptionSpec]]:
    """The paths that fields and sugar write."""
    for spec in _specs(asking):
        for path in spec.sugar.paths[:1] if spec.sugar else filter(None, [spec.path]):
            yield path, spec


def _specs(asking: Asking) -> Sequence[OptionSpec]:
    """The options of the release that --target names, else those that the command has."""
    target = asking.given.last("target")
    if target is None:
        return asking.given.specs
    from vllmctl.catalog.load import endpoint
    from vllmctl.catalog.target import parse_target
    from vllmctl.fields.options import field_options
    from vllmctl.fields.sugar import BY_COMMAND, CHAT

    name = BY_COMMAND.get(asking.given.last("for") or asking.command, CHAT)
    try:
        return field_options(endpoint(name, parse_target(target)))
    except UsageError:  # "server", or no release; that is told when the command runs
        return asking.given.specs


def _unset(asking: Asking) -> Iterator[Candidate]:
    yield from ((path, spec.help) for path, spec in _keys(asking))


def _models(asking: Asking) -> Iterator[Candidate]:
    from vllmctl.request.model_names import remembered_models

    yield from ((name, "") for name in remembered_models(asking.env))


def _releases(_asking: Asking) -> Iterator[Candidate]:
    from vllmctl.catalog.target import ENGINES

    for engine in ENGINES:
        yield engine, "The newest known"
        yield from _of_engine(engine)


def _of_engine(engine: str) -> Iterator[Candidate]:
    from vllmctl.catalog.target import releases

    yield from ((f"{engine}=={release}", "") for release in reversed(releases(engine)))


def _targets(asking: Asking) -> Iterator[Candidate]:
    yield from _releases(asking)
    yield "server", "What the server itself runs"


def _versions(_asking: Asking) -> Iterator[Candidate]:
    from vllmctl.catalog.target import releases

    yield from ((release, "") for release in reversed(releases()))


def _endpoints(_asking: Asking) -> Iterator[Candidate]:
    from vllmctl.catalog.load import endpoint_names
    from vllmctl.catalog.target import newest
    from vllmctl.fields.sugar import BY_COMMAND

    yield from BY_COMMAND.items()
    yield from ((name, "") for name in endpoint_names(newest()))


def _fields_words(asking: Asking) -> Iterator[Candidate]:
    if asking.given.has("schema"):
        yield "profile", "A profile's file"
    if asking.given.has("diff"):
        yield from _versions(asking)
    yield from _endpoints(asking)


def _explained(asking: Asking) -> Iterator[Candidate]:
    """Options of chat after a hyphen; the ids of rules once something is typed."""
    from vllmctl.catalog.target import newest
    from vllmctl.explain.names import field_names, other_names, rule_names

    if asking.unfinished.startswith("-"):
        from vllmctl.cli.chat import command

        for spec in command().specs:
            yield from ((name, spec.help) for name in (*spec.names, *spec.off))
        return
    yield from field_names(newest())
    if asking.unfinished:
        yield from other_names(newest())
        yield from rule_names(newest())


def _faults(_asking: Asking) -> Iterator[Candidate]:
    from vllmctl.mock.faults import KINDS

    yield from ((name, kind.help) for name, kind in KINDS.items())


def _panels(asking: Asking) -> Iterator[Candidate]:
    groups = dict.fromkeys(spec.group for spec in asking.given.specs)
    yield from ((group.key, group.value) for group in groups)


def _shells(_asking: Asking) -> Iterator[Candidate]:
    from vllmctl.cli.completion import SCRIPTS

    yield from ((shell, "") for shell in SCRIPTS)


_OFFERS: dict[str, Callable[[Asking], Iterator[Candidate]]] = {
    "assignment": _assignments,
    "endpoint": _endpoints,
    "fault": _faults,
    "fields_word": _fields_words,
    "key": _unset,
    "model": _models,
    "name": _explained,
    "own_profile": _own_profiles,
    "panel": _panels,
    "profile": _profiles,
    "release": _releases,
    "session": _sessions,
    "shell": _shells,
    "target": _targets,
    "version": _versions,
    "vllm": lambda _: _of_engine("vllm"),
}
