"""What the shell may offer for the word under the cursor.

The shell's script (see ``vllmctl.cli.completion``) runs ``vllmctl __complete WORD…``: the
words after the program's name, the last one unfinished. The answer is a candidate a line,
``value<TAB>help``; no line at all means files. What a command takes is asked of the tables
and the reader that the command itself uses.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from vllmctl.cli.argv import read
from vllmctl.cli.command import RequestCommand
from vllmctl.cli.commands import COMMANDS, GROUPS
from vllmctl.cli.given import Given
from vllmctl.cli.offers import Asking, Candidate, offered
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.fields.options import OptionSpec
from vllmctl.record import replace

_HERE = "\0here"
"""Stands for the unfinished word while the words are read; nobody can type it."""


def candidates(words: Sequence[str], env: Environment) -> list[Candidate]:
    """Return what may stand for the last of ``words``, with a line of help each."""
    *before, unfinished = words or [""]
    before = before[before[:1] == ["help"] :]
    group = before.pop(0) if before and before[0] in GROUPS else ""
    rows = GROUPS.get(group, COMMANDS)
    if not before:
        return _starting(unfinished, _of_group(group, rows, unfinished))
    row = rows.get(before[0])
    command = import_module(row[0]).command() if row else None
    return _of_command(command, before[1:], unfinished, env) if command else []


def _of_group(
    group: str, rows: Mapping[str, tuple[str, str]], unfinished: str
) -> Iterator[Candidate]:
    if not unfinished.startswith("-"):
        yield from ((name, row[1]) for name, row in rows.items())
        return
    from vllmctl.cli.grouppage import ROOT, group_options

    yield from _names(group_options(None if group else ROOT))


def _of_command(
    command: RequestCommand, before: Sequence[str], unfinished: str, env: Environment
) -> list[Candidate]:
    """Options after a hyphen, an option's values after its name, else what the words are."""
    words = command.arranged([*before, _HERE])
    specs = command.table(words)
    values, spec = _read(words, specs)
    asking = Asking(unfinished, Given(values, specs), env, command.name)
    name, equals, value = unfinished.partition("=")
    if spec is not None:
        return _starting(unfinished, words_for(spec, asking))
    if equals and name.startswith("--"):
        spec = next((spec for spec in specs if name in (*spec.names, *spec.hidden)), None)
        found = words_for(spec, replace(asking, unfinished=value)) if spec else ()
        return [(f"{name}={word}", help) for word, help in _starting(value, found)]
    if unfinished.startswith("-") and "--" not in before:
        return _starting(unfinished, [*_names(specs), *offered(command.words, asking)])
    return _starting(unfinished, offered(command.words, asking))


def _read(
    words: Sequence[str], specs: Sequence[OptionSpec]
) -> tuple[dict[str, Any], OptionSpec | None]:
    """What was given before the cursor, and the option whose value is under it, if any."""
    try:
        values, rest, _ = read(words, specs, lambda _: "")
    except UsageError:  # a fault before the cursor; it is told when the command runs
        return {}, None
    waiting = (spec for spec in specs if not spec.switch and _HERE in values.get(spec.dest, ()))
    return {**values, "prompt": rest}, next(waiting, None)


def words_for(spec: OptionSpec, asking: Asking) -> Iterator[Candidate]:
    """Yield the words that ``spec`` may be set to, where some are known."""
    yield from ((word, "") for word in spec.choices)
    yield from offered(spec.offers, asking)


def _names(specs: Iterable[OptionSpec]) -> Iterator[Candidate]:
    for spec in specs:
        for name in (*spec.names, *spec.off):
            yield name, spec.help


def _starting(unfinished: str, candidates: Iterable[Candidate]) -> list[Candidate]:
    found: dict[str, str] = {}
    for value, help in candidates:
        if value.startswith(unfinished):
            found.setdefault(value, help)
    return list(found.items())
