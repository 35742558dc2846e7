"""Carries out the edits that findings propose, and tells what became of the values."""

import copy
import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from vllmctl.catalog.json_path import Keys, keys_of
from vllmctl.request.server.secret import may_hold_secret
from vllmctl.rules.finding import Edit
from vllmctl.rules.words import shown

_NOTHING = object()
_EMPTY: tuple[Any, ...] = (None, {}, [], "")


class Change(NamedTuple):
    """What was done to a body: the edit, the value before, and what that means.

    ``was`` is ``None`` where there was nothing (or null). ``lost`` says in words what the
    request asks for no more, empty when nothing is lost.
    """

    edit: Edit
    was: Any
    lost: str = ""

    def __str__(self) -> str:
        edit, was = self.edit, _shown(self.edit.path, self.was)
        match edit.op:
            case "move":
                text = f"moved {edit.path} to {edit.to}"
            case "set" if self.was is None:
                text = f"set {edit.path} to {shown(edit.value)}"
            case "set":
                text = f"set {edit.path} to {shown(edit.value)} (was {was})"
            case _:
                text = f"removed {edit.path} (was {was})"
        return f"{text}; lost: {self.lost}" if self.lost else text

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        was = "…" if _is_secret(self.edit.path) else self.was
        return {**self.edit.as_dict(), "was": was, "lost": self.lost or None}


def apply(body: Any, edits: Sequence[Edit], reason: str) -> list[Change]:
    """Carry out ``edits`` on ``body``, in place; return what was really changed.

    ``reason`` is why a value that is taken away has no place any more. Paths that lead
    nowhere change nothing.
    """
    replaces = any(edit.op == "set" for edit in edits)
    changes = []
    for edit in edits:
        done = _apply(body, edit)
        if done is not _NOTHING:
            is_lost = edit.op == "remove" and not replaces and done not in _EMPTY
            changes.append(Change(edit, done, reason if is_lost else ""))
    return changes


def keys_in(body: Any, path: str) -> Keys:
    """Return the keys of a path in ``body``, whose own names may hold any character."""
    if isinstance(body, dict) and path in body:
        return (path,)
    return keys_of(path)


def get(body: Any, keys: Keys) -> Any:
    """Return the value at ``keys``, or ``None``."""
    found = _find(body, keys)
    return None if found is _NOTHING else found


def _apply(body: Any, edit: Edit) -> Any:
    """Return the value before, or ``_NOTHING`` when nothing changed."""
    keys = keys_in(body, edit.path)
    before = _find(body, keys)
    match edit.op:
        case "set" if not _is_same(before, edit.value):
            before = None if before is _NOTHING else before
            return before if _put(body, keys, copy.deepcopy(edit.value)) else _NOTHING
        case "move" if before is not _NOTHING:
            return before if _move(body, keys, keys_in(body, edit.to), before) else _NOTHING
        case "remove" if before is not _NOTHING:
            return before if _remove(body, keys) else _NOTHING
        case _:
            return _NOTHING


def _is_same(value: Any, other: Any) -> bool:
    """Whether two values are the same JSON: ``true`` is not ``1``, and ``1`` is not ``1.0``."""
    return type(value) is type(other) and json.dumps(value) == json.dumps(other)


def _find(value: Any, keys: Keys) -> Any:
    for key in keys:
        if isinstance(key, int):
            if not isinstance(value, list) or key >= len(value):
                return _NOTHING
        elif not isinstance(value, dict) or key not in value:
            return _NOTHING
        value = value[key]
    return value


def _move(body: Any, keys: Keys, to: Keys, value: Any) -> bool:
    """Move a value; in one object its new name takes the place of the old one."""
    parent, depth = _find(body, keys[:-1]), len(keys) - 1
    if keys[:depth] != to[:depth] or len(to) == depth or to[depth] in parent:
        return _put(body, to, value) and _remove(body, keys)
    for key in reversed(to[depth + 1 :]):
        value = {key: value}
    members = [(to[depth], value) if key == keys[-1] else (key, v) for key, v in parent.items()]
    parent.clear()
    parent.update(members)
    return True


def _put(body: Any, keys: Keys, value: Any) -> bool:
    """Set ``keys``, and say whether it was done.

    Objects that are missing on the way are made, also in the place of null or an empty
    list; any other value there is not put aside.
    """
    for key, following in pairwise(keys):
        child = _find(body, (key,))
        if child in (_NOTHING, None) or (child == [] and isinstance(following, str)):
            if not isinstance(body, dict):
                return False
            child = body[key] = {}
        if not isinstance(child, dict | list):
            return False
        body = child
    last = keys[-1] if keys else None
    if isinstance(body, dict) and isinstance(last, str):
        body[last] = value
        return True
    if isinstance(body, list) and isinstance(last, int) and last < len(body):
        body[last] = value
        return True
    return False


def _remove(body: Any, keys: Keys) -> bool:
    """Remove ``keys``, and the objects that are left empty on the way to them."""
    if not keys:
        return False
    *way, last = keys
    parent = _find(body, tuple(way))
    del parent[last]
    if way and parent == {} and isinstance(way[-1], str):
        _remove(body, tuple(way))
    return True


def _shown(path: str, value: Any) -> str:
    return "…" if _is_secret(path) else shown(value)


def _is_secret(path: str) -> bool:
    return may_hold_secret(path.rpartition(".")[2].replace("-", "_"))
