"""The options of the program itself, one row each; the fields' flags come from the facts."""

from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec
from vllmctl.record import replace

FORMATS = ("text", "markdown", "json", "jsonl", "sse", "raw")
FACT_FORMATS = ("text", "json")
VIEWS = ("heat", "table", "tsv")
COLORS = ("auto", "always", "never")
RUN_TOOLS = ("ask", "auto", "never")


def row(
    names: str,
    metavar: str,
    help: str,
    group: Group,
    *,
    common: bool = False,
    choices: tuple[str, ...] = (),
    offers: str = "",
) -> OptionSpec:
    """Return a row; an empty ``metavar`` makes a switch."""
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
        offers=offers,
    )


def formats(names: tuple[str, ...], *, common: bool = True) -> tuple[OptionSpec, OptionSpec]:
    """Return the rows of --format, which takes ``names``, and of --json, which is one of them."""
    help = "How to print"
    return (
        row("--format", "|".join(names), help, Group.OUTPUT, common=common, choices=names),
        row("--json", "", "The same as --format json", Group.OUTPUT, common=True),
    )


def at_release() -> OptionSpec:
    """Return the row of --target where facts are shown."""
    return row(
        "--target",
        "ENGINE==RELEASE|server",
        "As it is at this release, or on the server",
        Group.CHECKS,
        common=True,
        offers="release",
    )


_PROMPT, _MEDIA, _BODY, _CHECKS, _OUTPUT, _CONNECTION = (
    Group.PROMPT,
    Group.MEDIA,
    Group.BODY,
    Group.CHECKS,
    Group.OUTPUT,
    Group.CONNECTION,
)

PROMPT = (
    row("--file -f", "PATH", "Add a text file to the prompt; repeat it", _PROMPT, common=True),
    row("--escape -e", "", r"Read \n, \t and the like in the prompt", _PROMPT),
    row("--no-stdin", "", "Leave piped input alone", _PROMPT),
)
CHAT_ONLY = (
    row("--interactive -i", "", "Talk turn by turn; /help there lists more", _PROMPT, common=True),
    row("--system -s", "TEXT|@FILE", "The system message", _PROMPT, common=True),
    row("--message", "ROLE:TEXT", "One more message; repeat it", _PROMPT),
    row("--prefill", "TEXT", "Start the answer with this text", _PROMPT),
    row(
        "--session",
        "NAME",
        "Keep the conversation, and go on with it",
        _PROMPT,
        offers="session",
    ),
    row("--continue -c", "", "Go on with the last session", _PROMPT, common=True),
    row("--image", "PATH|URL|-", "Show the model an image; repeat it", _MEDIA, common=True),
    row("--audio", "PATH|URL|-", "Let it hear a sound; repeat it", _MEDIA),
    row("--video", "PATH|URL|-", "Show it a video; repeat it", _MEDIA),
    row("--attach -a", "PATH|URL|-", "Any of these, or a text: told by content", _MEDIA),
)
TOOLS = (
    row(
        "--run-tools",
        "|".join(RUN_TOOLS),
        "Run what the model calls; send it the results",
        Group.TOOLS,
        choices=RUN_TOOLS,
    ),
    row("--tool-command", "NAME=COMMAND", "Runs a tool: JSON in, result out", Group.TOOLS),
    row("--max-turns", "N", "Most answers with --run-tools (5)", Group.TOOLS),
)
BODY = (
    row(
        "--profile -p",
        "NAME|PATH",
        "Take a saved profile; repeat it",
        _BODY,
        common=True,
        offers="profile",
    ),
    row(
        "--option -o",
        "KEY=VALUE",
        "Any field; KEY:=JSON for JSON",
        _BODY,
        common=True,
        offers="assignment",
    ),
    row("--body -d --data", "JSON|@FILE", "Start from this body", _BODY),
    row("--unset", "KEY", "Take a field away again", _BODY, offers="key"),
    row("--save-profile", "NAME", "Save what was set as a profile, and go on", _BODY),
    row("--dry-run -n", "", "Print the body, send nothing", _BODY, common=True),
    row("--full", "", "Print base64 in full with --dry-run", _BODY),
)
CHECKS = (
    row("--target", "ENGINE==RELEASE", "Check for this release", _CHECKS, offers="target"),
    row("--strict", "", "Stop on ignored fields and cut answers too", _CHECKS),
    row("--allow-unknown", "", "Send fields that the target does not know", _CHECKS),
    row("--no-verify", "", "Take the answer even if it is not as asked", _CHECKS),
    row("--no-check", "", "Send it whatever the checks say", _CHECKS),
)
COLOR = row("--color", "|".join(COLORS), "Colour and dim text", _OUTPUT, choices=COLORS)
SHOWN_COLOR = replace(COLOR, common=True)
OUTPUT = (
    *formats(FORMATS, common=False),
    row("--plain", "", "On a terminal: the text as it is, no Markdown, no columns", _OUTPUT),
    row("--show-logprobs", "|".join(VIEWS), "Show how sure the model was", _OUTPUT, choices=VIEWS),
    row("--alternatives", "N", "With it: how many other tokens to show", _OUTPUT),
    row("--save-html", "FILE", "The same in colour as a web page", _OUTPUT),
    row("--save-svg", "FILE", "The same in colour as a drawing", _OUTPUT),
    row("--usage -u", "", "Tokens, times and finish reason on stderr", _OUTPUT, common=True),
    row("--usage-json", "", "The same as a JSON object on stderr", _OUTPUT),
    row("--extract -x", "", "Print the first code block only", _OUTPUT),
    row("--extract-all", "", "Print all code blocks only", _OUTPUT),
    row("--parse", "", "Print the answer's own JSON, indented", _OUTPUT),
    row("--only-reasoning", "", "Print the reasoning only", _OUTPUT),
    row("--hide-reasoning -R", "", "Do not show the reasoning", _OUTPUT),
    row("--output", "FILE", "Write the answer to a file", _OUTPUT),
    row("--include -i", "", "Print status and headers on stderr", _OUTPUT),
    row("--verbose -v", "", "Show the request, and where each value came from", _OUTPUT),
    row("--quiet -q", "", "No notes or warnings on stderr", _OUTPUT),
    COLOR,
)
CONNECTION = (
    row("--base-url --url", "URL", "The server", _CONNECTION, common=True),
    row("--api-key", "KEY|@FILE", "Better: VLLMCTL_API_KEY", _CONNECTION),
    row("--header -H", "NAME:VALUE", "One more header; repeat it", _CONNECTION),
    row("--timeout", "TIME", "For the whole request: 90, 90s, 2m", _CONNECTION),
    row("--connect-timeout", "TIME", "For the connection (10s)", _CONNECTION),
    row("--idle-timeout", "TIME", "Between two pieces of the answer (none)", _CONNECTION),
    row("--retries", "N", "Try again before the request was accepted", _CONNECTION),
    row("--insecure -k", "", "Do not check the server's certificate", _CONNECTION),
    row("--ca-file", "PATH", "Trust the certificates in this file", _CONNECTION),
    row("--cert", "PATH", "Client certificate", _CONNECTION),
    row("--key", "PATH", "Key of the client certificate", _CONNECTION),
)
VERSION = row("--version -V", "", "The version", Group.OUTPUT, common=True)
HELP = (
    row("--help -h", "", "This page", Group.OUTPUT, common=True),
    row("--help-all", "", "Every option", Group.OUTPUT),
    row("--help-panel", "NAME", "The options of one panel", Group.OUTPUT, offers="panel"),
)
EVERYWHERE = (*HELP, COLOR)
"""What every command has, whether its table names it or not."""


def request_settings(chat: bool) -> list[OptionSpec]:
    """Return the settings of ``chat`` or of ``complete``, in help order.

    A letter that an option of ``chat`` takes for itself (``-i``) is no other option's there.
    """
    common = [*BODY, *CHECKS, *OUTPUT, *CONNECTION, *HELP]
    if not chat:
        return [*PROMPT, *common]
    taken = {name for spec in CHAT_ONLY for name in spec.names}
    return [*CHAT_ONLY, *PROMPT, *TOOLS, *(_without(spec, taken) for spec in common)]


def _without(spec: OptionSpec, taken: set[str]) -> OptionSpec:
    if taken.isdisjoint(spec.names):
        return spec
    return replace(spec, names=tuple(name for name in spec.names if name not in taken))
