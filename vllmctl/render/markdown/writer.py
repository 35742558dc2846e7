"""The answer as Markdown on a terminal while it arrives."""

from functools import partial
from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event
from vllmctl.env import Environment
from vllmctl.render.markdown.document import Document
from vllmctl.render.markdown.screen import Screen, Size
from vllmctl.render.markdown.styles import Painter
from vllmctl.render.window import window_size
from vllmctl.render.writer import TextWriter

_FENCE = "`" * 9
"""Around tool calls; their arguments hold no line that is such a fence."""


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
        screen = Screen(out, size or partial(window_size, out, env))
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

    def _before_call(self) -> str:
        return f"\n\n{_FENCE}\n"

    def _after_call(self) -> str:
        return f"\n{_FENCE}\n"

    def _separate(self, title: str) -> None:
        self._document.end()
        super()._separate(title)

    def _reasoning(self, index: int, text: str) -> None:
        self._document.hide()
        super()._reasoning(index, text)
