"""The answer as plain text while it arrives: text to stdout, reasoning dim to stderr."""

from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Finish, Usage
from vllmctl.env import Environment
from vllmctl.render.choice import ChoiceWriter, Shown, is_shown
from vllmctl.render.finish import CUTS, finish_line
from vllmctl.render.reasoning import Aside, Hidden, stderr_sheet
from vllmctl.render.sheet import Sheet, exact_sheet
from vllmctl.render.usage import reasoning_tokens
from vllmctl.render.words import Words


class TextWriter:
    """Writes the choices one after the other.

    The first of ``choices`` is written as it arrives; what comes for others is kept until it
    is their turn, so that interleaved choices stay apart. ``sheet`` takes the text; by default
    it goes to ``out`` as it is. ``tells_length`` is turned off where an error will tell that the
    token limit cut the answer.
    """

    tells_length = True

    def __init__(
        self,
        env: Environment,
        out: TextIO,
        *,
        reasoning: bool = True,
        choices: int = 1,
        sheet: Sheet | None = None,
    ) -> None:
        self._env = env
        self._out = out
        self._shows_reasoning = reasoning
        self._on_terminal = env.is_terminal(out)
        self._sheet = sheet or exact_sheet(out, on_terminal=self._on_terminal)
        self._words = Words(env.stderr, env)
        self._are_many = choices > 1
        self._turn = 0
        self._kept: dict[int, list[Shown]] = {}
        self._current: ChoiceWriter | None = None
        self._tokens: int | None = None

    def take(self, events: list[Event]) -> None:
        """Write what arrived together, as far as it is its turn."""
        for event in events:
            if is_shown(event):
                self._kept.setdefault(event.index, []).append(event)
            elif isinstance(event, Usage):
                self._tokens = None if self._are_many else reasoning_tokens(event.usage)
        while self._turn in self._kept and self._write(self._kept.pop(self._turn)):
            self._turn += 1
        if self._current:
            self._current.show()

    def finish(self, answer: Answer) -> None:
        """Write what was kept back, further choices and tool calls, and say what cut an answer."""
        self._end_all()
        self._say_cut(answer)

    def _end_all(self) -> None:
        self._end()
        for index in sorted(self._kept):
            self._turn = index
            self._write(self._kept.pop(index))
            self._end()
        self._out.flush()

    def _say_cut(self, answer: Answer) -> None:
        """Say on a terminal what cut a single answer; of several each has said it."""
        choice = answer[0]
        if choice.finish_reason == "length" and not self.tells_length:
            return
        if self._on_terminal and len(answer.choices) == 1 and choice.finish_reason in CUTS:
            self._say(finish_line(choice.finish_reason, choice.stop_reason))

    def _write(self, events: list[Shown]) -> bool:
        """Write events of the choice whose turn it is; return whether another one is next."""
        if not self._current:
            self._current = self._begun()
        self._current.tokens = self._tokens
        for event in events:
            self._current.take(event)
        end = next((event for event in events if isinstance(event, Finish)), None)
        if not (end and (self._are_many or self._turn or self._kept)):
            return False
        self._end()
        if self._on_terminal:
            self._say(finish_line(end.reason, end.stop_reason))
        return True

    def _begun(self) -> ChoiceWriter:
        title = f"answer {self._turn + 1}" if self._are_many or self._turn else ""
        if title and self._on_terminal:
            self._say(title)
            title = ""
        return ChoiceWriter(self._sheet, self._aside(title), on_terminal=self._on_terminal)

    def _aside(self, title: str) -> Aside:
        if self._shows_reasoning:
            return Aside(stderr_sheet(self._env), title=title, apart=self._on_terminal)
        return Hidden()

    def _end(self) -> None:
        if self._current:
            self._current.end()
            self._current = None

    def _say(self, text: str) -> None:
        """Write a line about what is above or below it."""
        if text:
            self._out.flush()
            self._words.write((f"— {text} —", "dim"))
            self._words.flush()
