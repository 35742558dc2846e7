"""What the commands about profiles share: their names, and the command that one is for."""

from vllmctl.cli.given import Given
from vllmctl.cli.settings import row
from vllmctl.errors import UsageError
from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec
from vllmctl.fields.sugar import BY_COMMAND
from vllmctl.request.profiles.files import require_name

_HINT = "`vllmctl profiles list` has them"


def for_row(help: str) -> OptionSpec:
    """Return the row of ``--for``."""
    words = tuple(BY_COMMAND)
    return row("--for", "|".join(words), help, Group.BODY, common=True, choices=words)


def endpoint_of(given: Given) -> str:
    """Return the endpoint of the command that --for names, of chat when it is not given."""
    return BY_COMMAND[given.one_of("for", tuple(BY_COMMAND), "chat")]


def names_of(given: Given, command: str, hint: str = _HINT) -> list[str]:
    """Return the profiles named, one at least."""
    names = given.all("prompt")
    if not names:
        raise UsageError(f"profiles {command} wants a name", hint)
    for name in names:
        require_name(name)
    return names


def name_of(given: Given, command: str, hint: str = _HINT) -> str:
    """Return the one profile named."""
    names = names_of(given, command, hint)
    if len(names) > 1:
        raise UsageError(f"profiles {command} takes one name, got {' '.join(names)}")
    return names[0]
