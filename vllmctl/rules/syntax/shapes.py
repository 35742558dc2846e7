"""What a JSON Schema stands for, as llguidance sees it: shapes that can be intersected.

Only what decides whether something is left is kept: of texts their length and a constant,
of numbers their ends.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations, islice
from typing import Any

from vllmctl.record import Record
from vllmctl.rules.syntax.json_schema import RefusalError
from vllmctl.rules.syntax.numbers import Steps

_MOST_STEPS = 50_000
_DEEPEST = 128
"""llguidance gives up on schemas that lead to more work."""

_MOST_PAIRS = 200_000
"""More options are taken not to overlap."""


class Shape(Record, frozen=True):
    """Any value at all; what is narrower is a kind of its own."""


class Never(Shape, frozen=True):
    """Nothing fits."""

    reason: str


class Null(Shape, frozen=True):
    """null."""


class Boolean(Shape, frozen=True):
    """A boolean, or one of the two."""

    value: bool | None = None


class Number(Shape, frozen=True):
    """A number between two ends, which may be open."""

    low: float | None = None
    high: float | None = None
    low_is_open: bool = False
    high_is_open: bool = False
    is_whole: bool = False
    steps: Steps | None = None


class Text(Shape, frozen=True):
    """A text of some length, or a constant one, with patterns that are not looked at here."""

    least: int = 0
    most: int | None = None
    constant: str | None = None
    patterns: tuple[str, ...] = ()


class Array(Shape, frozen=True):
    """A list: its first items, and those after them."""

    least: int = 0
    most: int | None = None
    prefix: tuple[Shape, ...] = ()
    items: Shape | None = None

    def item(self, place: int) -> Shape:
        """Return what the item at ``place`` has to be."""
        return self.prefix[place] if place < len(self.prefix) else self.items or ANY


class Object(Shape, frozen=True):
    """An object: its named members, and all others."""

    members: Mapping[str, Shape]
    others: Shape | None = None
    required: frozenset[str] = frozenset()
    least: int = 0
    most: int | None = None

    def member(self, name: str) -> Shape:
        """Return what the member ``name`` has to be."""
        return self.members.get(name) or self.others or ANY


class AnyOf(Shape, frozen=True):
    """One of several shapes, or more."""

    options: tuple[Shape, ...]


class OneOf(Shape, frozen=True):
    """Exactly one of several shapes."""

    options: tuple[Shape, ...]


class Reference(Shape, frozen=True):
    """What a definition says."""

    name: str


ANY = Shape()


def any_of(options: Iterable[Shape]) -> Shape:
    """Return a union without what nothing fits."""
    every = list(options)
    left: list[Shape] = []
    for option in every:
        if type(option) is Shape:
            return ANY
        if isinstance(option, AnyOf):
            left += option.options
        elif not isinstance(option, Never):
            left.append(option)
    return _only(left, every, "anyOf") or AnyOf(tuple(left))


def one_of(options: Iterable[Shape]) -> Shape:
    """Return a choice; one whose options cannot overlap is a union."""
    every = list(options)
    left: list[Shape] = []
    for option in every:
        if isinstance(option, OneOf):
            left += option.options
        elif not isinstance(option, Never):
            left.append(option)
    only = _only(left, every, "oneOf")
    if only is not None:
        return only
    look = _Pairs().are_apart
    apart = all(look(*pair) for pair in islice(combinations(left, 2), _MOST_PAIRS))
    return AnyOf(tuple(left)) if apart else OneOf(tuple(left))


def normal(shape: Shape) -> Shape:
    """Return a shape with what is said twice, or fits nothing, left out of its options."""
    if isinstance(shape, AnyOf):
        return any_of(shape.options)
    return one_of(shape.options) if isinstance(shape, OneOf) else shape


def _only(left: list[Shape], every: list[Shape], key: str) -> Shape | None:
    if left:
        return left[0] if len(left) == 1 else None
    return every[0] if every else Never(f"{key} has no options")


class _Pairs:
    """Looks at each pair of shapes once, and at no more of them than a person would wait for."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bool] = {}

    def are_apart(self, one: Shape, two: Shape) -> bool:
        """Return whether it is plain that no value fits both."""
        pair = id(one), id(two)
        if pair not in self._known:
            if len(self._known) > _MOST_PAIRS:
                return True
            self._known[pair] = False
            self._known[pair] = self._are_apart(one, two)
        return self._known[pair]

    def _are_apart(self, one: Shape, two: Shape) -> bool:
        if isinstance(one, Never) or isinstance(two, Never):
            return True
        if isinstance(one, AnyOf | OneOf):
            return all(self.are_apart(option, two) for option in one.options)
        if isinstance(two, AnyOf | OneOf):
            return all(self.are_apart(one, option) for option in two.options)
        if {type(one), type(two)} & {Shape, Reference}:
            return False
        if type(one) is not type(two):
            return True
        if isinstance(one, Object) and isinstance(two, Object):
            names = one.required | two.required
            return any(self.are_apart(one.member(name), two.member(name)) for name in names)
        return _differ(one, two)


def _differ(one: Shape, two: Shape) -> bool:
    """Whether two of a kind are different constants."""
    if isinstance(one, Boolean) and isinstance(two, Boolean):
        return None not in (one.value, two.value) and one.value != two.value
    if isinstance(one, Text) and isinstance(two, Text) and not (one.patterns or two.patterns):
        return None not in (one.constant, two.constant) and one.constant != two.constant
    return False


class Intersection:
    """Intersects shapes; ``resolve`` gives what a reference stands for."""

    def __init__(self, resolve: Callable[[str], Shape]) -> None:
        self._resolve = resolve
        self._steps = 0
        self._depth = 0

    def count(self) -> None:
        """Count a step of the work."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise RefusalError("it is too large when its parts are put together")

    def of(self, one: Shape, two: Shape) -> Shape:
        """Return what fits both shapes."""
        self.count()
        if self._depth > _DEEPEST:
            raise RefusalError("it leads too far when its parts are put together")
        self._depth += 1
        found = normal(self._of(one, two))
        self._depth -= 1
        return found

    def _of(self, one: Shape, two: Shape) -> Shape:
        if type(one) is Shape or isinstance(two, Never):
            return one if isinstance(one, Never) else two
        if type(two) is Shape or isinstance(one, Never):
            return one
        if isinstance(one, Reference):
            return self.of(self._resolve(one.name), two)
        if isinstance(two, Reference):
            return self.of(one, self._resolve(two.name))
        for kind in (OneOf, AnyOf):
            if isinstance(one, kind):
                return kind(tuple(self.of(option, two) for option in one.options))
            if isinstance(two, kind):
                return kind(tuple(self.of(one, option) for option in two.options))
        if type(one) is not type(two):
            return Never("no value has two types")
        return self._same_kind(one, two)

    def _same_kind(self, one: Any, two: Any) -> Shape:
        if isinstance(one, Boolean):
            return Never("true is not false") if _differ(one, two) else _Of(one, two).boolean()
        if isinstance(one, Number):
            return _Of(one, two).number()
        if isinstance(one, Text):
            return _Of(one, two).text()
        if isinstance(one, Array):
            return self._array(one, two)
        return self._object(one, two) if isinstance(one, Object) else one

    def _array(self, one: Array, two: Array) -> Shape:
        length = max(len(one.prefix), len(two.prefix))
        prefix = tuple(self.of(one.item(place), two.item(place)) for place in range(length))
        items = self._optional(one.items, two.items)
        return Array(max(one.least, two.least), _least(one.most, two.most), prefix, items)

    def _object(self, one: Object, two: Object) -> Shape:
        names = [*one.members, *(name for name in two.members if name not in one.members)]
        members = {name: self.of(one.member(name), two.member(name)) for name in names}
        others = self._optional(one.others, two.others)
        least, most = max(one.least, two.least), _least(one.most, two.most)
        return Object(members, others, one.required | two.required, least, most)

    def _optional(self, one: Shape | None, two: Shape | None) -> Shape | None:
        return self.of(one, two) if one and two else one or two


class _Of(Record, frozen=True):
    """Two shapes of one plain kind."""

    one: Any
    two: Any

    def boolean(self) -> Shape:
        found: Shape = self.one if self.one.value is not None else self.two
        return found

    def number(self) -> Shape:
        one, two = self.one, self.two
        low = max(_known(one.low, two.low), default=None)
        high = min(_known(one.high, two.high), default=None)
        return Number(
            low,
            high,
            any(each.low_is_open and each.low == low for each in (one, two)),
            any(each.high_is_open and each.high == high for each in (one, two)),
            one.is_whole or two.is_whole,
            one.steps.both(two.steps) if one.steps and two.steps else one.steps or two.steps,
        )

    def text(self) -> Shape:
        one, two = self.one, self.two
        least, most = max(one.least, two.least), _least(one.most, two.most)
        if _differ(one, two):
            return Never(f"{one.constant!r} is not {two.constant!r}")
        constant = one.constant if one.constant is not None else two.constant
        return Text(least, most, constant, (*one.patterns, *two.patterns))


def _known(*values: float | None) -> list[float]:
    return [value for value in values if value is not None]


def _least(one: int | None, two: int | None) -> int | None:
    return min((value for value in (one, two) if value is not None), default=None)
