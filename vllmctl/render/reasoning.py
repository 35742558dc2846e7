"""What a model thinks, apart from its answer: dim, on stderr."""

from functools import partial

from vllmctl.client.events import Thought
from vllmctl.env import Environment
from vllmctl.render.amounts import counted, seconds
from vllmctl.render.newlines import Trimmed
from vllmctl.render.sheet import PlainSheet, Sheet
from vllmctl.render.style import Style, harmless
from vllmctl.render.window import can_repaint, window_size


class Aside:
    """Writes the reasoning of a choice on a sheet, without blank lines before and after it.

    ``title`` stands above it; with ``apart`` a blank line sets it off from the answer.
    """

    def __init__(self, sheet: Sheet, *, title: str = "", apart: bool) -> None:
        self._sheet = sheet
        self._title = title
        self._apart = apart
        self._trimmed = Trimmed()
        self._is_open = False

    def feed(self, text: str) -> None:
        """Write a piece."""
        text = self._trimmed(text)
        if text and not self._is_open:
            self._is_open = True
            text = f"— {self._title} —\n{text}" if self._title else text
            self._title = ""
        if text:
            self._sheet.feed(text)
            self._sheet.show()

    def end(self, said: str) -> None:
        """End it; ``said`` is a line about it, or nothing."""
        self._trimmed = Trimmed()
        if self._is_open:
            self._is_open = False
            self._sheet.feed("\n" + f"{said}\n" * bool(said) + "\n" * self._apart)
            self._sheet.end()


class Hidden(Aside):
    """Shows nothing."""

    def __init__(self) -> None:
        """It needs no sheet."""

    def feed(self, text: str) -> None:
        """Leave it."""

    def end(self, said: str) -> None:
        """Leave it."""


class Held(Aside):
    """Writes the reasoning when it is whole, so that choices do not mix."""

    def __init__(self, sheet: Sheet, *, title: str) -> None:
        super().__init__(sheet, title=title, apart=False)
        self._parts: list[str] = []

    def feed(self, text: str) -> None:
        """Keep a piece."""
        self._parts.append(text)

    def end(self, said: str) -> None:
        """Write all pieces."""
        super().feed("".join(self._parts))
        self._parts = []
        super().end(said)


def stderr_sheet(env: Environment) -> Sheet:
    """Return where reasoning goes: dim, and broken between words where a terminal allows it."""
    if can_repaint(env.stderr, env):
        from vllmctl.render.paint import DIM, Painter
        from vllmctl.render.screen import Screen
        from vllmctl.render.text_sheet import TextSheet

        screen = Screen(env.stderr, partial(window_size, env.stderr, env))
        return TextSheet(screen, Painter(env.uses_color(env.stderr)), DIM)
    style = Style(env.stderr, env)
    return PlainSheet(
        env.stderr, lambda text: style.paint(harmless(text), "dim"), on_terminal=False
    )


def thought_line(thought: Thought, tokens: int | None = None) -> str:
    """Return how long was thought, and how much: in ``tokens`` where the server told them."""
    amount = counted(thought.chunks, "chunk") if tokens is None else counted(tokens, "token")
    if thought.seconds or thought.chunks > 1:
        return f"thought for {seconds(thought.seconds)}, {amount}"
    return f"thought: {amount}"  # it came at once, and nobody knows how long that took
