"""What a model thinks, apart from its answer: dim, on stderr."""

from typing import Protocol

from vllmctl.client.events import Thought
from vllmctl.env import Environment
from vllmctl.render.amounts import counted, seconds
from vllmctl.render.newlines import Trimmed
from vllmctl.render.style import Style, harmless


class Aside(Protocol):
    """Takes the reasoning of one choice."""

    def feed(self, text: str) -> None:
        """Take the next piece."""

    def end(self, said: str) -> None:
        """End the reasoning with a line that says what it took, or with nothing."""


class Hidden:
    """Shows nothing."""

    def feed(self, text: str) -> None:
        """Leave it."""

    def end(self, said: str) -> None:
        """Leave it."""


class ReasoningOnStderr:
    """Writes the reasoning as it comes, without blank lines before and after it.

    ``title`` stands above it; with ``apart`` a blank line sets it off from the answer.
    """

    def __init__(self, env: Environment, *, title: str = "", apart: bool) -> None:
        self._stream = env.stderr
        self._style = Style(env.stderr, env)
        self._title = title
        self._apart = apart
        self._trimmed = Trimmed()
        self._is_open = False

    def feed(self, text: str) -> None:
        """Write a piece."""
        text = self._trimmed(text)
        if text and not self._is_open:
            self._is_open = True
            self._write(f"— {self._title} —\n" if self._title else "")
            self._title = ""
        self._write(text)
        self._stream.flush()

    def end(self, said: str) -> None:
        """End the line, and write what is ``said`` below."""
        self._trimmed = Trimmed()
        if self._is_open:
            self._is_open = False
            self._stream.write("\n")
            self._write(f"{said}\n" if said else "")
            self._stream.write("\n" if self._apart else "")
            self._stream.flush()

    def _write(self, text: str) -> None:
        if text:
            self._stream.write(self._style.paint(harmless(text), "dim"))


class Held:
    """Keeps the reasoning and hands it over whole, so that choices do not mix."""

    def __init__(self, aside: Aside) -> None:
        self._aside = aside
        self._parts: list[str] = []

    def feed(self, text: str) -> None:
        """Keep a piece."""
        self._parts.append(text)

    def end(self, said: str) -> None:
        """Hand over what was kept."""
        if self._parts:
            self._aside.feed("".join(self._parts))
            self._aside.end(said)
            self._parts = []


def thought_line(thought: Thought, tokens: int | None = None) -> str:
    """Return how long was thought, and how much: in ``tokens`` where the server told them."""
    amount = counted(thought.chunks, "chunk") if tokens is None else counted(tokens, "token")
    if thought.seconds:
        return f"thought for {seconds(thought.seconds)}, {amount}"
    return "" if tokens is None else f"thought: {amount}"
