"""The blocks of code in a page, and what the page says about running them.

A block with a title is the content of a file of that name, for the blocks below it. A comment
on the line before a block says what is not usual about it:

    <!-- not run: REASON -->    the block is only shown
    <!-- exit: N -->            the last command of the block ends with this code
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(r"(?P<indent> *)```(?P<language>[a-z]*)(?: title=\"(?P<title>[^\"]+)\")?")
_MARK = re.compile(r" *<!-- (?P<word>not run|exit): (?P<text>.+) -->")
_PROMPT, _MORE = "$ ", "> "

SHELLS = ("sh", "console")


@dataclass(slots=True)
class Step:
    """A command as typed, and the output below it as the page shows it."""

    command: str
    output: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code; ``start`` and ``end`` are the lines of its fences, from 0.

    ``title`` is the name of the file that it is, or empty; ``mark`` the word of the comment
    before it, or empty, and ``note`` what follows that.
    """

    language: str
    lines: tuple[str, ...]
    start: int
    end: int
    indent: str = ""
    title: str = ""
    mark: str = ""
    note: str = ""

    @property
    def is_run(self) -> bool:
        """Whether its commands are for a shell that we have."""
        return self.language in SHELLS and self.mark != "not run"

    @property
    def steps(self) -> list[Step]:
        """The commands; a block of the language ``sh`` is one of them as a whole."""
        if self.language == "sh":
            return [Step("\n".join(self.lines))]
        return list(_steps(self.lines))


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page in Markdown, from the top."""
    lines = page.split("\n")
    start, opening = -1, None
    for number, line in enumerate(lines):
        if opening is None:
            opening, start = _FENCE.fullmatch(line), number
        elif line.strip() == "```":
            yield _block(lines, start, number, opening)
            opening = None


def without_marks(page: str) -> str:
    """Return the page without the comments about its blocks."""
    return "".join(line for line in page.splitlines(True) if not _MARK.fullmatch(line.rstrip()))


def _block(lines: list[str], start: int, end: int, opening: re.Match[str]) -> Block:
    indent = opening["indent"]
    inside = tuple(line.removeprefix(indent) for line in lines[start + 1 : end])
    mark = _MARK.fullmatch(lines[start - 1]) if start else None
    word, note = (mark["word"], mark["text"]) if mark else ("", "")
    title = opening["title"] or ""
    return Block(opening["language"], inside, start, end, indent, title, word, note)


def _steps(lines: tuple[str, ...]) -> Iterator[Step]:
    step: Step | None = None
    for line in lines:
        if line.startswith(_PROMPT):
            if step:
                yield step
            step = Step(line.removeprefix(_PROMPT))
        elif step and line.startswith(_MORE) and not step.output:
            step.command += f"\n{line.removeprefix(_MORE)}"
        elif step:
            step.output.append(line)
        else:
            raise ValueError(f"a console block begins with a prompt, not with {line!r}")
    if step:
        yield step
