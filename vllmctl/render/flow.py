"""Words put into rows of a certain width, while they arrive."""

import re
from collections.abc import Iterable
from unicodedata import category

from vllmctl.render.cells import cell, cells, cut
from vllmctl.render.paint import Piece, Row, append

_TOKENS = re.compile(r"[ \t]+|[^ \t]+")
_NOT_FIRST = frozenset(("Pe", "Pf", "Po", "Lm"))
_NOT_LAST = frozenset(("Ps", "Pi"))
_JOINER = "\u200d"


class Flow:
    """Breaks text into rows of at most ``width`` cells, between words where it can.

    Wide characters may be parted from their neighbours. The rows depend on the text and its
    styles alone, not on the pieces in which it comes. ``rows`` are complete; take them away.
    Another ``width`` holds for the words that follow: what is shown is not broken anew.
    """

    __slots__ = ("_row", "_space", "_used", "_word", "_word_cells", "rows", "width")

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[Row] = []
        self._row: Row = []
        self._used = 0
        self._space: Row = []  # written when a word follows in the same row
        self._word: Row = []  # more of it may come
        self._word_cells = 0

    def copy(self) -> "Flow":
        """Return a flow that goes on from here by itself."""
        other = Flow(self.width)
        other._row, other._used = [*self._row], self._used
        other._space, other._word = [*self._space], [*self._word]
        other._word_cells = self._word_cells
        return other

    def add(self, text: str, style: int) -> None:
        """Add text without newlines."""
        for token in _TOKENS.findall(text):
            if token[0] in " \t":
                self._place()
                append(self._space, style, token.replace("\t", " "))
            elif token.isascii() and (not self._word or self._word[-1][1].isascii()):
                self._extend(style, token, len(token))
            else:
                self._extend_by_characters(token, style)

    def newline(self) -> None:
        """End the row."""
        self._place()
        self._end_row()

    def end(self) -> None:
        """End the row unless nothing is in it."""
        self._place()
        if self._row:
            self._end_row()
        self._space = []

    def open_rows(self) -> list[Row]:
        """Return the rows that are not complete yet, as they would look now."""
        if not self._word:
            return [self._row] if self._row else []
        if self._used and self._used + _cells(self._space) + self._word_cells > self.width:
            return [self._row, self._word]
        if not self._used:
            return [self._word]
        row = [*self._row]
        for piece in (*self._space, *self._word):
            append(row, *piece)
        return [row]

    def _extend(self, style: int, text: str, width: int) -> None:
        append(self._word, style, text)
        self._word_cells += width
        if self._word_cells > self.width:
            self._break_word()

    def _extend_by_characters(self, token: str, style: int) -> None:
        for char in token:
            if self._word and _may_break(self._word[-1][1][-1], char):
                self._place()
            self._extend(style, char, cell(char))

    def _place(self) -> None:
        if not self._word:
            return
        if self._used:
            space = _cells(self._space)
            if self._used + space + self._word_cells > self.width:
                self._end_row()
            else:
                for piece in self._space:
                    append(self._row, *piece)
                self._used += space
        for piece in self._word:
            append(self._row, *piece)
        self._used += self._word_cells
        self._space, self._word, self._word_cells = [], [], 0

    def _break_word(self) -> None:
        """Fill rows of their own with a word that is longer than a row."""
        if self._used:
            self._end_row()
        pieces, self._word, used = self._word, [], 0
        for style, text in pieces:
            rest = text
            while rest:
                width = cells(rest)
                if used + width <= self.width:
                    self._word.append((style, rest))
                    used += width
                    break
                fits, rest = self._fitting(rest, self.width - used)
                self.rows.append([*self._word, (style, fits)] if fits else self._word)
                self._word, used = [], 0
        self._word_cells = used

    def _fitting(self, text: str, room: int) -> tuple[str, str]:
        if room < cell(text[0]) and room < self.width:
            return "", text
        return cut(text, room)

    def _end_row(self) -> None:
        self.rows.append(self._row)
        self._row, self._used, self._space = [], 0, []


def wrapped(pieces: Iterable[Piece], width: int) -> list[Row]:
    """Return ``pieces`` in rows of at most ``width`` cells; a newline in them ends a row."""
    flow = Flow(width)
    for style, text in pieces:
        for number, line in enumerate(text.split("\n")):
            if number:
                flow.newline()
            flow.add(line, style)
    flow.end()
    return flow.rows or [[]]


def _may_break(left: str, right: str) -> bool:
    if cell(left) < 2 and cell(right) < 2:
        return False
    if cell(right) == 0 or right == "\ufe0f" or "\U0001f3fb" <= right <= "\U0001f3ff":
        return False
    return left != _JOINER and category(right) not in _NOT_FIRST and category(left) not in _NOT_LAST


def _cells(row: Row) -> int:
    return cells(row[0][1]) if len(row) == 1 else sum([cells(text) for _, text in row])
