"""``vllmctl profiles check``: names, types and limits."""

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.profiles.problems import problems_of
from vllmctl.cli.settings import HELP
from vllmctl.env import Environment
from vllmctl.exitcodes import ExitCode
from vllmctl.render.style import harmless

_PAGE = Page(
    usage="vllmctl profiles check [NAME|PATH]…",
    summary="Check names, types and limits, of all profiles when none is named; exit code 2 "
    "when something is wrong.",
    examples=("vllmctl profiles check", "vllmctl profiles check careful ./lab.toml"),
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("profiles check", _PAGE, HELP[:1], _run, words="profile")


def _run(given: Given, env: Environment) -> int:
    return check(given.all("prompt"), env)


def check(names: list[str], env: Environment) -> int:
    """Say what is wrong with ``names``; return the exit code."""
    problems = problems_of(names, env)
    env.stderr.write(harmless("".join(f"{line}\n" for line in problems or ["no problems found"])))
    return ExitCode.USAGE if problems else ExitCode.DONE
