"""The page that ``vllmctl --help`` shows."""

from vllmctl.cli.commands import COMMANDS
from vllmctl.cli.helppage import HelpPage
from vllmctl.cli.page import Page
from vllmctl.env import Environment

_PAGE = Page(
    usage="vllmctl COMMAND [OPTIONS]",
    summary="Craft, check, inspect and send requests to a vLLM server.",
    examples=(
        'vllmctl chat "Hello" --temperature 0.2 --no-thinking',
        'vllmctl chat "Hello" --top-p 0.9 --dry-run',
        'git diff | vllmctl chat "Commit message" -p precise',
        "vllmctl COMMAND --help",
    ),
)


def root_help(env: Environment) -> str:
    """Return the page that ``vllmctl --help`` shows."""
    page = HelpPage(_PAGE, (), env)
    commands = page.rows((name, help) for name, (_, help) in COMMANDS.items())
    options = page.rows(
        [
            ("-h, --help", "This page"),
            ("-V, --version", "The version"),
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
