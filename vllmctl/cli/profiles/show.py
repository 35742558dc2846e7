"""``vllmctl profiles show``: a profile as written, or as a request would get it."""

import json
from collections.abc import Iterator

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.profiles.naming import endpoint_of, for_row, names_of
from vllmctl.cli.settings import FACT_FORMATS, HELP, formats, row
from vllmctl.env import Environment
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group
from vllmctl.render.terminal import guarded
from vllmctl.request.layers import Merge, told_origins
from vllmctl.request.origin import Origin
from vllmctl.request.paths import get
from vllmctl.request.profiles.listing import show as show_profile
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.server.secret import shown_setting
from vllmctl.request.server.settings import Settings

_PAGE = Page(
    usage="vllmctl profiles show [OPTIONS] NAME|PATH…",
    summary="Show a profile as written, or --resolved as a request would get it; several merge.",
    examples=(
        "vllmctl profiles show greedy",
        "vllmctl profiles show careful --origin",
        "vllmctl profiles show base careful --json",
    ),
)
_OPTIONS = (
    row("--resolved", "", "Merge what it extends", Group.BODY, common=True),
    row("--origin", "", "Say where each value comes from", Group.BODY, common=True),
    for_row("Resolve it for this command"),
    *formats(FACT_FORMATS),
    *HELP[:1],
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("profiles show", _PAGE, _OPTIONS, _run, words="profile")


def _run(given: Given, env: Environment) -> int:
    names = names_of(given, "show")
    as_json = given.format(FACT_FORMATS) == "json"
    if given.has("resolved") or given.has("origin") or len(names) > 1:
        _show_resolved(names, given, env, as_json=as_json)
        return ExitCode.DONE
    found = show_profile(names[0], env)
    text = json.dumps(found.table, indent=2) + "\n" if as_json else found.text
    guarded(env.stdout, env).write(text if text.endswith("\n") else text + "\n")
    return ExitCode.DONE


def _show_resolved(names: list[str], given: Given, env: Environment, *, as_json: bool) -> None:
    from vllmctl.catalog.load import endpoint
    from vllmctl.catalog.target import newest

    endpoint_name = endpoint_of(given)
    found = resolve(names, endpoint_name, env)
    merge = Merge(endpoint(endpoint_name, newest()))
    for layer in found.layers:
        merge.add(layer)
    lists = given.has("origin") or not given.has("resolved")
    if as_json or not lists:
        text = json.dumps(merge.body, indent=2, ensure_ascii=False) + "\n"
        guarded(env.stdout, env).write(text)
    if given.has("origin") or (lists and not as_json):
        stream = guarded(env.stderr if as_json else env.stdout, env)
        for name, value, source in _rows(merge, found.server):
            line = f"{name} = {json.dumps(value, ensure_ascii=False)}"
            stream.write(f"{line}  # {source}\n" if given.has("origin") else f"{line}\n")


def _rows(merge: Merge, server: Settings) -> Iterator[tuple[str, object, Origin]]:
    """Yield name, value and source of all that was merged, secrets masked."""
    for dotted, source in told_origins(merge.body, merge.origins).items():
        yield dotted, get(merge.body, dotted), source
    for key, setting in server.items():
        yield f"server.{key}", shown_setting(key, setting.value), setting.origin
