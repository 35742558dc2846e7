"""One choice: its reasoning, its text and its tool calls, in the order in which they come."""

from typing import TypeGuard, get_args

from vllmctl.client.events import (
    Event,
    Finish,
    Reasoning,
    Refusal,
    Text,
    Thought,
    ToolCallDelta,
)
from vllmctl.render.calls import Calls
from vllmctl.render.reasoning import Aside, thought_line
from vllmctl.render.sheet import Sheet

Shown = Text | Refusal | Reasoning | Thought | ToolCallDelta | Finish
"""The events of a choice that a person sees something of."""

_SHOWN = frozenset(get_args(Shown))


class ChoiceWriter:
    """Writes a choice to ``sheet``, its reasoning to ``aside``.

    ``on_terminal`` tells that a person looks at the sheet: tool calls are seen to grow, and
    blank lines between the reasoning and the answer are left out. ``tokens`` of reasoning are
    set where the server told them.
    """

    def __init__(self, sheet: Sheet, aside: Aside, *, on_terminal: bool) -> None:
        self.sheet = sheet
        self.tokens: int | None = None
        self._aside = aside
        self._calls = Calls(sheet, grow=on_terminal)
        self._on_terminal = on_terminal
        self._thinks = False
        self._has_thought = False

    def take(self, event: Shown) -> None:
        """Write what is to be seen of an event of this choice."""
        match event:
            case Text() | Refusal():
                self._text(event.text)
            case Reasoning():
                self._think(event.text)
            case Thought():
                self._end_thinking(thought_line(event, self.tokens))
            case ToolCallDelta():
                self._end_thinking()
                self._calls.take(event)
            case Finish():
                self._end_thinking()

    def show(self) -> None:
        """Let a person see what was taken, unless reasoning is being written."""
        if not self._thinks:
            self.sheet.show()

    def end(self) -> None:
        """Write what was kept back."""
        self._end_thinking()
        self._calls.finish()
        self.sheet.end()

    def _text(self, text: str) -> None:
        self._end_thinking()
        if self._has_thought:
            text = text.lstrip("\r\n")
        if text:
            self._has_thought = False
            self._calls.close()
            self.sheet.feed(text)

    def _think(self, text: str) -> None:
        self._has_thought = self._on_terminal
        if not self._thinks:
            self._thinks = True
            self.sheet.hide()
        self._aside.feed(text)

    def _end_thinking(self, said: str = "") -> None:
        if self._thinks:
            self._thinks = False
            self._aside.end(said)


def is_shown(event: Event) -> TypeGuard[Shown]:
    """Whether a person sees something of ``event``."""
    return type(event) in _SHOWN
