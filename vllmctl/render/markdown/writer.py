"""The answer as Markdown on a terminal while it arrives."""

from functools import partial
from typing import TextIO

from vllmctl.env import Environment
from vllmctl.render.markdown.document import Document
from vllmctl.render.paint import Painter
from vllmctl.render.screen import Screen, Size
from vllmctl.render.window import window_size
from vllmctl.render.writer import TextWriter

_FENCE = "`" * 9
"""Around tool calls; their arguments hold no line that is such a fence."""


class MarkdownSheet(Document):
    """A document with tool calls as code in it."""

    def open_call(self) -> None:
        """Begin the code."""
        self.feed(f"\n\n{_FENCE}\n")

    def close_call(self) -> None:
        """End the code."""
        self.feed(f"\n{_FENCE}\n")


class MarkdownWriter(TextWriter):
    """Writes events as ``TextWriter`` does, with the answer's text as Markdown.

    ``out`` is a terminal that can repaint rows; ``size`` returns its columns and lines. Blocks
    are written once they are complete and never again; what is not complete is shown as it
    arrives. The colours are left out where ``env`` does not want them.
    """

    def __init__(
        self,
        env: Environment,
        out: TextIO,
        *,
        reasoning: bool = True,
        choices: int = 1,
        size: Size | None = None,
    ) -> None:
        screen = Screen(out, size or partial(window_size, out, env))
        sheet = MarkdownSheet(screen, Painter(env.uses_color(out)))
        super().__init__(env, out, reasoning=reasoning, choices=choices, sheet=sheet)
