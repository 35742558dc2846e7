"""``vllmctl profiles path``: where a profile is kept."""

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.profiles.naming import name_of
from vllmctl.cli.settings import HELP
from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.exitcodes import ExitCode
from vllmctl.render.terminal import guarded
from vllmctl.request.profiles.listing import path_of

_PAGE = Page(
    usage="vllmctl profiles path [NAME]",
    summary="Print a profile's file, or without a name the folder of your own profiles.",
    examples=("vllmctl profiles path careful", "ls $(vllmctl profiles path)"),
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("profiles path", _PAGE, HELP[:1], _run, words="profile")


def _run(given: Given, env: Environment) -> int:
    if given.all("prompt"):
        path = path_of(name_of(given, "path"), env)[0]
    elif env.config_dir is not None:
        path = env.config_dir / "profiles"
    else:
        raise ConfigError("there is no home folder, so there is no folder for profiles")
    guarded(env.stdout, env).write(f"{path}\n")
    return ExitCode.DONE
