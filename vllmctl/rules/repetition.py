"""Ending answers that repeat themselves."""

from typing import Any

from vllmctl.rules.case import Case, Fault, Faults, drop, put
from vllmctl.rules.registry import own_rule, rule

_FIELD = "repetition_detection"


def _sizes(case: Case) -> tuple[Any, Any, Any]:
    given = case.object(_FIELD)
    names = ("max_pattern_size", "min_pattern_size", "min_count")
    largest, smallest, count = (given.get(name, 0) for name in names)
    return largest, smallest, count


@rule("sp.repetition_detection_sizes")
def sizes(case: Case) -> Faults:
    """The largest pattern is not smaller than the smallest; both default to 0."""
    if not case.is_set(_FIELD):
        return
    largest, smallest, _ = _sizes(case)
    for name, value in (("max_pattern_size", largest), ("min_pattern_size", smallest)):
        if value < 0:
            path = f"{_FIELD}.{name}"
            yield Fault(path, f"{path} must be at least 0, got {value}", put(path, 0))
            return
    if smallest > largest:
        path = f"{_FIELD}.min_pattern_size"
        message = f"{path} must not be above max_pattern_size ({largest}), got {smallest}"
        yield Fault(path, message, put(path, largest))


@rule("sp.repetition_detection_count")
def count(case: Case) -> Faults:
    """One is no repetition, and the default 0 is refused too."""
    if not case.is_set(_FIELD):
        return
    largest, smallest, times = _sizes(case)
    if largest > 0 and 0 <= smallest <= largest and times < 2:
        path = f"{_FIELD}.min_count"
        given = f"got {times}" if "min_count" in case.object(_FIELD) else "and it is not there"
        yield Fault(
            path, f"{path} must be at least 2 with a max_pattern_size, {given}", put(path, 2)
        )


@own_rule(
    "repetition_detection.off",
    "repetition_detection does nothing with a max_pattern_size of 0, its default.",
    (_FIELD,),
    since="0.17.0",
)
def switched_off(case: Case) -> Faults:
    """No pattern is short enough."""
    if case.is_set(_FIELD) and _sizes(case)[:2] == (0, 0):
        message = f"{_FIELD} does nothing without a max_pattern_size above 0"
        yield Fault(_FIELD, message, drop(_FIELD))
