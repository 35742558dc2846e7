"""Mends bodies with the edits of findings."""

import json
import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.rules.check import check
from vllmctl.rules.finding import Edit, Finding

Keys = tuple[str | int, ...]

_STEP = re.compile(r"\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]|\.?([^.\[\]]+)")
_MISSING = object()


def repair(
    body: Mapping[str, Any], endpoint: Endpoint
) -> tuple[dict[str, Any], list[Finding], list[Finding]]:
    """Return the mended body, the findings whose mends were made, and those that remain.

    One mend at a time, for it may mend, move or raise another fault. A finding that comes
    back after its mend is left: no finding that remains has a mend that would help.
    """
    mended = deepcopy(dict(body))
    applied: list[Finding] = []
    tried: set[tuple[str, str]] = set()
    while True:
        remaining = check(mended, endpoint)
        due = next((f for f in remaining if f.fix and (f.code, f.path) not in tried), None)
        if due is None:
            return mended, applied, remaining
        tried.add((due.code, due.path))
        after = apply(mended, [due])
        if json.dumps(after) != json.dumps(mended):  # in Python 1 equals True
            mended = after
            applied.append(due)


def apply(body: Mapping[str, Any], findings: Iterable[Finding]) -> dict[str, Any]:
    """Return a copy of ``body`` with the mends of ``findings`` made, in their order.

    Objects on the way to a new place are made; what is not there is neither moved nor removed.
    """
    mended = deepcopy(dict(body))
    for finding in findings:
        for edit in finding.fix or ():
            _make(mended, edit)
    return mended


def keys_of(path: str) -> Keys:
    """Return the keys of a JSON path: ``messages[0].role``, ``logit_bias["5"]``."""
    return tuple(
        int(number) if number else json.loads(quoted) if quoted else name
        for number, quoted, name in _STEP.findall(path)
    )


def _make(body: dict[str, Any], edit: Edit) -> None:
    if edit.op == "set":
        _put(body, keys_of(edit.path), deepcopy(edit.value))
        return
    value = _take(body, keys_of(edit.path))
    if edit.op == "move" and value is not _MISSING:
        _put(body, keys_of(edit.to), value)


def _put(value: Any, keys: Keys, new: Any) -> None:
    """Set what is at ``keys``; what is on the way and is no object becomes one."""
    *way, last = keys
    for key, following in zip(way, keys[1:], strict=True):
        if isinstance(following, str) and not isinstance(_get(value, key), dict):
            value[key] = {}
        value = value[key]
    value[last] = new


def _get(value: Any, key: str | int) -> Any:
    return value.get(key) if isinstance(value, dict) else value[key]


def _take(value: Any, keys: Keys) -> Any:
    """Remove and return what is at ``keys``; objects that become empty on the way go too."""
    first, *rest = keys
    if not _holds(value, first):
        return _MISSING
    if not rest:
        return value.pop(first)
    taken = _take(value[first], tuple(rest))
    if taken is not _MISSING and value[first] == {} and isinstance(value, dict):
        del value[first]
    return taken


def _holds(value: Any, key: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(key, int) and key < len(value)
    return isinstance(value, dict) and key in value
