"""The choices of an answer side by side."""

from functools import partial
from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Finish
from vllmctl.env import Environment
from vllmctl.render.choice import ChoiceWriter, Shown, is_shown
from vllmctl.render.columns.layout import Column, Columns
from vllmctl.render.finish import finish_line
from vllmctl.render.markdown.writer import MarkdownSheet
from vllmctl.render.paint import DIM, Painter
from vllmctl.render.reasoning import Aside, Held, Hidden, stderr_sheet
from vllmctl.render.screen import Screen, Size
from vllmctl.render.sheet import Sheet
from vllmctl.render.text_sheet import TextSheet
from vllmctl.render.window import window_size
from vllmctl.render.writer import TextWriter


class SideBySideWriter:
    """Writes each of ``choices`` into a column of ``out``, a terminal that can repaint rows.

    The reasoning stands in the columns, dim, where stderr is the terminal too; elsewhere it
    goes to stderr, one choice after the other.
    """

    def __init__(
        self,
        env: Environment,
        out: TextIO,
        *,
        choices: int,
        reasoning: bool = True,
        markdown: bool = True,
        size: Size | None = None,
    ) -> None:
        self._env = env
        self._out = out
        self._shows_reasoning = reasoning
        self._is_markdown = markdown
        self._painter = Painter(env.uses_color(out))
        screen = Screen(out, size or partial(window_size, out, env))
        self._columns = Columns(screen, self._painter, choices)
        self._choices = [*map(self._choice, self._columns.columns)]
        self._titles = [f"answer {number + 1}" for number in range(choices)]
        self._others: list[Event] = []

    def take(self, events: list[Event]) -> None:
        """Write what arrived together."""
        for event in filter(is_shown, events):
            if event.index < len(self._choices):
                self._write(event)
            else:
                self._others.append(event)
        self._columns.show()

    def finish(self, answer: Answer) -> None:
        """Write what was kept back, and choices that nobody asked for."""
        for choice in self._choices:
            choice.end()
        self._columns.end()
        if self._others:
            others = TextWriter(self._env, self._out, reasoning=self._shows_reasoning)
            others.take(self._others)
            others.finish(answer)

    def _write(self, event: Shown) -> None:
        if self._titles:
            self._columns.head(self._titles)
            self._titles = []
        choice = self._choices[event.index]
        choice.take(event)
        if isinstance(event, Finish):
            self._end(event)
        else:
            choice.show()

    def _end(self, event: Finish) -> None:
        self._choices[event.index].end()
        column = self._columns.columns[event.index]
        said = finish_line(event.reason, event.stop_reason)
        if said:
            self._note(column, f"— {said} —")
        column.ended = True

    def _note(self, column: Column, text: str) -> None:
        sheet = TextSheet(column, self._painter, DIM)
        sheet.feed(text)
        sheet.end()

    def _choice(self, column: Column) -> ChoiceWriter:
        sheet: Sheet = (MarkdownSheet if self._is_markdown else TextSheet)(column, self._painter)
        return ChoiceWriter(sheet, self._aside(column), on_terminal=True)

    def _aside(self, column: Column) -> Aside:
        if not self._shows_reasoning:
            return Hidden()
        if self._env.is_terminal(self._env.stderr):
            return Aside(TextSheet(column, self._painter, DIM), apart=True)
        title = f"answer {self._columns.columns.index(column) + 1}"
        return Held(stderr_sheet(self._env), title=title)
