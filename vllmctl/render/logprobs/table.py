"""A row a token: its text, log-probability, probability, rank, id and alternatives."""

from collections.abc import Callable, Sequence

from vllmctl.record import Record
from vllmctl.render.cells import cells, shortened
from vllmctl.render.logprobs.figures import natural, percent
from vllmctl.render.logprobs.heat import band_of
from vllmctl.render.logprobs.tokens import Token
from vllmctl.render.logprobs.units import label

_BAR = 10
_BAR_FROM = 60
"""The least width at which there is room for the bar."""

_OTHERS_ROOM = 16
"""With less room beside a token its alternatives stand below it."""

_BELOW = "    "

_TOKEN_SHARE = 3
_SHORTEST_TOKEN = 8


class _Column(Record):
    title: str
    texts: list[str]
    is_number: bool = True

    @property
    def width(self) -> int:
        return max(map(cells, [self.title, *self.texts]))

    def cell(self, place: int) -> str:
        return self._padded(self.texts[place])

    def head(self) -> str:
        return self._padded(self.title)

    def _padded(self, text: str) -> str:
        blanks = " " * (self.width - cells(text))
        return blanks + text if self.is_number else text + blanks


def table(
    tokens: Sequence[Token],
    *,
    colored: bool,
    width: int | None = None,
    alternatives: int = 0,
    places: Sequence[int] | None = None,
) -> str:
    """Return the table, at most ``width`` cells wide, with up to ``alternatives`` a token.

    ``places`` are the tokens' numbers, from 0; by default their order.
    """
    if not tokens:
        return ""
    columns = _columns(tokens, places or range(len(tokens)), width)
    room = None if width is None else width - sum(column.width + 2 for column in columns)
    below = room is not None and room < _OTHERS_ROOM
    if width is not None and below:
        room = width - len(_BELOW)
    others = [_others(token, alternatives, room) for token in tokens]
    title = "others" if any(others) and not below else ""
    lines = [_line([column.head() for column in columns], title)]
    for place, token in enumerate(tokens):
        row = [column.cell(place) for column in columns]
        if colored:
            row[1] = f"{band_of(token.probability).opening}{row[1]}\x1b[0m"
        lines.append(_line(row, "" if below else others[place]))
        if below and others[place]:
            lines.append(f"{_BELOW}{others[place]}")
    return "".join([line + "\n" for line in lines])


def _columns(tokens: Sequence[Token], places: Sequence[int], width: int | None) -> list[_Column]:
    longest = max(_SHORTEST_TOKEN, (width or 10_000) // _TOKEN_SHARE)
    columns = [
        _Column("#", [str(place) for place in places]),
        _Column("token", [shortened(label(token), longest) for token in tokens], False),
        _Column("logprob", [natural(token.logprob) for token in tokens]),
        _Column("prob", [percent(token.probability) for token in tokens]),
    ]
    if (width or _BAR_FROM) >= _BAR_FROM:
        columns.append(_Column("", [_bar(token.probability) for token in tokens], False))
    optional: list[tuple[str, Callable[[Token], int | None]]] = [
        ("rank", lambda token: token.rank),
        ("id", lambda token: token.id),
    ]
    for title, value in optional:
        values = [value(token) for token in tokens]
        if any(number is not None for number in values):
            shown = ["-" if number is None else str(number) for number in values]
            columns.append(_Column(title, shown))
    return columns


def _line(row: list[str], others: str) -> str:
    return "  ".join([*row, others]).rstrip(" ")


def _bar(probability: float | None) -> str:
    eighths = round((probability or 0.0) * _BAR * 8)
    full, part = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[part] if part else "")).ljust(_BAR)


def _others(token: Token, count: int, room: int | None) -> str:
    shown: list[str] = []
    for other in token.alternatives[:count]:
        text = f"{label(other)} {percent(other.probability)}"
        if room is not None and sum(cells(one) + 2 for one in shown) + cells(text) > room:
            break
        shown.append(text)
    return "  ".join(shown)
