"""Request commands as Typer sees them, among the commands of a group."""

from typer import _click as click
from typer.core import TyperCommand

from vllmctl.cli.command import RequestCommand
from vllmctl.env import Environment


class BridgeCommand(TyperCommand):
    """Hands argv to a ``RequestCommand`` as it is."""

    def __init__(self, command: RequestCommand) -> None:
        super().__init__(name=command.name, help=command.page.summary, add_help_option=False)
        self.command = command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep ``args`` for ``invoke``."""
        ctx.args = list(args)
        return ctx.args

    def invoke(self, ctx: click.Context) -> int:
        """Run the command; return its exit code."""
        return self.command.main(ctx.args, ctx.find_object(Environment) or Environment.of_process())
