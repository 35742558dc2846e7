"""What the shell may offer for the word under the cursor.

The shell's script (see ``vllmctl.cli.completion``) runs ``vllmctl __complete WORD…``: the
words after the program's name, the last one unfinished. The answer is a candidate a line,
``value<TAB>help``; no line at all means files.
"""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.commands import BY_TYPER, COMMANDS, SUBCOMMANDS
from vllmctl.env import Environment
from vllmctl.fields.options import OptionSpec

Candidate = tuple[str, str]


def candidates(words: Sequence[str], env: Environment) -> list[Candidate]:
    """Return what may stand for the last of ``words``, with a line of help each."""
    *before, unfinished = words or [""]
    if not before:
        return _starting(unfinished, ((name, row[1]) for name, row in COMMANDS.items()))
    if before[0] in BY_TYPER and before[1:2] != ["save"]:
        offered = SUBCOMMANDS[before[0]] if len(before) == 1 else _profile_names(env)
        return _starting(unfinished, offered)
    command = _command(before)
    return [] if command is None else _of_command(command, before[-1], unfinished, env)


def _command(before: Sequence[str]) -> RequestCommand | None:
    if before[0] in BY_TYPER:
        from vllmctl.cli.profiles_save import save_command

        return save_command()
    row = COMMANDS.get(before[0])
    made = import_module(row[0]).command() if row else None
    return made if isinstance(made, RequestCommand) else None


def _of_command(
    command: RequestCommand, last: str, unfinished: str, env: Environment
) -> list[Candidate]:
    """Options after a hyphen, an option's values after its name, else files."""
    name, equals, value = unfinished.partition("=")
    if equals and name.startswith("--"):
        spec = _spec(command.specs, name)
        offered = _values(spec, command, env) if spec else ()
        return [(f"{name}={word}", help) for word, help in _starting(value, offered)]
    spec = _spec(command.specs, last)
    if spec is not None and not spec.switch:
        return _starting(unfinished, _values(spec, command, env))
    return _starting(unfinished, _names(command.specs)) if unfinished.startswith("-") else []


def _names(specs: Iterable[OptionSpec]) -> Iterator[Candidate]:
    for spec in specs:
        for name in (*spec.names, *spec.off):
            yield name, spec.help


def _values(spec: OptionSpec, command: RequestCommand, env: Environment) -> Iterator[Candidate]:
    match spec.dest:
        case "profile":
            yield from _profile_names(env)
        case "option" | "unset":
            ending = "=" if spec.dest == "option" else ""
            yield from ((f"{s.path}{ending}", s.help) for s in command.specs if s.path)
        case "field_model":
            from vllmctl.request.model_names import remembered_models

            yield from ((name, "") for name in remembered_models(env))
        case "target":
            from vllmctl.catalog.target import releases

            yield from ((f"vllm=={release}", "") for release in reversed(releases()))
        case "help_panel":
            groups = dict.fromkeys(spec.group for spec in command.specs)
            yield from ((group.key, group.value) for group in groups)
        case _:
            yield from ((word, "") for word in spec.choices)


def _spec(specs: Iterable[OptionSpec], name: str) -> OptionSpec | None:
    return next((spec for spec in specs if name in (*spec.names, *spec.hidden)), None)


def _profile_names(env: Environment) -> Iterator[Candidate]:
    from vllmctl.request.profiles.listing import profile_names

    return ((name, "") for name in profile_names(env))


def _starting(unfinished: str, offered: Iterable[Candidate]) -> list[Candidate]:
    return [(value, help) for value, help in offered if value.startswith(unfinished)]
