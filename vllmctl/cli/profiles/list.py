"""``vllmctl profiles list``: all profiles there are."""

import json

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.helppage import HelpPage
from vllmctl.cli.page import Page
from vllmctl.cli.settings import FACT_FORMATS, HELP, formats
from vllmctl.env import Environment
from vllmctl.exitcodes import ExitCode
from vllmctl.render.terminal import guarded
from vllmctl.request.profiles.listing import Listed, list_profiles

_PAGE = Page(
    usage="vllmctl profiles list [OPTIONS]",
    summary="List all profiles in the order in which a name is looked up.",
    examples=("vllmctl profiles list", "vllmctl profiles list --json"),
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("profiles list", _PAGE, (*formats(FACT_FORMATS), *HELP[:1]), _run)


def _run(given: Given, env: Environment) -> int:
    given.no_words("profiles list")
    rows = list_profiles(env)
    guarded(env.stdout, env).write(
        json.dumps([row.as_dict() for row in rows], indent=2) + "\n"
        if given.format(FACT_FORMATS) == "json"
        else _table(rows, env)
    )
    return ExitCode.DONE


def _table(rows: list[Listed], env: Environment) -> str:
    page = HelpPage(Page("", "", ()), (), env)
    return "".join(f"{line[2:]}\n" for line in page.rows(map(_row, rows)))


def _row(row: Listed) -> tuple[str, str]:
    place = f"{row.place.value}" + (
        f", hidden by {row.shadowed_by.value}" if row.shadowed_by else ""
    )
    text = f"broken: {row.problem}" if row.problem else row.description
    return row.name, f"{text} ({place})" if text else f"({place})"
