"""How deep a pattern nests, as Rust's parser counts.

Groups and repetitions are a level each, and so is what has several alternatives, and what has
several parts.
"""

from vllmctl.rules.syntax.fault import SyntaxFaultError

_DEEPEST = 250


class _Level:
    """An open group: its alternatives so far, and the parts of the one that is read."""

    def __init__(self) -> None:
        self.options = 0
        self.deepest = 0
        self.begin()

    def begin(self) -> None:
        """Begin an alternative."""
        self.parts = 0
        self.deepest_part = 0
        self.last = 0

    def add(self, depth: int) -> None:
        """Add a part."""
        self.parts += 1
        self.deepest_part = max(self.deepest_part, self.last)
        self.last = depth

    def end(self) -> int:
        """End the alternative; return how deep all of them are."""
        self.deepest = max(self.deepest, max(self.deepest_part, self.last) + (self.parts > 1))
        return self.deepest + (self.options > 0)


class Depth:
    """Grows with what is read from left to right; raises ``SyntaxFaultError`` when too deep."""

    def __init__(self) -> None:
        self._levels = [_Level()]

    def add(self, depth: int = 0) -> None:
        """Add a part that is so deep itself."""
        self._levels[-1].add(depth)
        self._require(depth)

    def repeat(self) -> None:
        """Repeat the last part."""
        level = self._levels[-1]
        level.last += 1
        self._require(level.last)

    def option(self) -> None:
        """Begin the next alternative."""
        level = self._levels[-1]
        level.end()
        level.options += 1
        level.begin()

    def open(self) -> None:
        """Begin a group."""
        self._levels.append(_Level())
        self._require(len(self._levels) - 1)

    def close(self) -> None:
        """End a group."""
        self.add(self._levels.pop().end() + 1)

    def end(self) -> None:
        """End the pattern."""
        self._require(self._levels[0].end())

    def _require(self, depth: int) -> None:
        if depth > _DEEPEST:
            raise SyntaxFaultError("it is nested too deeply")
