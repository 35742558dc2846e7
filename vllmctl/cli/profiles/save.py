"""``vllmctl profiles save NAME`` with the flags of a request."""

from collections.abc import Sequence

from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import Target, newest
from vllmctl.cli.command import RequestCommand
from vllmctl.cli.connecting import of_flags
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.profiles.naming import endpoint_of, for_row, name_of
from vllmctl.cli.settings import BODY, CONNECTION, HELP, row
from vllmctl.cli.targets import told_target
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec, field_options
from vllmctl.fields.sugar import CHAT, COMPLETE
from vllmctl.render.notes import write_note
from vllmctl.render.style import harmless
from vllmctl.request.build import Request, build
from vllmctl.request.keep import values_to_keep
from vllmctl.request.profiles.places import Place
from vllmctl.request.profiles.write import Saved, save
from vllmctl.request.sources import Sources
from vllmctl.rules.check import check
from vllmctl.rules.finding import Level

_PAGE = Page(
    usage="vllmctl profiles save NAME [OPTIONS]",
    summary="Save fields and connection settings as a profile, by the flags that chat (with "
    "--for complete: complete) has for them. Secrets are not saved.",
    examples=(
        "vllmctl profiles save careful --temperature 0.1 --top-p 0.8",
        "vllmctl profiles save lab --base-url http://lab:8000 -m qwen",
        "vllmctl profiles save short -p careful --max-tokens 50 --project",
    ),
)

_SAVING = (
    for_row("Take the flags of this command (chat)"),
    row("--description", "TEXT", "What it is good for", Group.BODY, common=True),
    row("--project", "", "Into the project's vllmctl.toml", Group.BODY, common=True),
    row("--force", "", "Replace the one of that name", Group.BODY, common=True),
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("profiles save", _PAGE, _specs(CHAT), _run, choose=_specs_for)


def save_profile(name: str, given: Given, env: Environment, endpoint_name: str) -> Saved:
    """Save what ``given`` sets, extending the profiles it names."""
    sources = Sources(env)
    asked = given.asked()
    asked.words.read_stdin = False
    asked.needs_words = False
    request = build(asked, endpoint(endpoint_name, _target(given, env)), sources)
    values = values_to_keep(request)
    server = of_flags(given, env, sources)
    if not values and not server and not given.has("profile"):
        raise UsageError("there is nothing to save", _PAGE.examples[0])
    _require_sound(request)
    return save(
        name,
        values,
        endpoint_name,
        env,
        server=server,
        where=Place.PROJECT if given.has("project") else Place.USER,
        description=given.last("description") or "",
        extends=given.all("profile"),
        force=given.has("force"),
    )


def _require_sound(request: Request) -> None:
    """Raise ``UsageError`` when the server would refuse what is to be saved."""
    for finding in check(request.body, request.endpoint):
        if finding.level is Level.ERROR and finding.path.split(".")[0] in request.body:
            raise UsageError(f"not saved: {finding.message}")


def tell(saved: Saved, env: Environment) -> None:
    """Say on stderr where a profile went, and what was left out."""
    for notice in saved.notices:
        write_note(notice, env)
    env.stderr.write(harmless(f"saved to {saved.shown}\n"))


def _target(given: Given, env: Environment) -> Target:
    text = given.last("target")
    return told_target(text, given.name_of("target"), env) if text is not None else newest()


def _specs(name: str) -> list[OptionSpec]:
    kept = [spec for spec in BODY if spec.dest in ("profile", "option", "body")]
    target = [
        row("--target", "ENGINE==RELEASE", "The release it is for", Group.CHECKS, offers="release")
    ]
    options = field_options(endpoint(name, newest()))
    return [*_SAVING, *kept, *target, *CONNECTION, *HELP, *options]


def _specs_for(arguments: Sequence[str]) -> list[OptionSpec]:
    """The flags depend on --for, which may come anywhere."""
    text = " ".join(arguments)
    return _specs(COMPLETE if "--for complete" in text or "--for=complete" in text else CHAT)


def _run(given: Given, env: Environment) -> int:
    name = name_of(given, "save", _PAGE.examples[0])
    given.values["prompt"] = []
    tell(save_profile(name, given, env, endpoint_of(given)), env)
    return ExitCode.DONE
