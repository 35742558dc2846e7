"""Words to people: harmless, and broken between words where a terminal would break inside them."""

from typing import TextIO

from vllmctl.env import Environment
from vllmctl.render.style import Style, harmless
from vllmctl.render.window import can_repaint, window_size


class Words:
    """Writes lines to ``stream``.

    They are broken on a terminal that tells its width; into a pipe, or where nobody knows how
    lines are shown (``TERM=dumb``), they go as they are.
    """

    def __init__(self, stream: TextIO, env: Environment) -> None:
        self._stream = stream
        self._style = Style(stream, env)
        self._width = window_size(stream, env)[0] if can_repaint(stream, env) else None

    def write(self, *parts: str | tuple[str, str]) -> None:
        """Write ``parts`` as one or more lines; those with a style are painted in it."""
        line = "".join([self._painted(part) for part in parts])
        if self._width is not None:
            from vllmctl.render.fitting import fitted

            line = fitted(line, self._width)
        self._stream.write(line + "\n")

    def flush(self) -> None:
        """Send what was written on its way."""
        self._stream.flush()

    def _painted(self, part: str | tuple[str, str]) -> str:
        if isinstance(part, str):
            return harmless(part)
        return self._style.paint(harmless(part[0]), part[1])
