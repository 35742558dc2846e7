"""``vllmctl profiles edit``: a profile in an editor."""

from pathlib import Path

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.profiles.check import check
from vllmctl.cli.profiles.naming import name_of
from vllmctl.cli.settings import HELP
from vllmctl.env import Environment
from vllmctl.errors import ConfigError
from vllmctl.render.style import harmless
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.file_paths import shown
from vllmctl.request.profiles.listing import path_of
from vllmctl.request.profiles.places import PROJECT_FILE, USER_FILE, Place, folder

_PAGE = Page(
    usage="vllmctl profiles edit NAME|PATH",
    summary="Open a profile in your editor (VISUAL or EDITOR), and check it afterwards.",
    examples=("vllmctl profiles edit careful", "EDITOR='code --wait' vllmctl profiles edit lab"),
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("profiles edit", _PAGE, HELP[:1], _run, words="profile")


def _run(given: Given, env: Environment) -> int:
    name = name_of(given, "edit")
    file, line = _own_copy(name, env)
    _open(file, line, env)
    if not file.is_file():
        raise ConfigError(f"{shown(file, env)} is not there any more")
    return check([] if file.name in (USER_FILE, PROJECT_FILE) else [name], env)


def _open(file: Path, line: int, env: Environment) -> None:
    import shlex
    import subprocess

    editor = env.variables.get("VISUAL") or env.variables.get("EDITOR") or "vi"
    place = [f"+{line}"] if line > 1 else []
    try:
        words = shlex.split(editor) or ["vi"]
        done = subprocess.run([*words, *place, str(file)], check=False)
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise ConfigError(f"cannot start {editor}: {reason}", "set EDITOR") from None
    if done.returncode:
        raise ConfigError(f"{editor} ended with status {done.returncode}")


def _own_copy(name: str, env: Environment) -> tuple[Path, int]:
    """The file to edit; one that ships with the tool is copied to the user's profiles first."""
    file, line = path_of(name, env)
    if file.parent != folder(Place.SHIPPED, env):
        return file, line
    own = folder(Place.USER, env)
    if own is None:
        raise ConfigError("there is no home folder to keep a copy in")
    copy = own / file.name
    write_atomically(copy, file.read_text(encoding="utf-8"), env)
    words = f"{name} ships with vllmctl; you edit your own copy, {shown(copy, env)}\n"
    env.stderr.write(harmless(words))
    return copy, 1
