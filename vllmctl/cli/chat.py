"""``vllmctl chat``: /v1/chat/completions."""

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import request_settings
from vllmctl.env import Environment
from vllmctl.fields.options import field_options
from vllmctl.fields.sugar import CHAT

_PAGE = Page(
    usage="vllmctl chat [OPTIONS] [PROMPT]",
    summary="Send a chat request; the answer streams to stdout, all else goes to stderr. "
    "Piped input is added to the prompt; @FILE reads a file wherever a value is taken.",
    examples=(
        'vllmctl chat "Hello" --temperature 0.2 --no-thinking',
        'git diff | vllmctl chat "Commit message" -p precise',
        'vllmctl chat "Name a colour" --choice red --choice blue -n',
        'vllmctl chat -f notes.md "Summarise" --json | jq .usage',
    ),
)


def command() -> RequestCommand:
    """Return the command."""
    specs = [*request_settings(chat=True), *field_options(endpoint(CHAT, newest()))]
    return RequestCommand("chat", _PAGE, specs, _run)


def _run(given: Given, env: Environment) -> int:
    if given.has("interactive"):
        from vllmctl.cli.interactive.loop import interact

        return interact(given, env)
    from vllmctl.cli.requesting import request

    return request(CHAT, given, env)
