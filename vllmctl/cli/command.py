"""A request command: a table of options, a help page, and what to run."""

from collections.abc import Callable, Sequence
from typing import Any

from vllmctl.cli.argv import read
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import COLORS, EVERYWHERE
from vllmctl.cli.together import require_agreement
from vllmctl.env import Environment
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.options import OptionSpec
from vllmctl.record import Record


class RequestCommand(Record):
    """``chat``, ``complete`` and their kind; ``run`` returns the exit code.

    ``choose`` makes the table of options from argv where one option decides on the others;
    ``words`` is what the words that are no options are, as in ``OptionSpec.offers``.
    """

    name: str
    page: Page
    specs: Sequence[OptionSpec]
    run: Callable[[Given, Environment], int]
    choose: Callable[[Sequence[str]], Sequence[OptionSpec]] | None = None
    words: str = ""

    def main(self, arguments: Sequence[str], env: Environment) -> int:
        """Read ``arguments``, show help where asked for, else run."""
        arguments = self.arranged(arguments)
        specs = self.table(arguments)
        values, words, typed = read(arguments, specs, self._suggest)
        given = Given({**values, "prompt": words}, specs, typed)
        env.color = given.one_of("color", COLORS, env.color)
        page = self._help(values, specs, env)
        if page:
            env.stdout.write(page)
            return ExitCode.DONE
        require_agreement(given)
        return self.run(given, env)

    def arranged(self, arguments: Sequence[str]) -> list[str]:
        """Return ``arguments`` in the order in which they are read."""
        return list(arguments)

    def table(self, arguments: Sequence[str]) -> list[OptionSpec]:
        """Return the options that ``arguments`` may hold."""
        return _whole(self.choose(arguments) if self.choose else self.specs)

    def _help(self, values: dict[str, Any], specs: Sequence[OptionSpec], env: Environment) -> str:
        if not any(values.get(dest) for dest in ("help", "help_all", "help_panel")):
            return ""
        from vllmctl.cli.helppage import HelpPage

        page = HelpPage(self.page, specs, env)
        if values.get("help_panel"):
            return page.panel(values["help_panel"][-1])
        return page.all() if values.get("help_all") else page.short()

    def _suggest(self, typed: str) -> str:
        from vllmctl.cli.suggest import suggestion

        return suggestion(typed, self.specs, self.name)


def _whole(specs: Sequence[OptionSpec]) -> list[OptionSpec]:
    """Add what every command has."""
    own = {spec.dest for spec in specs}
    return [*specs, *(spec for spec in EVERYWHERE if spec.dest not in own)]
