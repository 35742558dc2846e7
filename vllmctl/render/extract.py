"""Writers that print a part of the answer: code blocks, parsed JSON, the reasoning."""

import json
import re
from collections.abc import Iterator
from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event
from vllmctl.errors import IncompleteAnswerError

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


class CodeWriter:
    """The first fenced code block of the answer, or all of them a blank line apart."""

    def __init__(self, out: TextIO, *, every: bool) -> None:
        self._out = out
        self._every = every

    def take(self, events: list[Event]) -> None:
        """Wait for the end."""

    def finish(self, answer: Answer) -> None:
        """Write the code. Raises ``IncompleteAnswerError`` when there is none."""
        blocks = list(code_blocks(answer.text))
        if not blocks and answer.failure is None:
            raise IncompleteAnswerError(
                "there is no code block in the answer", "without -x the whole answer is shown"
            )
        self._out.write("\n".join(blocks if self._every else blocks[:1]))
        self._out.flush()


class JsonTextWriter:
    """The answer's own text, which has to be JSON, parsed and indented."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def take(self, events: list[Event]) -> None:
        """Wait for the end."""

    def finish(self, answer: Answer) -> None:
        """Write the JSON. Raises ``IncompleteAnswerError`` when the text is none."""
        if answer.failure is not None:
            return
        try:
            value = json.loads(answer.text)
        except RecursionError:
            raise IncompleteAnswerError("the answer is JSON that nests too deeply") from None
        except ValueError as error:
            cut = answer[0].finish_reason == "length"
            raise IncompleteAnswerError(
                f"the answer{', which the token limit cut short,' * cut} is not JSON: {error}",
                "raise --max-tokens" if cut else "ask for it with --json-object or --schema",
            ) from None
        text = json.dumps(value, indent=2, ensure_ascii=False)
        self._out.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
        self._out.flush()


class ReasoningWriter:
    """The reasoning alone."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def take(self, events: list[Event]) -> None:
        """Write the pieces of the first choice's reasoning."""
        from vllmctl.client.events import Reasoning

        for event in events:
            if isinstance(event, Reasoning) and event.index == 0:
                self._out.write(event.text)
        self._out.flush()

    def finish(self, answer: Answer) -> None:
        """Nothing is left to write."""


def code_blocks(text: str) -> Iterator[str]:
    """Yield the content of each fenced block; one that never ends counts too."""
    fence, lines = "", list[str]()
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line)
        if not fence and match:
            fence, lines = match[1], []
        elif fence and match and match[1].startswith(fence) and not match[2].strip():
            yield "".join(lines)
            fence = ""
        elif fence:
            lines.append(line)
    if fence:
        yield "".join(lines)
