"""Numbers of JSON Schemas as llguidance keeps them."""

from math import inf, lcm
from typing import Any, NamedTuple

from vllmctl.rules.syntax.json_schema import RefusalError, is_number

_LARGEST = 2**32 - 1


def as_double(value: float) -> float:
    """Return a number of JSON with 64 bits; one that does not fit is refused."""
    try:
        double = float(value)
    except OverflowError:
        double = inf
    if not -inf < double < inf:
        raise RefusalError("a number is too large")
    return double


class Steps(NamedTuple):
    """What numbers are multiples of: a whole number with the decimal point moved to the left."""

    digits: int
    places: int

    @classmethod
    def of(cls, value: Any) -> "Steps":
        """Return the steps of ``multipleOf``, whose sign does not count."""
        if not is_number(value):
            raise RefusalError("multipleOf must be a number other than 0")
        left, places = abs(as_double(value)), 0
        while left % 1:
            left, places = left * 10, places + 1
        if left > _LARGEST:
            raise RefusalError("multipleOf has too many digits")
        return cls(int(left), places if left else 0)

    @property
    def size(self) -> float:
        """One of the steps."""
        return self.digits / 10.0**self.places

    def both(self, other: "Steps") -> "Steps":
        """Return the steps of numbers that are multiples of both."""
        places = max(self.places, other.places)
        one, two = (each.digits * 10 ** (places - each.places) for each in (self, other))
        return Steps(lcm(one, two), places)
