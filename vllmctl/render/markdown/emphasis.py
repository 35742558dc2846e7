"""Runs of ``*``, ``_`` and ``~~`` paired as CommonMark pairs them."""

from typing import TYPE_CHECKING

from vllmctl.record import Record
from vllmctl.render.paint import BOLD, ITALIC, STRIKE

if TYPE_CHECKING:
    from vllmctl.render.markdown.inline import Span

MOST_OPEN = 8
"""The most constructs that wait for their ends."""


class Delimiter(Record):
    """A run of ``length`` equal characters, of which ``left`` are not paired yet.

    ``is_both`` tells that it could open and close when it was found.
    """

    char: str
    length: int
    left: int
    opens: bool
    closes: bool
    is_both: bool

    def may_open(self, closer: "Delimiter") -> bool:
        """Whether emphasis may begin here and end at ``closer``."""
        if not (self.opens and self.left and self.char == closer.char):
            return False
        if not (self.is_both or closer.is_both):
            return True
        either = self.length + closer.length
        return either % 3 != 0 or (self.length % 3 == 0 and closer.length % 3 == 0)


def pair(spans: "list[Span]", reach: int) -> None:
    """Style what stands between pairs of runs that are at most ``reach`` characters apart.

    The pairs of a run depend on what is before it alone, and a run may be paired by what comes
    later only if it ``opens`` and some of it is ``left``. Unlike in CommonMark a run that has
    closed something opens nothing, and no more than ``MOST_OPEN`` wait for their ends, so that
    text cannot hang together without end.
    """
    waiting: list[int] = []
    for place, span in enumerate(spans):
        run = span.delimiter
        if run is None:
            continue
        while run.closes and run.left:
            depth = _opener(spans, waiting, span, reach)
            if depth is None:
                break
            _join(spans, waiting[depth], place)
            del waiting[depth + bool(_left(spans[waiting[depth]])) :]
        if run.opens and run.left:
            waiting.append(place)
        if len(waiting) > MOST_OPEN:
            _give_up(spans[waiting.pop(0)])


def _opener(spans: "list[Span]", waiting: list[int], closing: "Span", reach: int) -> int | None:
    """Return where in ``waiting`` the run stands that ``closing`` ends."""
    closer = closing.delimiter
    for depth in range(len(waiting) - 1, -1, -1):
        opening = spans[waiting[depth]]
        if closing.end > opening.start + reach:
            return None
        if opening.delimiter and closer and opening.delimiter.may_open(closer):
            return depth
    return None


def _join(spans: "list[Span]", start: int, end: int) -> None:
    opener, closer = spans[start].delimiter, spans[end].delimiter
    assert opener and closer
    used = 2 if opener.left >= 2 and closer.left >= 2 else 1
    style = STRIKE if opener.char == "~" else (BOLD if used == 2 else ITALIC)
    for span in spans[start + 1 : end]:
        span.style |= style
        _give_up(span)
    opener.left -= used
    closer.left -= used
    closer.opens = False


def _left(span: "Span") -> int:
    return span.delimiter.left if span.delimiter else 0


def _give_up(span: "Span") -> None:
    if span.delimiter:
        span.delimiter.opens = False
