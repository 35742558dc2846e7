"""One writer a format; each writes only the answer to its stream."""

import json
from codecs import getincrementaldecoder
from typing import Protocol, TextIO

from vllmctl.client.answer import Answer
from vllmctl.client.events import Event, Raw
from vllmctl.client.stream import RawForm
from vllmctl.env import Environment
from vllmctl.render.terminal import guarded
from vllmctl.render.window import can_repaint, window_size
from vllmctl.render.writer import TextWriter

PARTS = ("extract", "extract_all", "parse", "only_reasoning")
"""Options that print a part of the answer in place of its text."""

_FORMS = {"raw": RawForm.BYTES, "sse": RawForm.SSE, "jsonl": RawForm.JSON}


class Writer(Protocol):
    """Takes events as they arrive, and the whole answer at the end."""

    def take(self, events: list[Event]) -> None:
        """Write what arrived together."""

    def finish(self, answer: Answer) -> None:
        """Write what is left once nothing more will come."""


def writer_for(
    name: str,
    env: Environment,
    out: TextIO,
    *,
    reasoning: bool,
    choices: int = 1,
    side_by_side: bool = False,
) -> Writer:
    """Return the writer of the format ``name``; Markdown is shown on terminals only.

    ``side_by_side`` allows for columns where ``out`` is a terminal with room for all ``choices``.
    """
    if name not in ("text", "markdown"):
        out = guarded(out, env)
        return JsonWriter(out) if name == "json" else RawWriter(out)
    is_markdown = name == "markdown" and can_repaint(out, env)
    if side_by_side and choices > 1 and can_repaint(out, env):
        from vllmctl.render.columns import SideBySideWriter, fit

        if fit(choices, window_size(out, env)[0]):
            return SideBySideWriter(
                env, out, choices=choices, reasoning=reasoning, markdown=is_markdown
            )
    if is_markdown:
        from vllmctl.render.markdown import MarkdownWriter

        return MarkdownWriter(env, out, reasoning=reasoning, choices=choices)
    return TextWriter(env, out, reasoning=reasoning, choices=choices)


def part_writer(part: str, env: Environment, out: TextIO) -> Writer:
    """Return the writer of a part: ``extract``, ``extract_all``, ``parse``, ``only_reasoning``."""
    from vllmctl.render.extract import CodeWriter, JsonTextWriter, ReasoningWriter

    out = guarded(out, env)
    if part in ("extract", "extract_all"):
        return CodeWriter(out, every=part == "extract_all")
    return JsonTextWriter(out) if part == "parse" else ReasoningWriter(out)


def raw_form(name: str) -> RawForm:
    """Return the form in which the format ``name`` wants what arrived."""
    return _FORMS.get(name, RawForm.NONE)


class JsonWriter:
    """The whole answer as one JSON object, in the shape of an answer that did not stream."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def take(self, events: list[Event]) -> None:
        """Wait for the end."""

    def finish(self, answer: Answer) -> None:
        """Write the object, unless nothing at all arrived."""
        if answer.choices or answer.whole is not None:
            text = json.dumps(answer.as_response(), indent=2, ensure_ascii=False)
            self._out.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
            self._out.flush()


class RawWriter:
    """The very bytes, events or chunks that arrived."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def take(self, events: list[Event]) -> None:
        """Write the raw events."""
        data = b"".join(event.data for event in events if isinstance(event, Raw))
        buffer = getattr(self._out, "buffer", None)
        if buffer is None:
            self._out.write(self._decoder.decode(data))
            self._out.flush()
            return
        buffer.write(data)
        buffer.flush()

    def finish(self, answer: Answer) -> None:  # noqa: ARG002 - as every writer's
        """Write what a text lacks that ended within a character."""
        self._out.write(self._decoder.decode(b"", final=True))
        self._out.flush()
