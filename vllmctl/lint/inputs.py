"""What the words of the command line name: files, standard input, JSON, a curl command."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path
from typing import BinaryIO

from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.lint.curl import is_curl
from vllmctl.record import Record
from vllmctl.request.file_paths import expanded, is_folder, is_there, shown
from vllmctl.request.sources import bounded

_LINES = (".jsonl", ".ndjson")


class Kind(Enum):
    """What an input holds."""

    TEXT = auto()
    """One request: JSON or a curl command."""
    LINES = auto()
    """One request a line."""
    PROFILE = auto()
    """A profile in TOML."""


class Input(Record, frozen=True):
    """One thing to lint. ``name`` is how it is shown; ``path`` is ``None`` without a file.

    ``text`` is what was typed on the command line itself; standard input has neither.
    """

    kind: Kind
    name: str
    path: Path | None = None
    text: str | None = None


def inputs(words: list[str], profiles: list[str], env: Environment, *, lines: bool) -> list[Input]:
    """Return what to lint, in order; piped standard input when nothing is named.

    Raises ``UsageError`` when there is nothing, or for a file that is not there.
    """
    named = [_input(word, env, lines=lines) for word in words]
    named += [Input(Kind.PROFILE, name) for name in profiles]
    if named:
        return named
    if env.stdin_is_piped:
        return [_input("-", env, lines=lines)]
    raise UsageError(
        "nothing to lint",
        "name a file, a profile (--profile NAME), - for standard input, or give the JSON itself",
    )


@contextmanager
def opened(source: Input, env: Environment) -> Iterator[BinaryIO]:
    """Open a file or standard input; raises ``UsageError`` when it cannot be read."""
    if source.path is None:
        if env.stdin is None:
            raise UsageError("there is no standard input")
        yield env.stdin
        return
    try:
        stream = source.path.open("rb")
    except OSError as fault:
        raise _unreadable(source, fault) from None
    with stream:
        yield stream


def whole(stream: BinaryIO, source: Input) -> bytes:
    """Return all of an input; raises ``UsageError`` when it cannot be read, or has no end."""
    try:
        return bounded(stream, source.name)
    except OSError as fault:
        raise _unreadable(source, fault) from None


def lines_of(stream: BinaryIO, source: Input) -> Iterator[bytes]:
    """Yield the lines of an input; raises ``UsageError`` when one cannot be read."""
    try:
        yield from stream
    except OSError as fault:
        raise _unreadable(source, fault) from None


def _unreadable(source: Input, fault: OSError) -> UsageError:
    return UsageError(f"cannot read {source.name}: {fault.strerror or fault}")


def _input(word: str, env: Environment, *, lines: bool) -> Input:
    if word == "-":
        return Input(Kind.LINES if lines else Kind.TEXT, "-")
    if word.lstrip()[:1] in ("{", "[") or is_curl(word):
        if lines:
            raise UsageError("--lines takes files, not JSON itself")
        return Input(Kind.TEXT, "", text=word)
    path = expanded(word.removeprefix("@"), env.cwd, env)
    name = shown(path, env)
    if is_folder(path):
        raise UsageError(f"{name} is a folder", f"name files, for example {name}/*.json")
    if not is_there(path):
        hint = "a profile is named with --profile NAME; JSON itself starts with {"
        raise UsageError(f"there is no file {word}", hint)
    if path.suffix == ".toml":
        return Input(Kind.PROFILE, name, path)
    is_lines = lines or path.suffix in _LINES
    return Input(Kind.LINES if is_lines else Kind.TEXT, name, path)
