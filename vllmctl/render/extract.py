"""Writers that print a part of the answer: code blocks, parsed JSON, the reasoning.

Of several answers each gives its part, in their order. What is missing is told of answers that
arrived to their end only.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.choice import Choice
from vllmctl.client.events import Event, Reasoning
from vllmctl.client.outcome import said_once
from vllmctl.errors import IncompleteAnswerError

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})(.*)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class CodeWriter:
    """The first fenced code block of each answer, or all of them, a blank line apart."""

    def __init__(self, out: TextIO, *, every: bool) -> None:
        self._out = out
        self._every = every

    def take(self, events: list[Event]) -> None:
        """Wait for the end."""

    def finish(self, answer: Answer) -> None:
        """Write the code. Raises ``IncompleteAnswerError`` where there is none."""
        self._out.write("\n".join(b for choice in _choices(answer) for b in self._blocks(choice)))
        self._out.flush()
        missing = said_once(
            answer, lambda c: () if self._blocks(c) else ("there is no code block in the answer",)
        )
        if missing and answer.is_whole:
            raise IncompleteAnswerError(
                "\n  ".join(missing), "without -x the whole answer is shown"
            )

    def _blocks(self, choice: Choice) -> list[str]:
        blocks = list(code_blocks(choice.text))
        return blocks if self._every else blocks[:1]


class JsonTextWriter:
    """The answer's own text, which has to be JSON, parsed and indented."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def take(self, events: list[Event]) -> None:
        """Wait for the end."""

    def finish(self, answer: Answer) -> None:
        """Write the JSON. Raises ``IncompleteAnswerError`` where the text is none."""
        if not answer.is_whole:
            return
        faults = said_once(answer, self._write)
        self._out.flush()
        if faults:
            raise IncompleteAnswerError("\n  ".join(faults), _way_to_json(answer))

    def _write(self, choice: Choice) -> Iterator[str]:
        """Write the JSON of ``choice``, or yield what is wrong with it."""
        try:
            value = json.loads(choice.text, parse_constant=_refuse)
        except RecursionError:
            yield "the answer is JSON that nests too deeply"
        except ValueError as error:
            cut = ", which the token limit cut short," if choice.finish_reason == "length" else ""
            yield f"the answer{cut} is not JSON: {error}"
        else:
            text = json.dumps(value, indent=2, ensure_ascii=False)
            self._out.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


class ReasoningWriter:
    """The reasoning alone: the first answer's as it comes, the others' at the end."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def take(self, events: list[Event]) -> None:
        """Write the pieces of the first choice's reasoning."""
        for event in events:
            if isinstance(event, Reasoning) and event.index == 0:
                self._out.write(event.text)
        self._out.flush()

    def finish(self, answer: Answer) -> None:
        """Write what the others thought."""
        has_said = False
        for choice in _choices(answer):
            if choice.index and choice.reasoning:
                self._out.write(f"\n{choice.reasoning}" if has_said else choice.reasoning)
            has_said = has_said or bool(choice.reasoning)
        self._out.flush()


def code_blocks(text: str) -> Iterator[str]:
    """Yield the content of each fenced block, without the indentation of its fence.

    A block that never ends counts too. A fence stands as deep as the list that it is in.
    """
    indent, fence, lines = "", "", list[str]()
    for line in _LINE.findall(text):
        match = _FENCE.match(line)
        if not fence and match and not (match[2][0] == "`" and "`" in match[3]):
            indent, fence, lines = match[1], match[2], []
        elif fence and match and _closes(match, indent, fence):
            yield "".join(lines)
            fence = ""
        elif fence:
            lines.append(_outdented(line, indent))
    if fence:
        yield "".join(lines)


def _closes(match: re.Match[str], indent: str, fence: str) -> bool:
    is_near = len(match[1]) <= len(indent) + 3
    return is_near and match[2].startswith(fence) and not match[3].strip()


def _outdented(line: str, indent: str) -> str:
    """Take as much of ``indent`` away from ``line`` as it has."""
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(blank, len(indent)) :]


def _choices(answer: Answer) -> list[Choice]:
    return [answer.choices[index] for index in sorted(answer.choices)]


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _way_to_json(answer: Answer) -> str:
    choices = _choices(answer)
    if any(choice.finish_reason == "length" for choice in choices):
        return "raise --max-tokens"
    if any(any(code_blocks(choice.text)) for choice in choices):
        return "-x prints the code block in it; --json-object or --schema ask for JSON alone"
    return "ask for it with --json-object or --schema"
