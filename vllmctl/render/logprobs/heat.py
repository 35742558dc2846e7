"""The answer's text with every token coloured, or marked, by its probability."""

from collections.abc import Iterable
from itertools import groupby

from vllmctl.record import Record
from vllmctl.render.cells import cells, cut
from vllmctl.render.logprobs.tokens import Token
from vllmctl.render.logprobs.units import units

Run = tuple["Band | None", str]
"""Text in one band, or in none; a row is a list of runs."""


class Band(Record, frozen=True):
    """Probabilities from ``least`` up to the next band.

    ``colors`` are the foreground and the background, of the 256 of terminals; ``marks`` stand
    around a token where there is no colour.
    """

    least: float
    name: str
    colors: tuple[int, int]
    marks: tuple[str, str]

    @property
    def opening(self) -> str:
        """What makes a terminal write in the band's colours."""
        return f"\x1b[38;5;{self.colors[0]};48;5;{self.colors[1]}m"


BANDS = (
    Band(0.9, "≥90%", (255, 22), ("", "")),
    Band(0.5, "≥50%", (255, 58), ("(", ")")),
    Band(0.2, "≥20%", (255, 94), ("[", "]")),
    Band(0.05, "≥5%", (255, 130), ("{", "}")),
    Band(0.0, "less", (255, 124), ("<", ">")),
)
NO_BAND = Band(-1.0, "unknown", (255, 240), ("?", "?"))


def band_of(probability: float | None) -> Band:
    """Return the band of a probability; ``NO_BAND`` where there is none."""
    if probability is None:
        return NO_BAND
    return next((band for band in BANDS if probability >= band.least), BANDS[-1])


def heat(tokens: Iterable[Token], *, colored: bool, width: int | None = None) -> str:
    """Return the text of ``tokens`` in rows of at most ``width`` cells."""
    rows = heat_rows(tokens, colored=colored, width=width)
    return "".join([painted(row, colored=colored) + "\n" for row in rows])


def heat_rows(
    tokens: Iterable[Token], *, colored: bool, width: int | None = None
) -> list[list[Run]]:
    """Return the rows of the heat; a newline of the text is shown and ends a row."""
    rows: list[list[Run]] = [[]]
    used = 0
    for unit in units(tokens):
        band = band_of(unit.probability)
        text = unit.text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "→")
        rest = text.replace("\n", "↵\n") if colored else _marked(text, band)
        while rest:
            line, newline, after = rest.partition("\n")
            room = None if width is None else width - used
            if room is not None and cells(line) > room:
                line, more = cut(line, room) if room > 0 else ("", line)
                newline, after = "\n", more + newline + after
            rows[-1].append((band, line))
            used += cells(line)
            rest = after
            if newline:
                rows.append([])
                used = 0
    return rows if rows[-1] else rows[:-1]


def legend(*, colored: bool, width: int | None = None) -> str:
    """Return what the colours or the marks mean."""
    rows = legend_rows(colored=colored, width=width)
    return "".join([painted(row, colored=colored) + "\n" for row in rows])


def legend_rows(*, colored: bool, width: int | None = None) -> list[list[Run]]:
    """Return the rows of the legend: a sample of each band with its name."""
    rows: list[list[Run]] = [[]]
    used = 0
    for band in (*BANDS, NO_BAND):
        name = f" {band.name} " if colored else _marked(band.name, band)
        if width is not None and rows[-1] and used + 1 + cells(name) > width:
            rows.append([])
            used = 0
        if rows[-1]:
            rows[-1].append((None, " "))
            used += 1
        rows[-1].append((band, name))
        used += cells(name)
    return rows


def painted(row: Iterable[Run], *, colored: bool) -> str:
    """Return a row as text for a terminal; text in one band is painted as one."""
    if not colored:
        return "".join([text for _, text in row])
    shown = []
    for band, runs in groupby(row, lambda run: run[0]):
        text = "".join([text for _, text in runs])
        shown.append(f"{band.opening}{text}\x1b[0m" if band and text else text)
    return "".join(shown)


def _marked(text: str, band: Band) -> str:
    """Return ``text`` between the band's marks, each line of it; blanks before it stay outside."""
    if not text.strip(" "):
        return f"{band.marks[0]}{text}{band.marks[1]}"
    lines = text.replace("\n", "↵\n").split("\n")
    return "\n".join([_marked_line(line, band) for line in lines])


def _marked_line(line: str, band: Band) -> str:
    word = line.lstrip(" ")
    blanks = line[: len(line) - len(word)]
    return f"{blanks}{band.marks[0]}{word}{band.marks[1]}" if word else blanks
