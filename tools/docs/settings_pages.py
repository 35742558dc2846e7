"""The reference of what stands around a request: exit codes, variables, profiles, the mock."""

from collections.abc import Iterator
from pathlib import Path

from tools.docs.commands import options_table
from tools.docs.markdown import code, fenced, heading, page, table, text
from tools.docs.program import commands
from tools.docs.settings import exit_codes, variables
from vllmctl.catalog.target import ENGINES, releases
from vllmctl.env import Environment
from vllmctl.mock.faults import KINDS
from vllmctl.request.profiles.listing import list_profiles
from vllmctl.request.profiles.places import Place
from vllmctl.request.server.keys import SERVER_KEYS


def pages() -> dict[str, str]:
    """Return the pages by their path in the site."""
    return {
        "reference/exit-codes.md": _exit_codes(),
        "reference/environment.md": _environment(),
        "reference/profiles.md": _profiles(),
        "reference/mock.md": _mock(),
        "reference/releases.md": _releases(),
    }


def _exit_codes() -> str:
    rows = [(code(str(each.number)), text(each.meaning)) for each in exit_codes()]
    return page(
        heading(1, "Exit codes"),
        "Scripts can rely on them. Every command uses the same ones.",
        table(("Code", "Meaning"), rows),
    )


def _environment() -> str:
    rows = [(", ".join(map(code, each.names)), text(each.help)) for each in variables()]
    return page(
        heading(1, "Environment variables"),
        "They are above every profile and below the flags. Only settings of the connection "
        "come from the environment; fields of a request never do.",
        table(("Variable", "Meaning"), rows),
    )


def _profiles() -> str:
    return page(
        heading(1, "Profile keys"),
        "A profile is a TOML file. [Write a profile](../howto/profiles.md) shows how to use "
        "one; here are the keys. `vllmctl fields --schema profile` prints a JSON Schema of "
        "it all, so that an editor can complete and check.",
        heading(2, "Top level"),
        table(("Key", "Meaning"), _SECTIONS),
        heading(2, "Keys of [server]", "server"),
        "Keys that need trust are taken from a project's `vllmctl.toml` only after "
        "`vllmctl profiles trust`.",
        table(("Key", "Meaning", "Needs trust"), list(_server_keys())),
        heading(2, "Profiles that come with it", "shipped"),
        *_shipped(),
    )


_SECTIONS = (
    ("`description`", "One line for `vllmctl profiles list`"),
    ("`extends`", "Names or paths of profiles to start from, the lowest first"),
    ("`[server]`", "Settings of the connection, see below"),
    ("`[request]`", "Fields for both commands, by their name: [all fields](fields/index.md)"),
    ("`[chat]`", "Fields for `vllmctl chat` only; they win over `[request]`"),
    ("`[complete]`", "Fields for `vllmctl complete` only; they win over `[request]`"),
    ("`[profiles.NAME]`", "In `config.toml` and `vllmctl.toml`: a profile of its own"),
)


def _server_keys() -> Iterator[tuple[str, str, str]]:
    for key, setting in SERVER_KEYS.items():
        yield code(key), text(setting.help), "yes" if setting.needs_trust else ""


def _shipped() -> Iterator[str]:
    nobody = Environment(variables={}, cwd=Path("/"))
    for each in list_profiles(nobody):
        if each.place is Place.SHIPPED:
            yield heading(3, code(each.name), f"profile-{each.name}")
            yield fenced(each.path.read_text(encoding="utf-8"), "toml")


def _mock() -> str:
    (command,) = [each for each in commands() if each.name == "mock"]
    faults = [
        (code(f"{name}={kind.unit}" if kind.unit else name), text(kind.help), code(kind.default))
        for name, kind in KINDS.items()
    ]
    return page(
        heading(1, "The mock server"),
        text(command.summary),
        "`--base-url mock:` answers from the same mock inside the command, without a server. "
        "Its options go behind a question mark, as in `mock:?reply=lorem&tps=20`, under the "
        "names of the flags.",
        heading(2, "Options"),
        options_table(command.options),
        heading(2, "Faults"),
        "`--fault KIND` hits every request, `KIND:0.1` one in ten, evenly spread. "
        "`KIND=VALUE` sets the value. Several faults may be given.",
        table(("Fault", "What happens", "Value if none is given"), faults),
    )


def _releases() -> str:
    blocks = [
        heading(1, "Known releases"),
        "`--target` takes `vllm==0.32.0`, `0.32.0` or `v0.32.0`; `vllm` alone is the newest. "
        "`0.32` is its newest patch. A development version counts as the release before it. "
        "`vllmctl lint` takes ranges as well (`vllm>=0.11,<0.14`), and `server` asks the server.",
    ]
    for engine in ENGINES:
        names = ", ".join(reversed(releases(engine)))
        blocks += [heading(2, code(engine), f"engine-{engine}"), f"{names}."]
    return page(*blocks)
