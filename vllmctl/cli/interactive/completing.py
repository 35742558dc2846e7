"""What TAB offers in an interactive chat, out of the tables that the shell's completion uses."""

import re
from collections.abc import Callable, Iterable, Iterator

from vllmctl.cli.completing import words_for
from vllmctl.cli.interactive.commands import BY_NAME, COMMANDS
from vllmctl.cli.interactive.setting import setting_names, spec_named
from vllmctl.cli.interactive.talk import Talk
from vllmctl.cli.offers import Asking, Candidate, files
from vllmctl.env import Environment

_SIGN = re.compile(r"\s*:?=\s*|\s+")


def offered(text: str, talk: Talk, env: Environment) -> tuple[str, list[Candidate]]:
    """Return the unfinished word at the end of ``text``, and what may stand in its place."""
    name, space, argument = text.partition(" ")
    if not text.startswith("/") or text.startswith("//"):
        return "", []
    if not space:
        return name, _starting(name, ((row.name, row.help) for row in COMMANDS))
    command = BY_NAME.get(name)
    if command is None or not command.offers:
        return "", []
    return _OFFERS[command.offers](argument.lstrip(), Asking(argument, talk.given, env), talk)


Offer = Callable[[str, Asking, Talk], tuple[str, list[Candidate]]]


def _settings(argument: str, asking: Asking, _: Talk) -> tuple[str, list[Candidate]]:
    """Names, and after one of them its values."""
    sign = _SIGN.search(argument)
    if sign is None:
        names = ((name, spec.help) for name, spec in setting_names(asking.given.specs))
        return argument, _alike(argument, names)
    found = spec_named(argument[: sign.start()], asking.given.specs)
    value = argument[sign.end() :]
    return value, _starting(value, _values(found[0].dest, value, asking) if found else ())


def _values(dest: str, value: str, asking: Asking) -> Iterator[Candidate]:
    spec = next(spec for spec in asking.given.specs if spec.dest == dest)
    if spec.switch:
        yield from (("true", ""), ("false", ""))
    yield from words_for(spec, Asking(value, asking.given, asking.env))


def _of(dest: str) -> Offer:
    """Return what offers the values of one option."""
    return lambda argument, asking, _: (
        argument,
        _starting(argument, _values(dest, argument, asking)),
    )


def _unset(argument: str, asking: Asking, talk: Talk) -> tuple[str, list[Candidate]]:
    set_now = {**asking.given.values, **talk.waiting}
    names = ((n, s.help) for n, s in setting_names(asking.given.specs) if s.dest in set_now)
    return argument, _alike(argument, names)


def _paths(argument: str, asking: Asking, _: Talk) -> tuple[str, list[Candidate]]:
    return argument, list(files("", argument, asking.env))


def _commands(argument: str, _asking: Asking, _: Talk) -> tuple[str, list[Candidate]]:
    return argument, _starting(argument, ((row.name, row.help) for row in COMMANDS))


_OFFERS: dict[str, Offer] = {
    "set": _settings,
    "unset": _unset,
    "profile": _of("profile"),
    "model": _of("field_model"),
    "path": _paths,
    "command": _commands,
}


def _starting(unfinished: str, candidates: Iterable[Candidate]) -> list[Candidate]:
    return [(word, help) for word, help in candidates if word.startswith(unfinished)]


def _alike(unfinished: str, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Hyphens and underscores are the same in the name of a setting."""
    start = unfinished.replace("-", "_")
    return [one for one in candidates if one[0].replace("-", "_").startswith(start)]
