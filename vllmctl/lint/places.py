"""Where the values that findings speak of stand in a text of several lines."""

from functools import cached_property
from typing import TYPE_CHECKING

from vllmctl.lint.finding import TextFinding
from vllmctl.lint.json_text import decode
from vllmctl.lint.result import Result
from vllmctl.rules.edits import keys_in
from vllmctl.rules.finding import Finding

if TYPE_CHECKING:
    from vllmctl.lint.json_reader import Path

Place = tuple[int, int]
"""Line and column, both from 1; 0 where there is none to tell."""


class Places:
    """Tells for the findings of one result on which line of the file they are."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def of(self, finding: Finding) -> Place:
        """Return line and column of a finding."""
        if isinstance(finding, TextFinding):
            return finding.line, finding.column
        if self._result.line is not None:
            return self._result.line, 0
        if b"\n" not in self._result.raw.strip():
            return 0, 0
        offset = self._offset(finding.path)
        return (0, 0) if offset is None else self._place(offset)

    def _offset(self, path: str) -> int | None:
        """Where the value at ``path`` is, or the nearest that it would be in."""
        value = self._result.value
        for key in self._result.keys:
            value = value.get(key) if isinstance(value, dict) else None
        keys: Path = (*self._result.keys, *keys_in(value, path))
        while keys and keys not in self._offsets:
            keys = keys[:-1]
        return self._offsets.get(keys)

    def _place(self, offset: int) -> Place:
        before = self._text[:offset]
        return before.count("\n") + 1, offset - before.rfind("\n")

    @cached_property
    def _text(self) -> str:
        return decode(self._result.raw)[0] or ""

    @cached_property
    def _offsets(self) -> "dict[Path, int]":
        from vllmctl.lint.json_reader import read

        return dict(read(self._text).places)
