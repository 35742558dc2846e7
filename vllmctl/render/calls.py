"""Tool calls while they arrive."""

from vllmctl.client.events import ToolCallDelta
from vllmctl.render.sheet import Sheet


class Calls:
    """The tool calls of one choice.

    With ``grow`` they are seen to grow on ``sheet``, one at a time: others wait until its
    arguments are complete. Without, all wait until the end.
    """

    def __init__(self, sheet: Sheet, *, grow: bool) -> None:
        self._sheet = sheet
        self._grow = grow
        self._parts: dict[int, list[str]] = {}
        self._growing: int | None = None

    def take(self, delta: ToolCallDelta) -> None:
        """Take a piece of a call."""
        number = delta.call_index
        piece = f"{delta.name}({delta.arguments}" if delta.name else delta.arguments
        self._parts.setdefault(number, []).append(piece)
        if not self._grow:
            return
        if self._growing == number:
            self._sheet.feed(piece)
        elif self._growing is None or _is_complete(self._parts[self._growing]):
            self.close()
            self._growing = number
            self._sheet.open_call()
            self._sheet.feed("".join(self._parts[number]))

    def close(self) -> None:
        """End the call that grows."""
        if self._growing is not None:
            del self._parts[self._growing]
            self._growing = None
            self._close()

    def finish(self) -> None:
        """End the call that grows, and write those that waited."""
        self.close()
        for _, parts in sorted(self._parts.items()):
            self._sheet.open_call()
            self._sheet.feed("".join(parts))
            self._close()
        self._parts = {}

    def _close(self) -> None:
        self._sheet.feed(")")
        self._sheet.close_call()


def _is_complete(parts: list[str]) -> bool:
    import json

    if not parts[-1].rstrip().endswith(("}", "]")):
        return False
    try:
        json.loads("".join(parts).partition("(")[2])
    except (ValueError, RecursionError):
        return False
    return True
