"""``vllmctl profiles rm``: remove a profile."""

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.profiles.naming import name_of
from vllmctl.cli.settings import HELP, row
from vllmctl.env import Environment
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group
from vllmctl.render.style import harmless
from vllmctl.request.profiles.places import Place
from vllmctl.request.profiles.write import remove

_PLACES = (Place.USER.value, Place.PROJECT.value)
_PAGE = Page(
    usage="vllmctl profiles rm [OPTIONS] NAME",
    summary="Remove a profile of yours or of the project.",
    examples=("vllmctl profiles rm careful", "vllmctl profiles rm careful --where project"),
)
_OPTIONS = (
    row(
        "--where",
        "|".join(_PLACES),
        "The place to look in",
        Group.BODY,
        common=True,
        choices=_PLACES,
    ),
    *HELP[:1],
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("profiles rm", _PAGE, _OPTIONS, _run, words="own_profile")


def _run(given: Given, env: Environment) -> int:
    name = name_of(given, "rm")
    where = given.one_of("where", _PLACES, "")
    removed = remove(name, env, where=Place(where) if where else None)
    env.stderr.write(harmless(f"removed {name} from {removed.shown}\n"))
    return ExitCode.DONE
