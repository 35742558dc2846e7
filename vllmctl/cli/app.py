"""The root command: a group that imports only the command that is called."""

from importlib import import_module
from typing import Any, cast

from typer import _click as click
from typer.core import TyperGroup

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.commands import COMMANDS


class LazyGroup(TyperGroup):
    """Knows the commands' names and help lines; a command's module is imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in help order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command, or ``None`` when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command()
        if isinstance(command, RequestCommand):
            from vllmctl.cli.bridge import BridgeCommand

            return BridgeCommand(command)
        return cast(click.Command, command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; name the nearest one for a misspelt name."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from vllmctl.errors import UsageError
            from vllmctl.nearest import nearest

            near = nearest(args[0], COMMANDS, cutoff=0.6)
            hint = f"did you mean {near}?" if near else "vllmctl --help lists the commands"
            raise UsageError(f"no command {args[0]!r}", hint)
        return super().resolve_command(ctx, args)


def root() -> LazyGroup:
    """Return the root command."""
    return LazyGroup(
        name="vllmctl",
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
        add_help_option=False,
    )
