"""The answer as plain text while it arrives: text to stdout, reasoning dim to stderr."""

from collections.abc import Callable
from typing import TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Reasoning, Refusal, Text, ToolCallDelta
from vllmctl.env import Environment
from vllmctl.render.style import Style, harmless


class TextWriter:
    """Writes events as text.

    The first choice is written as it arrives; the others are kept and follow at the end, so
    that interleaved choices stay apart. On a terminal what a model says cannot control it;
    into a pipe go the very characters of the answer and nothing else.
    """

    def __init__(self, env: Environment, out: TextIO, *, reasoning: bool = True) -> None:
        self._env = env
        self._out = out
        self._shows_reasoning = reasoning
        self._on_terminal = env.is_terminal(out)
        self._safe: Callable[[str], str] = harmless if self._on_terminal else str
        self._style = Style(env.stderr, env)
        self._in_reasoning = False
        self._later: dict[int, list[str]] = {}
        self._last = ""
        self._calls: dict[tuple[int, int], list[str]] = {}
        self._growing: tuple[int, int] | None = None

    def take(self, events: list[Event]) -> None:
        """Write what arrived together, in as few writes as the order allows."""
        for event in events:
            match event:
                case Text(index, text) | Refusal(index, text):
                    if index == 0:
                        self._end_call()
                    self._text(index, text)
                case Reasoning(index, text):
                    self._reasoning(index, text)
                case ToolCallDelta():
                    self._call(event)
                case _:
                    pass
        self._out.flush()

    def finish(self, answer: Answer) -> None:  # noqa: ARG002 - as every writer's
        """Write what was kept back: further choices and tool calls."""
        self._end_reasoning()
        self._end_call()
        for (index, _), parts in sorted(self._calls.items()):
            self._text(index, f"{self._before_call()}{''.join(parts)}){self._after_call()}")
        for index in sorted(self._later):
            self._separate(f"answer {index + 1}")
            self._write("".join(self._later[index]))
        if self._on_terminal and self._last and not self._last.endswith("\n"):
            self._write("\n")
        self._out.flush()

    def _before_call(self) -> str:
        """Return what stands between the text and a tool call."""
        return "" if not self._last or self._last.endswith("\n") else "\n"

    def _after_call(self) -> str:
        return "\n"

    def _text(self, index: int, text: str) -> None:
        if not text:
            return
        self._end_reasoning()
        if index == 0:
            self._write(text)
        else:
            self._later.setdefault(index, []).append(text)

    def _write(self, text: str) -> None:
        self._out.write(self._safe(text))
        self._last = text or self._last

    def _separate(self, title: str) -> None:
        if self._last and not self._last.endswith("\n"):
            self._write("\n")
        self._out.flush()
        if self._on_terminal:
            self._env.stderr.write(self._style.paint(f"— {title} —", "dim") + "\n")
            self._env.stderr.flush()

    def _reasoning(self, index: int, text: str) -> None:
        if not self._shows_reasoning or index or not text:
            return
        self._in_reasoning = True
        self._env.stderr.write(self._style.paint(harmless(text), "dim"))
        self._env.stderr.flush()

    def _end_reasoning(self) -> None:
        if self._in_reasoning:
            self._in_reasoning = False
            self._env.stderr.write("\n\n" if self._on_terminal else "\n")
            self._env.stderr.flush()

    def _call(self, delta: ToolCallDelta) -> None:
        """Keep a piece of a call; on a terminal the first choice's calls are seen to grow.

        One grows at a time: others wait until its arguments are complete.
        """
        key = (delta.index, delta.call_index)
        piece = f"{delta.name}({delta.arguments}" if delta.name else delta.arguments
        self._calls.setdefault(key, []).append(piece)
        if not self._on_terminal or delta.index:
            return
        if self._growing == key:
            self._text(0, piece)
        elif self._growing is None or _is_complete(self._calls[self._growing]):
            self._end_call()
            self._growing = key
            self._text(0, self._before_call() + "".join(self._calls[key]))

    def _end_call(self) -> None:
        if self._growing is not None:
            del self._calls[self._growing]
            self._growing = None
            self._text(0, f"){self._after_call()}")


def _is_complete(call: list[str]) -> bool:
    import json

    try:
        json.loads("".join(call).partition("(")[2])
    except (ValueError, RecursionError):
        return False
    return True
