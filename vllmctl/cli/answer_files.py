"""The files that an answer goes to: ``--output``, and pictures of its log-probabilities.

An answer that did not arrive to its end never takes the place of a file. What came of it is
put beside, as ``FILE.part``, or ``FILE.part-2`` where that is taken.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from itertools import chain, combinations, count
from pathlib import Path

from vllmctl.cli.given import Given
from vllmctl.client.answer import Answer
from vllmctl.env import Environment
from vllmctl.errors import UsageError, VllmctlError
from vllmctl.record import Record, replace
from vllmctl.render.notes import write_note
from vllmctl.request.atomic_write import is_open_end, write_atomically
from vllmctl.request.file_paths import expanded, is_folder, shown

_STDOUT = "-"
_TEXT = "output"
_PICTURES = ("save_html", "save_svg")


class AnswerFiles(Record):
    """Where the answer goes, by ``OptionSpec.dest``; ``env.stdout`` is what takes its text.

    ``reasoning`` tells whether the pictures have it, too.
    ``answer`` is the one that is being received, if one has begun; ``is_taken`` when the
    program has gone on from there.
    """

    paths: dict[str, Path]
    env: Environment
    quiet: bool
    reasoning: bool = True
    answer: Answer | None = None
    is_taken: bool = False

    def begin(self, answer: Answer | None) -> None:
        """Have ``answer`` be the one that is being received."""
        self.answer, self.is_taken = answer, False

    @contextmanager
    def written(self) -> Iterator[None]:
        """Write the files at the end, whatever that is."""
        try:
            yield
        except BaseException:
            try:
                self._write(is_whole=self._is_whole() and not self.is_taken)
            except VllmctlError as fault:  # why there is no answer matters more
                self._note(fault.message)
            raise
        self._write(is_whole=self._is_whole())

    def _is_whole(self) -> bool:
        return self.answer is not None and self.answer.is_whole

    def _write(self, *, is_whole: bool) -> None:
        for dest, path in self.paths.items():
            text = self._text(dest)
            if is_whole or is_open_end(path):
                write_atomically(path, text, self.env)
            elif text:
                self._write_part(path, text)

    def _text(self, dest: str) -> str:
        if dest == _TEXT:
            assert isinstance(self.env.stdout, StringIO)
            return self.env.stdout.getvalue()
        if self.answer is None or not self.answer.choices:
            return ""
        from vllmctl.render.logprobs.picture import as_html, as_svg

        drawn = as_html if dest == "save_html" else as_svg
        return drawn(self.answer, reasoning=self.reasoning)

    def _write_part(self, path: Path, text: str) -> None:
        part = _free(path)
        write_atomically(part, text, self.env)
        self._note(f"the answer is not complete; what came of it is in {shown(part, self.env)}")

    def _note(self, text: str) -> None:
        if not self.quiet:
            write_note(text, self.env)


def _free(path: Path) -> Path:
    """Return the first name for a part of ``path`` that nothing has."""
    numbered = (path.with_name(f"{path.name}.part-{number}") for number in count(2))
    parts = chain([path.with_name(f"{path.name}.part")], numbered)
    return next(part for part in parts if not os.path.lexists(part))


def answer_files(given: Given, env: Environment) -> AnswerFiles:
    """Return the files that ``given`` names. Raises ``UsageError`` where none can be made."""
    paths = _paths(given, env)
    env = replace(env, stdout=StringIO()) if _TEXT in paths else env
    return AnswerFiles(paths, env, given.has("quiet"), not given.has("hide_reasoning"))


def _paths(given: Given, env: Environment) -> dict[str, Path]:
    named = {dest: given.last(dest) for dest in (_TEXT, *_PICTURES)}
    if named[_TEXT] == _STDOUT:
        named[_TEXT] = None
    paths = {
        dest: _path(name, given.name_of(dest), env)
        for dest, name in named.items()
        if name is not None
    }
    for one, other in combinations(paths, 2):
        if paths[one].resolve() == paths[other].resolve() and not is_open_end(paths[one]):
            flags = f"{given.name_of(one)} and {given.name_of(other)}"
            raise UsageError(f"{flags} name the same file {named[one]}", "take two names")
    return paths


def _path(name: str, flag: str, env: Environment) -> Path:
    """Return the path of a file. Raises ``UsageError`` when none can be made there."""
    if not name:
        raise UsageError(f"{flag}: the name of the file is empty")
    if name == _STDOUT:
        raise UsageError(f"{flag}: stdout is for the answer", "./- is a file of that name")
    path = expanded(name, env.cwd, env)
    if is_folder(path):
        raise UsageError(f"{flag}: {name} is a folder")
    if not is_folder(path.parent):
        raise UsageError(f"{flag}: there is no folder {path.parent}")
    return path
