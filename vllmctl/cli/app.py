"""Groups of commands: each imports only the command that is called."""

from importlib import import_module
from typing import Any, cast

from typer import _click as click
from typer.core import TyperGroup

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.commands import COMMANDS, GROUPS
from vllmctl.cli.grouppage import ROOT, group_help
from vllmctl.cli.page import Page
from vllmctl.env import Environment


class LazyGroup(TyperGroup):
    """Knows its commands' names and help lines; a command's module is imported on use."""

    def __init__(self, name: str, page: Page) -> None:
        super().__init__(
            name=name,
            context_settings={"help_option_names": ["-h", "--help"]},
            no_args_is_help=True,
        )
        self.page = page
        self.rows = GROUPS.get(name, COMMANDS)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in help order."""
        return list(self.rows)

    def get_help(self, ctx: click.Context) -> str:
        """Return the page that lists the commands."""
        env = ctx.find_object(Environment) or Environment.of_process()
        return group_help(self.page, self.rows, env)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command, or ``None`` when there is none of that name."""
        if cmd_name not in self.rows:
            return None
        command = import_module(self.rows[cmd_name][0]).command()
        if isinstance(command, RequestCommand):
            from vllmctl.cli.bridge import BridgeCommand

            return BridgeCommand(command)
        return cast(click.Command, command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; name the nearest one for a misspelt name."""
        if args[0] not in self.rows and not args[0].startswith("-"):
            from vllmctl.errors import UsageError
            from vllmctl.nearest import nearest

            near = nearest(args[0], self.rows, cutoff=0.6)
            hint = f"did you mean {near}?" if near else f"{ctx.command_path} --help lists them all"
            raise UsageError(f"no command {args[0]!r}", hint)
        return super().resolve_command(ctx, args)


def root() -> LazyGroup:
    """Return the root command."""
    return LazyGroup("vllmctl", ROOT)
