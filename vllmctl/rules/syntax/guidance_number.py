"""Of which numbers llguidance can write a pattern."""

from math import ceil, floor

from vllmctl.rules.syntax.json_schema import NothingFitsError, RefusalError
from vllmctl.rules.syntax.shapes import Number

_LARGEST = 2**63
_OPEN_ENDED = 10**18
"""A range without an end is written from the next power of ten on, which has to fit 64 bits."""

_TOO_LARGE = "the limits of numbers must fit 64 bits"


def build_number(shape: Number) -> None:
    """Raise ``RefusalError`` for numbers of which there are none, or no pattern."""
    low, high = shape.low, shape.high
    if low is not None and high is not None:
        is_open = shape.low_is_open or shape.high_is_open
        if low > high or (low == high and is_open):
            raise NothingFitsError("no number lies between its limits")
    if shape.steps is not None:
        _require_multiple(shape)
    if shape.is_whole:
        _whole(shape)
    elif not _is_written(low, high):
        raise RefusalError(_TOO_LARGE)
    if shape.steps is not None and not shape.steps.digits:
        raise RefusalError("multipleOf must be a number other than 0")


def _require_multiple(shape: Number) -> None:
    low, high, steps = shape.low, shape.high, shape.steps
    if steps is None or not steps.digits:
        above = low is not None and (low > 0 or (shape.low_is_open and low == 0))
        below = high is not None and (high < 0 or (shape.high_is_open and high == 0))
        if above or below:
            raise NothingFitsError("no multiple of 0 but 0")
        return
    if low is None or high is None:
        return
    size = steps.size
    first, last = ceil(low / size) * size, floor(high / size) * size
    first += size if shape.low_is_open and first == low else 0
    last -= size if shape.high_is_open and last == high else 0
    if shape.is_whole:
        first, last = ceil(first), floor(last)
    if first > last:
        raise NothingFitsError(f"no multiple of {size} lies between its limits")


def _whole(shape: Number) -> None:
    low, high, first, last = shape.low, shape.high, None, None
    if low is not None:
        first = min(floor(low) + 1 if shape.low_is_open else ceil(low), _LARGEST - 1)
    if high is not None:
        last = max(ceil(high) - 1 if shape.high_is_open else floor(high), -_LARGEST)
    if first is not None and last is not None and first > last:
        raise RefusalError("no whole number lies between its limits")
    too_low = first is not None and first <= -_LARGEST
    too_far = (last is None and first is not None and first >= _OPEN_ENDED) or (
        first is None and last is not None and last <= -_OPEN_ENDED
    )
    if too_low or too_far:
        raise RefusalError(_TOO_LARGE)


def _is_written(low: float | None, high: float | None) -> bool:
    """Whether there is a pattern of the numbers between two ends."""
    if low is None or high is None:
        return (low is None or -_LARGEST < low < _OPEN_ENDED) and (
            high is None or -_OPEN_ENDED < high < _LARGEST
        )
    return low == high or max(abs(low), abs(high)) < _LARGEST
