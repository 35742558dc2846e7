"""The commands and their options, as the program itself has them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.commands import COMMANDS, GROUPS
from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec


@dataclass(frozen=True, slots=True)
class Option:
    """One option: ``names`` as typed, those that say no in ``off``; ``metavar`` is its value.

    ``is_field`` options write fields of the request.
    """

    names: tuple[str, ...]
    help: str
    metavar: str = ""
    off: tuple[str, ...] = ()
    group: str = ""
    is_field: bool = False

    @property
    def label(self) -> str:
        """All that may be typed: ``-t, --temperature NUM``, ``--echo, --no-echo``."""
        names = sorted((*self.names, *self.off), key=lambda name: name.startswith("--"))
        return ", ".join(names) + (f" {self.metavar}" if self.metavar else "")


@dataclass(frozen=True, slots=True)
class Command:
    """One command; ``options`` are in help order, ``commands`` those behind it."""

    name: str
    line: str
    usage: str
    summary: str = ""
    examples: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    commands: tuple["Command", ...] = field(default=())

    @property
    def has_fields(self) -> bool:
        """Whether a request's fields are among the options."""
        return any(option.is_field for option in self.options)

    @property
    def panels(self) -> Iterator[tuple[str, list[Option]]]:
        """Yield the titles of the help's panels and their options."""
        for title in dict.fromkeys(option.group for option in self.options):
            yield title, [option for option in self.options if option.group == title]


def commands() -> list[Command]:
    """Return all commands in help order."""
    return [_command(name, line) for name, (_, line) in COMMANDS.items()]


def every_command() -> Iterator[Command]:
    """Yield all commands, those behind another one too."""
    for command in commands():
        yield command
        yield from command.commands


def _command(name: str, line: str) -> Command:
    if name not in GROUPS:
        return _of_table(name, line, _made(COMMANDS[name][0]))
    page = _made(COMMANDS[name][0]).page
    parts = [
        _of_table(f"{name} {part}", words, _made(module))
        for part, (module, words) in GROUPS[name].items()
    ]
    return Command(name, line, page.usage, page.summary, page.examples, commands=(*parts,))


def _made(module: str) -> Any:
    return import_module(module).command()


def _of_table(name: str, line: str, made: RequestCommand) -> Command:
    page = made.page
    options = tuple(_of_spec(spec) for spec in _in_help_order(made.specs))
    return Command(name, line, page.usage, page.summary, page.examples, options)


def _in_help_order(specs: Sequence[OptionSpec]) -> list[OptionSpec]:
    return [spec for group in Group for spec in specs if spec.group is group]


def _of_spec(spec: OptionSpec) -> Option:
    metavar = "" if spec.switch else spec.metavar
    help_line = spec.help
    if metavar == "WORD":
        help_line = f"{help_line}: {', '.join(spec.choices)}"
    is_field = bool(spec.path or spec.sugar)
    return Option(spec.names, help_line, metavar, spec.off, spec.group.value, is_field)
