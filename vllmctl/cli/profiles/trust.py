"""``vllmctl profiles trust``: let a project's file say more."""

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import HELP, row
from vllmctl.env import Environment
from vllmctl.errors import ConfigError, UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group
from vllmctl.render.style import harmless
from vllmctl.request.file_paths import shown
from vllmctl.request.profiles.files import ProfileFiles
from vllmctl.request.profiles.places import Place, config_path
from vllmctl.request.profiles.trust import distrust, trust

_PAGE = Page(
    usage="vllmctl profiles trust [OPTIONS] [FILE]",
    summary="Let a project's file run api_key_cmd and name the server that gets your key, "
    "until it changes. Without FILE it is the project's vllmctl.toml.",
    examples=("vllmctl profiles trust", "vllmctl profiles trust --revoke"),
)
_OPTIONS = (row("--revoke", "", "Trust it no more", Group.BODY, common=True), *HELP[:1])


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("profiles trust", _PAGE, _OPTIONS, _run)


def _run(given: Given, env: Environment) -> int:
    files = given.all("prompt")
    if len(files) > 1:
        raise UsageError(f"profiles trust takes one file, got {' '.join(files)}")
    whole = env.cwd / files[0] if files else config_path(Place.PROJECT, env)
    if whole is None:
        raise ConfigError("there is no vllmctl.toml here or above", "name the file to trust")
    if not given.has("revoke"):
        ProfileFiles(env).require_readable(whole)  # else it is no use trusted
        trust(whole, env)
        says = "is trusted until it changes"
    else:
        says = "is trusted no more" if distrust(whole, env) else "was not trusted"
    env.stderr.write(harmless(f"{shown(whole, env)} {says}\n"))
    return ExitCode.DONE
