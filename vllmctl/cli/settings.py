"""The options of the program itself, one row each; the fields' flags come from the facts."""

from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec

FORMATS = ("text", "json", "jsonl", "sse", "raw")
COLORS = ("auto", "always", "never")


def _row(
    names: str,
    metavar: str,
    help: str,
    group: Group,
    *,
    common: bool = False,
    choices: tuple[str, ...] = (),
) -> OptionSpec:
    """Make a row; an empty ``metavar`` makes a switch."""
    listed = tuple(names.split())
    long = next(name for name in listed if name.startswith("--"))
    return OptionSpec(
        dest=long.strip("-").replace("-", "_"),
        names=listed,
        help=help,
        group=group,
        switch=not metavar,
        metavar=metavar,
        common=common,
        choices=choices,
    )


_PROMPT, _BODY, _CHECKS, _OUTPUT, _CONNECTION = (
    Group.PROMPT,
    Group.BODY,
    Group.CHECKS,
    Group.OUTPUT,
    Group.CONNECTION,
)

PROMPT = (
    _row("--file -f", "PATH", "Add a text file to the prompt; repeat it", _PROMPT, common=True),
    _row("--escape -e", "", r"Read \n, \t and the like in the prompt", _PROMPT),
    _row("--no-stdin", "", "Leave piped input alone", _PROMPT),
)
CHAT_ONLY = (
    _row("--system -s", "TEXT|@FILE", "The system message", _PROMPT, common=True),
    _row("--message", "ROLE:TEXT", "One more message; repeat it", _PROMPT),
    _row("--prefill", "TEXT", "Start the answer with this text", _PROMPT),
)
BODY = (
    _row("--profile -p", "NAME|PATH", "Take a saved profile; repeat it", _BODY, common=True),
    _row("--option -o", "KEY=VALUE", "Any field; KEY:=JSON for JSON", _BODY, common=True),
    _row("--body -d --data", "JSON|@FILE", "Start from this body", _BODY),
    _row("--unset", "KEY", "Take a field away again", _BODY),
    _row("--save-profile", "NAME", "Save what was set as a profile, and go on", _BODY),
    _row("--dry-run -n", "", "Print the body, send nothing", _BODY, common=True),
)
CHECKS = (
    _row("--target", "ENGINE==RELEASE", "Check for this release", _CHECKS),
    _row("--strict", "", "Stop on ignored fields and cut answers too", _CHECKS),
    _row("--allow-unknown", "", "Send fields that the target does not know", _CHECKS),
    _row("--no-check", "", "Send it whatever the checks say", _CHECKS),
)
OUTPUT = (
    _row("--format", "|".join(FORMATS), "How to print the answer", _OUTPUT, choices=FORMATS),
    _row("--json", "", "The same as --format json", _OUTPUT, common=True),
    _row("--usage -u", "", "Tokens, times and finish reason on stderr", _OUTPUT, common=True),
    _row("--hide-reasoning -R", "", "Do not show the reasoning", _OUTPUT),
    _row("--output", "FILE", "Write the answer to a file", _OUTPUT),
    _row("--include -i", "", "Print status and headers on stderr", _OUTPUT),
    _row("--verbose -v", "", "Show the request, and where each value came from", _OUTPUT),
    _row("--quiet -q", "", "No notes or warnings on stderr", _OUTPUT),
    _row("--color", "|".join(COLORS), "Colour and dim text", _OUTPUT, choices=COLORS),
)
CONNECTION = (
    _row("--base-url --url", "URL", "The server", _CONNECTION, common=True),
    _row("--api-key", "KEY|@FILE", "Better: VLLMCTL_API_KEY", _CONNECTION),
    _row("--header -H", "NAME:VALUE", "One more header; repeat it", _CONNECTION),
    _row("--timeout", "TIME", "For the whole request: 90, 90s, 2m", _CONNECTION),
    _row("--connect-timeout", "TIME", "For the connection (10s)", _CONNECTION),
    _row("--idle-timeout", "TIME", "Between two pieces of the answer (none)", _CONNECTION),
    _row("--retries", "N", "Try again before the request was accepted", _CONNECTION),
    _row("--insecure -k", "", "Do not check the server's certificate", _CONNECTION),
    _row("--ca-file", "PATH", "Trust the certificates in this file", _CONNECTION),
    _row("--cert", "PATH", "Client certificate", _CONNECTION),
    _row("--key", "PATH", "Key of the client certificate", _CONNECTION),
)
HELP = (
    _row("--help -h", "", "This page", Group.OUTPUT),
    _row("--help-all", "", "Every option", Group.OUTPUT),
    _row("--help-panel", "NAME", "The options of one panel", Group.OUTPUT),
)


def request_settings(chat: bool) -> list[OptionSpec]:
    """Return the settings of ``chat`` or of ``complete``, in help order."""
    words = (*CHAT_ONLY, *PROMPT) if chat else PROMPT
    return [*words, *BODY, *CHECKS, *OUTPUT, *CONNECTION, *HELP]
