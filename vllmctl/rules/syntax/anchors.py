"""Where ``^`` and ``$`` may stand for llguidance: at the ends, in the tree that Rust makes.

Rust's parser joins and shortens what it has read, and the engine looks at what is left: a
repeated ``^`` is at most one, and what all alternatives begin with is moved in front of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

_MANY = 10**9


class Piece(NamedTuple):
    """A part of a pattern.

    The kinds are ``empty``, ``look``, ``atom``, ``group``, ``all``, ``any`` and ``repeat``.
    """

    kind: str
    text: str = ""
    parts: tuple["Piece", ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it can only match nothing."""
        return self.kind != "atom" and all(part.is_empty for part in self.parts)


_EMPTY = Piece("empty")


class Tree:
    """Grows with what is read from left to right; what is not well formed it takes as it is."""

    def __init__(self) -> None:
        self._options: list[list[list[Piece]]] = [[[]]]
        self._captures: list[bool] = []

    def add(self, kind: str, text: str) -> None:
        """Add an ``atom`` or a ``look``."""
        self._options[-1][-1].append(Piece(kind, text))

    def open(self, *, captures: bool) -> None:
        """Begin a group."""
        self._options.append([[]])
        self._captures.append(captures)

    def close(self) -> None:
        """End a group."""
        if self._captures:
            inner = _either(self._options.pop())
            captures = self._captures.pop()
            self._options[-1][-1].append(Piece("group", parts=(inner,)) if captures else inner)

    def option(self) -> None:
        """Begin the next alternative."""
        self._options[-1].append([])

    def repeat(self, least: int, most: int | None) -> None:
        """Repeat what was read last."""
        sequence = self._options[-1][-1]
        if sequence:
            sequence.append(_repeated(sequence.pop(), least, _MANY if most is None else most))

    def misplaced(self) -> str:
        """Return an anchor that stands within the pattern, or nothing."""
        while self._captures:
            self.close()
        return _misplaced(_either(self._options[0]), first=True, last=True)


def _repeated(piece: Piece, least: int, most: int) -> Piece:
    if piece.is_empty:
        least, most = min(least, 1), min(most, 1)
    if not most:
        return _EMPTY
    if least == most == 1:
        return piece
    return Piece("repeat", f"{least},{most}", (piece,))


def _all(pieces: Sequence[Piece]) -> Piece:
    flat: list[Piece] = []
    for piece in pieces:
        flat += piece.parts if piece.kind == "all" else [piece]
    flat = [piece for piece in flat if piece != _EMPTY]
    if len(flat) < 2:
        return flat[0] if flat else _EMPTY
    return Piece("all", parts=tuple(flat))


def _either(options: Sequence[Sequence[Piece]]) -> Piece:
    flat: list[Piece] = []
    for pieces in options:
        option = _all(pieces)
        flat += option.parts if option.kind == "any" else [option]
    return flat[0] if len(flat) == 1 else _lifted(flat)


def _lifted(options: list[Piece]) -> Piece:
    """Move what all alternatives begin with in front of them, when each has parts."""
    count = 0
    if all(option.kind == "all" for option in options):
        for same in zip(*(option.parts for option in options), strict=False):
            if any(piece != same[0] for piece in same):
                break
            count += 1
    if not count:
        return Piece("any", parts=tuple(options))
    rest = _either([option.parts[count:] for option in options])
    return _all([*options[0].parts[:count], rest])


def _misplaced(piece: Piece, *, first: bool, last: bool) -> str:
    if piece.kind == "look":
        return "" if (first if piece.text in ("^", "\\A") else last) else piece.text
    whole = piece.kind in ("any", "group", "all")
    for place, part in enumerate(piece.parts):
        is_first = first and whole and (piece.kind != "all" or not place)
        is_last = last and whole and (piece.kind != "all" or place == len(piece.parts) - 1)
        found = _misplaced(part, first=is_first, last=is_last)
        if found:
            return found
    return ""
