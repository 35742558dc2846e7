"""The answer as Markdown on a terminal while it arrives."""

import os
import re
from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event
from vllmctl.env import Environment
from vllmctl.render.markdown.document import Document
from vllmctl.render.markdown.screen import Screen, Size
from vllmctl.render.markdown.styles import Painter
from vllmctl.render.writer import TextWriter


def shows_markdown(env: Environment, out: TextIO) -> bool:
    """Whether ``out`` is a terminal on which rows can be repainted."""
    return env.is_terminal(out) and env.variables.get("TERM") != "dumb"


class MarkdownWriter(TextWriter):
    """Writes events as ``TextWriter`` does, with the answer's text as Markdown.

    ``out`` is a terminal (see ``shows_markdown``); ``size`` returns its columns and lines.
    Blocks are written once they are complete and never again; what is not complete is shown as
    it arrives. The colours are left out where ``env`` does not want them.
    """

    def __init__(
        self, env: Environment, out: TextIO, *, reasoning: bool = True, size: Size | None = None
    ) -> None:
        super().__init__(env, out, reasoning=reasoning)
        screen = Screen(out, size or _size_of(out, env))
        self._document = Document(screen, Painter(env.uses_color(out)))

    def take(self, events: list[Event]) -> None:
        """Write what arrived together."""
        super().take(events)
        if not self._in_reasoning:
            self._document.show()

    def finish(self, answer: Answer) -> None:
        """Write what was kept back: the end of the text, further choices and tool calls."""
        super().finish(answer)
        self._document.end()

    def _write(self, text: str) -> None:
        self._document.feed(text)
        self._last = text or self._last

    def _in_own_lines(self, call: str) -> str:
        fence = "`" * (1 + max(map(len, re.findall("`{2,}", call)), default=2))
        return f"\n\n{fence}\n{call}\n{fence}\n"

    def _separate(self, title: str) -> None:
        self._document.end()
        super()._separate(title)

    def _reasoning(self, index: int, text: str) -> None:
        self._document.hide()
        super()._reasoning(index, text)


def _size_of(out: TextIO, env: Environment) -> Size:
    def size() -> tuple[int, int]:
        try:
            columns, lines = os.get_terminal_size(out.fileno())
        except (OSError, ValueError):
            columns = lines = 0
        return columns or _number(env, "COLUMNS", 80), lines or _number(env, "LINES", 24)

    return size


def _number(env: Environment, name: str, default: int) -> int:
    text = env.variables.get(name, "")
    return int(text) if text.isdecimal() and int(text) else default
