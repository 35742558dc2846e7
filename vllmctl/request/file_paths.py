"""How the paths of files are read from settings and shown to people."""

from pathlib import Path

from vllmctl.env import Environment
from vllmctl.errors import UsageError


def expanded(text: str, base: Path, env: Environment) -> Path:
    """Return ``text`` as an absolute path: ``~`` is the home, other paths start at ``base``.

    Raises ``UsageError`` for a ``~`` that has no meaning here, and for a NUL.
    """
    if "\0" in text:
        raise UsageError(f"{text!r}: no path has a NUL in it")
    if text == "~" or text.startswith("~/"):
        home = env.variables.get("HOME", "")
        if not home:
            raise UsageError(f"{text}: HOME is not set, so ~ means nothing")
        return Path(home, text[2:])
    if text.startswith("~"):
        raise UsageError(f"{text}: only ~/ is expanded, not another user's home")
    return (env.cwd / base / text).absolute()


def is_folder(path: Path) -> bool:
    """Whether there is a folder; what cannot be looked at is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Whether there is a regular file; what cannot be looked at is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_there(path: Path) -> bool:
    """Whether there is anything; what cannot be looked at is not there."""
    try:
        return path.exists()
    except OSError:
        return False


def shown(path: Path, env: Environment) -> str:
    """Return ``path`` as a person would type it: from the current folder, or from ``~``."""
    if path.is_relative_to(env.cwd) and path != env.cwd:
        return str(path.relative_to(env.cwd))
    home = env.variables.get("HOME", "")
    if home not in ("", "/") and path.is_relative_to(home):
        return f"~/{path.relative_to(home)}"
    return str(path)
