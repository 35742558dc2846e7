"""The root command: a group that imports only the command that is called."""

from importlib import import_module
from typing import Any

from typer import _click as click
from typer.core import TyperGroup

from vllmctl.cli.helppage import HelpPage, Page
from vllmctl.env import Environment

COMMANDS = {
    "chat": ("vllmctl.cli.chat", "Send a chat request"),
    "complete": ("vllmctl.cli.complete", "Send a text completion request"),
    "profiles": ("vllmctl.cli.profiles", "List, show, check, save and edit profiles"),
}

_PAGE = Page(
    usage="vllmctl COMMAND [OPTIONS]",
    summary="Craft, check, inspect and send requests to a vLLM server.",
    examples=(
        'vllmctl chat "Hello" --temperature 0.2 --no-thinking',
        'vllmctl chat "Hello" --top-p 0.9 --dry-run',
        'git diff | vllmctl chat "Write a commit message" -p precise',
        "vllmctl COMMAND --help",
    ),
)


class LazyGroup(TyperGroup):
    """Knows the commands' names and help lines; a command's module is imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in help order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command, or ``None`` when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name][0])
        command: click.Command = module.command()
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; name the nearest one for a misspelt name."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from vllmctl.errors import UsageError
            from vllmctl.nearest import nearest

            near = nearest(args[0], COMMANDS, cutoff=0.6)
            hint = f"did you mean {near}?" if near else "vllmctl --help lists the commands"
            raise UsageError(f"no command {args[0]!r}", hint)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the root page."""
        formatter.write(root_help(Environment.of_process()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Offer command names without importing any of them."""
        from typer._click.shell_completion import CompletionItem

        return [
            CompletionItem(name, help=help)
            for name, (_, help) in COMMANDS.items()
            if name.startswith(incomplete)
        ]


def root_help(env: Environment) -> str:
    """Return the page that ``vllmctl --help`` shows."""
    page = HelpPage(_PAGE, (), env)
    commands = page.rows((name, help) for name, (_, help) in COMMANDS.items())
    options = page.rows(
        [
            ("-h, --help", "This page"),
            ("-V, --version", "The version"),
            ("--install-completion", "Completion for your shell"),
        ]
    )
    examples = [f"  {line}" for line in _PAGE.examples]
    blocks = [
        [f"{page.title('Usage:')} {_PAGE.usage}"],
        [_PAGE.summary],
        [page.title("Commands"), *commands],
        [page.title("Options"), *options],
        [page.title("Examples"), *examples],
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def root() -> LazyGroup:
    """Return the root command."""
    from typer.core import TyperOption
    from typer.main import get_install_completion_arguments

    options: list[Any] = [
        option for option in get_install_completion_arguments() if isinstance(option, TyperOption)
    ]
    return LazyGroup(
        name="vllmctl",
        params=options,
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
    )
