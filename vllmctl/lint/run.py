"""Lints inputs one after the other, and hands mended texts on to where they belong."""

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.lint.curl import is_curl, read_curl
from vllmctl.lint.inputs import Input, Kind, lines_of, opened, whole
from vllmctl.lint.json_text import decode
from vllmctl.lint.lines import read_lines
from vllmctl.lint.linter import Linter
from vllmctl.lint.result import Result
from vllmctl.record import Record
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.sources import Sources

Write = Callable[[str], object]


class Run(Record):
    """Lints inputs in their order.

    ``own_target`` tells that no target was asked for, so that a profile's own counts.
    Mended texts go to ``write``, or with ``in_place`` back to their files.
    """

    linter: Linter
    env: Environment
    own_target: bool = True
    in_place: bool = False
    write: Write | None = None

    @cached_property
    def _sources(self) -> Sources:
        return Sources(self.env)

    def results(self, source: Input) -> Iterator[Result]:
        """Yield the results of one input as they are known."""
        match source.kind:
            case Kind.PROFILE:
                yield self._profile(source)
            case Kind.LINES:
                yield from self._lines(source)
            case _:
                yield self._whole(source)

    def _profile(self, source: Input) -> Result:
        from vllmctl.lint.profile import lint_profile

        if self.linter.mends:
            raise UsageError(
                "--fix mends requests, not profiles", f"`vllmctl profiles edit {source.name}`"
            )
        judge = None if self.own_target else self.linter.judge
        name = str(source.path) if source.path else source.name
        return lint_profile(name, self.env, judge, self.linter.endpoint)

    def _whole(self, source: Input) -> Result:
        raw, url, is_file = self._read(source)
        result = self.linter.whole(raw, source.name, url)
        if self.linter.mends:
            from vllmctl.lint.rewrite import rewritten

            text = rewritten(result.value, raw) if result.is_changed else decode(raw)[0]
            if self.in_place:
                path = _own_file(source, is_json=is_file)
                if result.is_changed and text is not None:
                    write_atomically(path, text, self.env)
            elif self.write and result.readable and text is not None:
                self.write(text if text.endswith("\n") else text + "\n")
        return result

    def _read(self, source: Input) -> tuple[bytes, str | None, bool]:
        """The bytes of a request, the URL if it is told, and whether they are a file's own."""
        raw = source.text.encode(errors="surrogateescape") if source.text else self._bytes(source)
        text = raw[:400].decode(errors="replace")
        if not is_curl(text):
            return raw, None, True
        command = read_curl(raw.decode(errors="surrogateescape"), self._sources)
        return command.body.encode(errors="surrogateescape"), command.url, False

    def _bytes(self, source: Input) -> bytes:
        with opened(source, self.env) as stream:
            return whole(stream, source)

    def _lines(self, source: Input) -> Iterator[Result]:
        kept: list[str] = []
        write: Write | None = kept.append if self.in_place else self.write
        is_changed = False
        with opened(source, self.env) as stream:
            for line in read_lines(lines_of(stream, source), source.name, self.linter):
                if self.linter.mends and write:
                    write(_mended_line(line.raw, line.result))
                if line.result is not None:
                    is_changed = is_changed or line.result.is_changed
                    yield line.result
        if self.in_place:
            path = _own_file(source, is_json=True)
            if is_changed:
                write_atomically(path, "".join(kept), self.env)


def _mended_line(raw: bytes, result: Result | None) -> str:
    """The line with what was mended; a line that cannot be read stays as it is."""
    ending = raw[len(raw.rstrip(b"\r\n")) :].decode()
    if result is not None and result.readable and result.is_changed:
        from vllmctl.lint.rewrite import rewritten

        return rewritten(result.value, raw.strip()) + ending
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            "a line that is no UTF-8 cannot be written back", "convert the file first"
        ) from None


def _own_file(source: Input, *, is_json: bool) -> Path:
    if source.path is None or not is_json:
        raise UsageError("--in-place wants a file of JSON", "--fix writes to standard output")
    return source.path
