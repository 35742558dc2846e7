"""``vllmctl profiles``: list, show, save, edit, check, path, rm, trust."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from vllmctl.cli.bridge import BridgeCommand
from vllmctl.cli.helppage import HelpPage
from vllmctl.cli.page import Page
from vllmctl.cli.profiles_check import problems_of
from vllmctl.cli.profiles_save import save_command
from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.exitcodes import ExitCode
from vllmctl.render.style import harmless
from vllmctl.render.terminal import guarded
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.file_paths import shown
from vllmctl.request.profiles.files import ProfileFiles
from vllmctl.request.profiles.listing import Listed, list_profiles, path_of
from vllmctl.request.profiles.listing import show as show_profile
from vllmctl.request.profiles.places import Place, config_path, folder
from vllmctl.request.profiles.resolve import resolve
from vllmctl.request.profiles.trust import distrust, trust
from vllmctl.request.profiles.write import remove

app = typer.Typer(
    add_completion=False,
    help="Save request parameters under a name, and look at them again.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Name = Annotated[str, typer.Argument(help="A profile's name, or the path of its file.")]
Where = Annotated[Place | None, typer.Option(help="The place to look in: user or project.")]
Format = Annotated[str, typer.Option(help="text or json.", metavar="text|json")]


def command() -> Any:
    """Return the group."""
    group = typer.main.get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    group.add_command(BridgeCommand(save_command()), "save")
    return group


@app.command("list")
def list_(ctx: typer.Context, format: Format = "text") -> None:
    """List all profiles in the order in which a name is looked up."""
    env = ctx.ensure_object(Environment)
    rows = list_profiles(env)
    if format == "json":
        _show(json.dumps([row.as_dict() for row in rows], indent=2) + "\n", env)
        return
    page = HelpPage(Page("", "", ()), (), env)
    _show("".join(f"{line[2:]}\n" for line in page.rows(map(_row, rows))), env)


@app.command()
def show(  # noqa: PLR0917 - Typer reads the parameters as options
    ctx: typer.Context,
    names: Annotated[list[str], typer.Argument(help="Names or paths; several merge.")],
    resolved: Annotated[bool, typer.Option("--resolved", help="Merge what it extends.")] = False,
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value is.")] = False,
    for_: Annotated[str, typer.Option("--for", help="chat or complete.")] = "chat",
    format: Format = "text",
) -> None:
    """Show a profile as written, or --resolved as a request would get it."""
    env = ctx.ensure_object(Environment)
    if resolved or origin or len(names) > 1:
        _show_resolved(names, for_, env, origin=origin, as_json=format == "json")
        return
    found = show_profile(names[0], env)
    text = json.dumps(found.table, indent=2) + "\n" if format == "json" else found.text
    _show(text if text.endswith("\n") else text + "\n", env)


@app.command()
def check(
    ctx: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(help="All, when none is named.")] = None,
) -> None:
    """Check names, types and limits; exit 2 when something is wrong."""
    env = ctx.ensure_object(Environment)
    problems = problems_of(names or [], env)
    for line in problems:
        _say(f"{line}\n", env)
    if problems:
        raise typer.Exit(ExitCode.USAGE)
    _say("no problems found\n", env)


@app.command()
def path(ctx: typer.Context, name: Annotated[str, typer.Argument()] = "") -> None:
    """Print a profile's file, or without a name the folder of your own profiles."""
    env = ctx.ensure_object(Environment)
    if name:
        _show(f"{path_of(name, env)[0]}\n", env)
        return
    if env.config_dir is None:
        raise ConfigError("there is no home folder, so there is no folder for profiles")
    _show(f"{env.config_dir / 'profiles'}\n", env)


@app.command()
def edit(ctx: typer.Context, name: Name) -> None:
    """Open a profile in your editor (VISUAL or EDITOR), and check it afterwards."""
    import shlex
    import subprocess

    env = ctx.ensure_object(Environment)
    file, line = _own_copy(name, env)
    editor = env.variables.get("VISUAL") or env.variables.get("EDITOR") or "vi"
    place = [f"+{line}"] if line > 1 else []
    try:
        done = subprocess.run([*shlex.split(editor), *place, str(file)], check=False)
    except OSError as fault:
        raise ConfigError(f"cannot start {editor}: {fault.strerror}", "set EDITOR") from None
    if done.returncode:
        raise ConfigError(f"{editor} ended with status {done.returncode}")
    check(ctx, [name])


def _own_copy(name: str, env: Environment) -> tuple[Path, int]:
    """The file to edit; one that ships with the tool is copied to the user's profiles first."""
    profile = ProfileFiles(env).find(name)
    if profile.place is not Place.SHIPPED:
        return path_of(name, env)
    own = folder(Place.USER, env)
    if own is None:
        raise ConfigError("there is no home folder to keep a copy in")
    copy = own / f"{profile.name}.toml"
    write_atomically(copy, profile.file.text, env)
    _say(f"{name} ships with vllmctl; you edit your own copy, {shown(copy, env)}\n", env)
    return copy, 1


@app.command()
def rm(ctx: typer.Context, name: Name, where: Where = None) -> None:
    """Remove a profile of yours or of the project."""
    env = ctx.ensure_object(Environment)
    _say(f"removed {name} from {remove(name, env, where=where).shown}\n", env)


@app.command("trust")
def trust_(
    ctx: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="Else the project's vllmctl.toml.")] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust it no more.")] = False,
) -> None:
    """Let a project's file run api_key_cmd and name the server that gets your key."""
    env = ctx.ensure_object(Environment)
    found = config_path(Place.PROJECT, env)
    whole = env.cwd / file if file else found
    if whole is None:
        raise ConfigError("there is no vllmctl.toml here or above", "name the file to trust")
    name = shown(whole, env)
    if revoke:
        was = distrust(whole, env)
        _say(f"{name} is trusted no more\n" if was else f"{name} was not trusted\n", env)
        return
    trust(whole, env)
    _say(f"{name} is trusted until it changes\n", env)


def _say(text: str, env: Environment) -> None:
    env.stderr.write(harmless(text))


def _show(text: str, env: Environment) -> None:
    """Write what stands in files, which somebody else may have written."""
    guarded(env.stdout, env).write(text)


def _row(row: Listed) -> tuple[str, str]:
    place = f"{row.place.value}" + (
        f", hidden by {row.shadowed_by.value}" if row.shadowed_by else ""
    )
    text = f"broken: {row.problem}" if row.problem else row.description
    return row.name, f"{text} ({place})" if text else f"({place})"


def _show_resolved(
    names: list[str], for_: str, env: Environment, *, origin: bool, as_json: bool
) -> None:
    from vllmctl.catalog.load import endpoint
    from vllmctl.catalog.target import newest
    from vllmctl.request.layers import Merge

    endpoint_name = {"chat": "chat.completions", "complete": "completions"}.get(for_)
    if endpoint_name is None:
        raise ConfigError(f"--for: {for_!r} is not one of chat, complete")
    found = resolve(names, endpoint_name, env)
    merge = Merge(endpoint(endpoint_name, newest()))
    for layer in found.layers:
        merge.add(layer)
    if as_json or not origin:
        _show(json.dumps(merge.body, indent=2, ensure_ascii=False) + "\n", env)
    if origin:
        stream = guarded(env.stderr if as_json else env.stdout, env)
        for dotted, source in merge.origins.items():
            from vllmctl.request.paths import get

            value = json.dumps(get(merge.body, dotted), ensure_ascii=False)
            stream.write(f"{dotted} = {value}  # {source}\n")
        for key, setting in found.server.items():
            stream.write(f"server.{key}  # {setting.origin}\n")
