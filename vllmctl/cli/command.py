"""The shape of a request command: options from a table, help of our own, kind errors."""

from collections.abc import Callable, Sequence
from typing import Any

from typer import _click as click
from typer._click.exceptions import NoSuchOption
from typer.core import TyperCommand

from vllmctl.cli.helppage import HelpPage, Page
from vllmctl.cli.options import given, parameters
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.options import OptionSpec

Runner = Callable[[dict[str, Any], Environment], int]


class RequestCommand(TyperCommand):
    """``chat``, ``complete`` and their kind.

    ``run`` gets what was given (by ``OptionSpec.dest``, plus ``prompt``) and the
    environment.
    """

    def __init__(self, name: str, page: Page, specs: Sequence[OptionSpec], run: Runner) -> None:
        super().__init__(name=name, params=parameters(specs), help=page.summary)
        self.add_help_option = False
        self.specs = specs
        self.page = page
        self.run = run

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse ``args``; a flag that does not exist gets the nearest that does."""
        try:
            return super().parse_args(ctx, args)
        except NoSuchOption as fault:
            if ctx.resilient_parsing:
                return []
            raise UsageError(*self._no_such_option(fault.option_name)) from None

    def invoke(self, ctx: click.Context) -> int:
        """Show help where asked for, else run; return the exit code."""
        values = given(self.specs, ctx.params)
        values["prompt"] = ctx.params.get("prompt") or []
        env = ctx.find_object(Environment) or Environment.of_process()
        env.color = _last(values, "color", "auto")
        if self._shows_help(values, env):
            return ExitCode.DONE
        return self.run(values, env)

    def _shows_help(self, values: dict[str, Any], env: Environment) -> bool:
        page = HelpPage(self.page, self.specs, env)
        if values.get("help_panel"):
            env.stdout.write(page.panel(values["help_panel"][-1]))
        elif values.get("help_all"):
            env.stdout.write(page.all())
        elif values.get("help"):
            env.stdout.write(page.short())
        else:
            return False
        return True

    def _no_such_option(self, typed: str) -> tuple[str, str]:
        from vllmctl.cli.suggest import suggestion

        return f"no option {typed}", suggestion(typed, self.specs, f"{self.name}")


def _last(values: dict[str, Any], dest: str, default: str) -> str:
    texts = values.get(dest)
    return str(texts[-1]) if texts else default
