"""Makes a string that satisfies the string keys of a JSON schema."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from vllmctl.mock.structure.regex import read_regex
from vllmctl.mock.structure.shapes import ConstraintError, Repeat, Sequence, Shape, write

_WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "iris", "jade"),
    *("lemon", "maple", "north", "olive", "pearl", "quartz", "river", "stone", "tulip", "willow"),
)
_TRIES = 200


def make_string(schema: Mapping[str, Any], random: Random) -> str:
    """Return a string that keeps ``pattern``, ``format``, ``minLength`` and ``maxLength``.

    Raises:
        ConstraintError: no string does, or none was found.
    """
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if most is not None and most < least:
        raise ConstraintError("Grammar error: minLength is greater than maxLength")
    if isinstance(schema.get("pattern"), str):
        return _of_pattern(schema["pattern"], least, most, random)
    form = _FORMATS.get(schema.get("format", ""))
    if form is not None:
        text = form(random)
        if least <= len(text) and (most is None or len(text) <= most):
            return text
    return _words(least, most, random)


def _words(least: int, most: int | None, random: Random) -> str:
    text = random.choice(_WORDS)
    while len(text) < least:
        text += " " + random.choice(_WORDS)
    return text if most is None else text[:most].ljust(least, "x")


def _of_pattern(pattern: str, least: int, most: int | None, random: Random) -> str:
    try:
        shape = read_regex(pattern)
    except ConstraintError as fault:
        raise ConstraintError(f"Grammar error: {fault}") from None
    for attempt in range(_TRIES):
        text = write(_longer(shape, attempt, least), random)
        if len(text) >= least and (most is None or len(text) <= most):
            return text
        if most is not None and len(text) > most and attempt > _TRIES // 2:
            shape = _shorter(shape)
    raise ConstraintError("Grammar error: no string has both the pattern and the length")


def _longer(shape: Shape, attempt: int, least: int) -> Shape:
    """The same shape with its endless repeats begun later, when a text has to be long."""
    if not least or not attempt:
        return shape
    extra = min(least, attempt)
    return _with_counts(
        shape, lambda low, high: low + extra if high is None else min(high, low + extra)
    )


def _shorter(shape: Shape) -> Shape:
    return _with_counts(shape, lambda low, _: low, cap=True)


def _with_counts(
    shape: Shape, count: Callable[[int, int | None], int], *, cap: bool = False
) -> Shape:
    if isinstance(shape, Repeat):
        least = count(shape.least, shape.most)
        return Repeat(_with_counts(shape.part, count, cap=cap), least, least if cap else shape.most)
    if isinstance(shape, Sequence):
        return Sequence([_with_counts(part, count, cap=cap) for part in shape.parts])
    return shape


def _date(random: Random) -> str:
    return f"20{random.randint(10, 39)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"


def _time(random: Random) -> str:
    hour, minute, second = random.randint(0, 23), random.randint(0, 59), random.randint(0, 59)
    return f"{hour:02}:{minute:02}:{second:02}Z"


def _uuid(random: Random) -> str:
    digits = f"{random.getrandbits(128):032x}"
    digits = f"{digits[:12]}4{digits[13:16]}a{digits[17:]}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


_FORMATS: Mapping[str, Callable[[Random], str]] = {
    "date": _date,
    "time": _time,
    "date-time": lambda random: f"{_date(random)}T{_time(random)}",
    "duration": lambda random: f"P{random.randint(1, 9)}D",
    "email": lambda random: f"{random.choice(_WORDS)}@example.com",
    "hostname": lambda random: f"{random.choice(_WORDS)}.example.com",
    "ipv4": lambda random: f"192.0.2.{random.randint(1, 254)}",
    "ipv6": lambda random: f"2001:db8::{random.randint(1, 9999):x}",
    "uri": lambda random: f"https://example.com/{random.choice(_WORDS)}",
    "uuid": _uuid,
}
