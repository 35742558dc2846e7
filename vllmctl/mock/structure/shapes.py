"""What regexes and grammars have in common: shapes that a text can be written from."""

from collections.abc import Iterator, Mapping
from random import Random

from vllmctl.record import Record, field

_DEEP = 4
_MORE = 2
_NEVER = 10**6
_FRIENDLY = range(32, 127)


class ConstraintError(Exception):
    """A constraint that no text can satisfy, or that is not well formed; in the server's words."""


class Literal(Record):
    """A fixed text."""

    text: str


class CharSet(Record):
    """One character of ``ranges`` (or, negated, of all others)."""

    ranges: list[tuple[int, int]] = field(factory=list)
    negated: bool = False

    def has(self, code: int) -> bool:
        """Whether the character with this code point is one of them."""
        return any(low <= code <= high for low, high in self.ranges) is not self.negated


class Sequence(Record):
    """One shape after another."""

    parts: "list[Shape]"


class Choice(Record):
    """One of several shapes."""

    options: "list[Shape]"


class Repeat(Record):
    """A shape ``least`` to ``most`` times; ``most`` is ``None`` without a limit."""

    part: "Shape"
    least: int
    most: int | None


class Reference(Record):
    """A rule of the grammar by its name."""

    name: str


Shape = Literal | CharSet | Sequence | Choice | Repeat | Reference


def write(shape: Shape, random: Random, rules: Mapping[str, Shape] | None = None) -> str:
    """Return a text of that shape; ``rules`` are those that references name.

    Raises:
        ConstraintError: a rule without an end.
    """
    return "".join(_Writer(random, rules or {}).pieces(shape, 0))


class _Writer:
    """Writes by chance, and takes the shortest way out once it is deep in the rules."""

    def __init__(self, random: Random, rules: Mapping[str, Shape]) -> None:
        self._random = random
        self._rules = rules
        self._depths = _depths(rules)

    def pieces(self, shape: Shape, depth: int) -> Iterator[str]:
        match shape:
            case Literal(text):
                yield text
            case CharSet():
                yield self._character(shape)
            case Sequence(parts):
                for part in parts:
                    yield from self.pieces(part, depth)
            case Choice(options):
                yield from self.pieces(self._option(options, depth), depth)
            case Repeat(part, least, most):
                for _ in range(self._count(least, most, depth)):
                    yield from self.pieces(part, depth)
            case Reference(name):
                if self._depths[name] >= _NEVER:
                    raise ConstraintError(f"Grammar error: rule {name} never ends")
                yield from self.pieces(self._rules[name], depth + 1)

    def _option(self, options: list[Shape], depth: int) -> Shape:
        if depth < _DEEP:
            ending = [one for one in options if _depth(one, self._depths) < _NEVER]
            return self._random.choice(ending or options)
        return min(options, key=lambda one: _depth(one, self._depths))

    def _count(self, least: int, most: int | None, depth: int) -> int:
        if depth >= _DEEP:
            return least
        top = least + _MORE if most is None else min(most, least + _MORE)
        return self._random.randint(max(least, min(1, top)), top)

    def _character(self, characters: CharSet) -> str:
        friendly = [code for code in _FRIENDLY if characters.has(code)]
        plain = [code for code in friendly if chr(code).isalnum()]
        if plain or friendly:
            return chr(self._random.choice(plain or friendly))
        for low, high in characters.ranges if not characters.negated else [(160, 0x2FFF), (9, 13)]:
            for code in range(low, min(high, low + 4096) + 1):
                if characters.has(code):
                    return chr(code)
        raise ConstraintError("Grammar error: an empty set of characters")


def _depths(rules: Mapping[str, Shape]) -> dict[str, int]:
    """How many rules deep each rule goes at the least; ``_NEVER`` for one without an end."""
    depths = dict.fromkeys(rules, _NEVER)
    changed = True
    while changed:
        changed = False
        for name, shape in rules.items():
            depth = min(_NEVER, _depth(shape, depths) + 1)
            if depth < depths[name]:
                depths[name], changed = depth, True
    return depths


def _depth(shape: Shape, depths: Mapping[str, int]) -> int:
    match shape:
        case Sequence(parts):
            return max((_depth(part, depths) for part in parts), default=0)
        case Choice(options):
            return min(_depth(option, depths) for option in options)
        case Repeat(part, least, _):
            return _depth(part, depths) if least else 0
        case Reference(name):
            return depths[name]
    return 0
