"""Putting the real output below the commands of a page."""

import re
from collections.abc import Iterator, Sequence

from tools.docs.blocks import Block, blocks
from tools.docs.session import Outcome, Ran, empty_folder, run_page

_CHANGING = (
    (re.compile(r"\b[0-9a-f]{32}\b"), "ID"),
    (re.compile(r"\b\d+(\.\d+)? (ms|s|tokens/s)(?![\w])"), r"N \2"),
    (re.compile(r'"created": \d+'), '"created": N'),
)
"""What differs from run to run, and is no reason to change a page."""

_FAULTS = ("error: unexpected ", "Traceback (most recent", "command not found")


class NotAsWrittenError(Exception):
    """A command that cannot be run as the page has it."""


def refreshed(page: str) -> str:
    """Return ``page`` with the output that its commands have now.

    Output that differs only in times and the like stays as it is.

    Raises:
        NotAsWrittenError: a command fails that should not, or the other way round.
    """
    found = list(blocks(page))
    with empty_folder() as folder:
        ran = run_page(found, folder)
    return _replaced(page, ran)


def _replaced(page: str, ran: Sequence[Ran]) -> str:
    lines = page.split("\n")
    for block, outcomes in reversed(ran):
        _check(block, outcomes)
        if block.language == "console":
            lines[block.start + 1 : block.end] = [
                f"{block.indent}{line}".rstrip() for line in _shown(block, outcomes)
            ]
    return "\n".join(lines)


def _shown(block: Block, outcomes: Sequence[Outcome | None]) -> Iterator[str]:
    for step, outcome in zip(block.steps, outcomes, strict=True):
        first, *more = step.command.split("\n")
        yield f"$ {first}"
        yield from (f"> {line}" for line in more)
        yield from step.output if outcome is None else _output(step.output, outcome)


def _output(before: Sequence[str], outcome: Outcome) -> Sequence[str]:
    now = [line.rstrip() for line in outcome.output.rstrip("\n").split("\n")]
    now = [] if now == [""] else now
    return before if _alike(before, now) else now


def _alike(before: Sequence[str], now: Sequence[str]) -> bool:
    return [*map(_steady, before)] == [*map(_steady, now)]


def _steady(line: str) -> str:
    for pattern, stand_in in _CHANGING:
        line = pattern.sub(stand_in, line)
    return line


def _check(block: Block, outcomes: Sequence[Outcome | None]) -> None:
    """A block of ``sh`` has to go well; no block may show a fault of the program."""
    for step, outcome in zip(block.steps, outcomes, strict=True):
        if outcome and any(sign in outcome.output for sign in _FAULTS):
            raise _not_as_written(block, step.command, outcome.output)
    last, end = block.steps[-1], outcomes[-1]
    code = int(block.note) if block.mark == "exit" else 0
    if end and (block.language == "sh" or block.mark == "exit") and end.code != code:
        why = f"ended with {end.code}, not {code}:\n{end.output}"
        raise _not_as_written(block, last.command, why)


def _not_as_written(block: Block, command: str, why: str) -> NotAsWrittenError:
    return NotAsWrittenError(f"line {block.start + 2}: {command}\n{why}")
