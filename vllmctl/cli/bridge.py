"""Request commands as Typer sees them: in the group and in completion."""

from typing import Any

from typer import _click as click
from typer._click.shell_completion import CompletionItem
from typer.core import TyperCommand

from vllmctl.cli.command import RequestCommand
from vllmctl.env import Environment
from vllmctl.fields.options import OptionSpec


class BridgeCommand(TyperCommand):
    """Hands argv to a ``RequestCommand`` as it is, and completes its options."""

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

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer option names, or the words that the option just typed takes."""
        before = ctx.args[-1] if ctx.args else ""
        spec = self._spec(before)
        if spec is not None and not spec.switch:
            return [CompletionItem(word) for word in spec.choices if word.startswith(incomplete)]
        return [
            CompletionItem(name, help=spec.help)
            for spec in self.command.specs
            for name in (*spec.names, *spec.off)
            if incomplete and name.startswith(incomplete)
        ]

    def _spec(self, name: str) -> OptionSpec | None:
        specs: Any = self.command.specs
        return next((s for s in specs if name in (*s.names, *s.hidden)), None)
