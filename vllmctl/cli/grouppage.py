"""The page that lists the commands of a group; the root is one."""

from collections.abc import Mapping

from vllmctl.cli.helppage import HelpPage, option_row
from vllmctl.cli.page import Page
from vllmctl.cli.settings import HELP, VERSION
from vllmctl.env import Environment
from vllmctl.fields.options import OptionSpec

ROOT = Page(
    usage="vllmctl COMMAND [OPTIONS]",
    summary="Craft, check, inspect and send requests to a vLLM server.",
    examples=(
        'vllmctl chat "Hello" --temperature 0.2 --no-thinking',
        'vllmctl chat "Hello" --top-p 0.9 --dry-run',
        'git diff | vllmctl chat "Commit message" -p precise',
        "vllmctl COMMAND --help",
    ),
)


def group_options(page: Page | None) -> tuple[OptionSpec, ...]:
    """Return the options of the group that ``page`` is about."""
    return (*HELP[:1], VERSION) if page is ROOT else HELP[:1]


def group_help(page: Page, commands: Mapping[str, tuple[str, str]], env: Environment) -> str:
    """Return the page about a group of ``commands``."""
    writer = HelpPage(page, (), env)
    blocks = [
        [f"{writer.title('Usage:')} {page.usage}"],
        writer.wrapped(page.summary),
        [writer.title("Commands"), *writer.rows((n, line) for n, (_, line) in commands.items())],
        [writer.title("Options"), *writer.rows(map(option_row, group_options(page)))],
        [writer.title("Examples"), *(f"  {line}" for line in page.examples)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks)
