"""Evaluates the declarative form of a rule: nested lists whose head is an operator.

``["and", ["truthy", "stream_options"], ["not", ["truthy", "stream"]]]`` holds when the
rule's fault is there. Paths are dotted; ``tools[].function.name`` gathers over a list.
Numbers compare as the server's Python compares them, so ``true`` counts as 1.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from vllmctl.record import Record

Body = Mapping[str, Any]
Test = Callable[[Body], bool]
Expression = Sequence[Any]

_NOTHING = object()


def compile_test(expression: Expression) -> Test:
    """Return a function that tells whether ``expression`` holds for a body.

    Raises:
        ValueError: an operator that is not known.
    """
    operator, *operands = expression
    if operator in _COMBINED:
        return _COMBINED[operator]([compile_test(operand) for operand in operands])
    if operator in _COUNTED:
        paths, number = operands
        return _counted(_COUNTED[operator], paths, number)
    if operator not in _ATOMS:
        raise ValueError(f"unknown operator {operator!r}")
    return _atom(operator, operands)


def blamed(expression: Expression, body: Body) -> Iterator[str]:
    """Yield the paths of the values that make ``expression`` hold for ``body``."""
    operator, *operands = expression
    if operator in ("and", "or"):
        for operand in operands:
            if compile_test(operand)(body):
                yield from blamed(operand, body)
    elif operator in _COUNTED:
        yield _common(operands[0])
    elif operator != "not":
        yield operands[0].partition("[]")[0]


def needed(expression: Expression) -> frozenset[str]:
    """Return the fields without which ``expression`` cannot hold."""
    operator, *operands = expression
    if operator == "and":
        return frozenset().union(*map(needed, operands))
    if operator == "or":
        return frozenset.intersection(*map(needed, operands))
    if operator in ("not", "null") or operator in _COUNTED:
        return frozenset()
    first: str = operands[0]
    return frozenset((first.partition(".")[0].removesuffix("[]"),))


def lookup(body: Any, path: str) -> Any:
    """Return the value at a dotted path, a list for ``a[].b``, or ``None``."""
    found = _find(body, _steps(path))
    return None if found is _NOTHING else found


def is_taken(body: Any, path: str) -> bool:
    """Whether something stands at ``path``, or on the way to it where an object would be."""
    value = body
    for key in path.split("."):
        if not isinstance(value, dict):
            return True
        value = value.get(key)
        if value is None:
            return False
    return True


class _Step(Record, frozen=True):
    key: str
    each: bool


@cache
def _steps(path: str) -> tuple[_Step, ...]:
    return tuple(_Step(part.removesuffix("[]"), part.endswith("[]")) for part in path.split("."))


def _find(value: Any, steps: tuple[_Step, ...]) -> Any:
    for place, step in enumerate(steps):
        if not isinstance(value, dict) or step.key not in value:
            return _NOTHING
        value = value[step.key]
        if step.each:
            rest = steps[place + 1 :]
            items = value if isinstance(value, list) else []
            found = [_find(item, rest) for item in items]
            return [item for item in found if item is not _NOTHING] or _NOTHING
    return value


def _reader(path: str) -> Callable[[Body], Any]:
    if path.isidentifier():
        return lambda body: body.get(path, _NOTHING)
    steps = _steps(path)
    return lambda body: _find(body, steps)


def _common(paths: Sequence[str]) -> str:
    parents = {path.rpartition(".")[0] for path in paths}
    return parents.pop() if len(parents) == 1 and "" not in parents else paths[0]


def _all(tests: list[Test]) -> Test:
    def test(body: Body) -> bool:
        for part in tests:  # noqa: SIM110 (twice as fast as all() over a generator)
            if not part(body):
                return False
        return True

    return test


def _any(tests: list[Test]) -> Test:
    def test(body: Body) -> bool:
        for part in tests:  # noqa: SIM110 (twice as fast as any() over a generator)
            if part(body):
                return True
        return False

    return test


def _not(tests: list[Test]) -> Test:
    (test,) = tests
    return lambda body: not test(body)


def _counted(compare: Callable[[int, int], bool], paths: Sequence[str], number: int) -> Test:
    readers = [_reader(path) for path in paths]

    def test(body: Body) -> bool:
        return compare(sum(_is_set(read(body)) for read in readers), number)

    return test


def _atom(operator: str, operands: Sequence[Any]) -> Test:
    read = _reader(operands[0])
    if operator in _BETWEEN:
        between, other = _BETWEEN[operator], _reader(operands[1])
        return lambda body: between(read(body), other(body))
    check = _ATOMS[operator]
    argument = operands[1] if len(operands) > 1 else None
    return lambda body: check(read(body), argument)


def _is_set(value: Any) -> bool:
    return value is not None and value is not _NOTHING


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _is_one_of(value: Any, options: Any) -> bool:
    return not isinstance(value, dict | list) and value in options


def _has_odd_key(value: Any, _: Any) -> bool:
    return isinstance(value, dict) and not all(re.fullmatch(_INTEGER, str(key)) for key in value)


_INTEGER = r"\s*[+-]?\d+(_\d+)*\s*"


def depth(value: Any) -> int:
    """Return how deep objects and lists nest in a value, or in the JSON of a string."""
    if isinstance(value, str):
        import json

        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return 0
    levels, level = 0, [value]
    while level := [inner for inner in level if isinstance(inner, dict | list)]:
        levels += 1
        level = [child for inner in level for child in _children(inner)]
    return levels


def _children(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


_COMBINED: Mapping[str, Callable[[list[Test]], Test]] = {"and": _all, "or": _any, "not": _not}
_COUNTED: Mapping[str, Callable[[int, int], bool]] = {
    "count_set_gt": lambda count, number: count > number,
    "count_set_eq": lambda count, number: count == number,
}
_BETWEEN: Mapping[str, Callable[[Any, Any], bool]] = {
    "lt_field": lambda a, b: _is_number(a) and _is_number(b) and a < b,
    "gt_field": lambda a, b: _is_number(a) and _is_number(b) and a > b,
    "ge_field": lambda a, b: _is_number(a) and _is_number(b) and a >= b,
    "not_in_list": lambda a, b: a not in (b if isinstance(b, list) else []),
}
_ATOMS: Mapping[str, Callable[[Any, Any], bool]] = {
    "set": lambda value, _: _is_set(value),
    "present": lambda value, _: value is not _NOTHING,
    "null": lambda value, _: value is None,
    "truthy": lambda value, _: value is not _NOTHING and bool(value),
    "eq": lambda value, wanted: value is not _NOTHING and bool(value == wanted),
    "in": _is_one_of,
    "lt": lambda value, bound: _is_number(value) and value < bound,
    "le": lambda value, bound: _is_number(value) and value <= bound,
    "gt": lambda value, bound: _is_number(value) and value > bound,
    "ge": lambda value, bound: _is_number(value) and value >= bound,
    "is_string": lambda value, _: isinstance(value, str),
    "is_object": lambda value, _: isinstance(value, dict),
    "contains": lambda value, wanted: isinstance(value, list) and wanted in value,
    "len_gt": lambda value, bound: isinstance(value, str | list) and len(value) > bound,
    "list_len_gt": lambda value, bound: isinstance(value, list) and len(value) > bound,
    "any_lt": lambda value, bound: (
        isinstance(value, list) and any(_is_number(item) and item < bound for item in value)
    ),
    "regex": lambda value, pattern: isinstance(value, str) and bool(re.search(pattern, value)),
    "depth_gt": lambda value, bound: depth(value) > bound,
    "keys_not_int": _has_odd_key,
    **{operator: lambda _value, _other: False for operator in _BETWEEN},
}
