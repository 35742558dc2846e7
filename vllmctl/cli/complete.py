"""``vllmctl complete``: /v1/completions."""

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import request_settings
from vllmctl.env import Environment
from vllmctl.fields.options import field_options
from vllmctl.fields.sugar import COMPLETE

_PAGE = Page(
    usage="vllmctl complete [OPTIONS] [PROMPT]…",
    summary="Send a text completion request; several prompts make several answers. "
    "The answer streams to stdout, all else goes to stderr.",
    examples=(
        r'vllmctl complete "def f(" --stop "\n\n" --max-tokens 64',
        'vllmctl complete "One" "Two" --max-tokens 8 --json',
        "vllmctl complete --prompt-tokens 9707,11 --max-tokens 8",
        'vllmctl complete "2 + 2 =" --logprobs 5 --temperature 0 -n',
    ),
)


def command() -> RequestCommand:
    """Return the command."""
    specs = [*request_settings(chat=False), *field_options(endpoint(COMPLETE, newest()))]
    return RequestCommand("complete", _PAGE, specs, _run)


def _run(given: Given, env: Environment) -> int:
    from vllmctl.cli.requesting import request

    return request(COMPLETE, given, env)
