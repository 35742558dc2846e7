"""Puts the faults that pydantic's engine finds into words, one sensible thing a place."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from vllmctl.catalog.core_schema import LABEL
from vllmctl.catalog.json_path import path_text
from vllmctl.texts import shown

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails, ValidationError

Loc = tuple[int | str, ...]

_DISCRIMINATORS = ("type", "role")
_KINDS = re.compile(r"'[^']*'")

_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "int_parsing": "an integer",
    "int_parsing_size": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "iterable_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "none_required": "null",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
    "multiple_of": ("multiple_of", "a multiple of"),
}
_SIZES = {
    "string_too_short": ("min_length", "at least", "characters"),
    "string_too_long": ("max_length", "at most", "characters"),
    "too_short": ("min_length", "at least", "items"),
    "too_long": ("max_length", "at most", "items"),
}


class TypeFault(NamedTuple):
    """One value of the wrong type or out of its limits.

    ``path`` leads to it in the body (``tools[0].function.name``); ``kind`` is the engine's
    name of the fault (``int_type``, ``missing``, ``less_than_equal``); ``message`` is a
    sentence for people without the path; ``allowed`` says what would do.
    """

    path: str
    kind: str
    message: str
    input: Any = None
    allowed: str = ""


def faults_of(error: "ValidationError", place: Loc) -> list[TypeFault]:
    """Return the faults of a value at ``place`` in the body."""
    errors = [
        (tuple(details["loc"]), details)
        for details in error.errors(include_url=False, include_context=True)
    ]
    return _gather(errors, place)


def missing_fault(place: Loc, others: tuple[str, ...] = ()) -> TypeFault:
    """Return the fault of a required field that was not sent; one of ``others`` may do, too."""
    message = " or ".join(["this field", *others])
    return TypeFault(path_text(place), "missing", f"{message} is required")


def expected_list(sent: Any, path: str) -> TypeFault:
    """Return the fault of a value that is not a list and cannot be read as one."""
    message = f"expected a list, got {shown(sent)}"
    return TypeFault(path, "list_type", message, sent, "a list")


_Error = tuple[Loc, "ErrorDetails"]


def _gather(errors: list[_Error], place: Loc) -> list[TypeFault]:
    """Errors in the order found; those of one union become one statement."""
    faults: list[TypeFault] = []
    unions: dict[Loc, dict[str, list[_Error]]] = {}
    for loc, details in errors:
        at = next((i for i, part in enumerate(loc) if _is_label(part)), None)
        if at is None:
            faults.append(_fault(details, place + loc))
        else:
            branches = unions.setdefault(loc[:at], {})
            branches.setdefault(str(loc[at]), []).append((loc[at + 1 :], details))
    for where, branches in unions.items():
        faults += _of_union(branches, place + where)
    return faults


def _of_union(branches: Mapping[str, list[_Error]], place: Loc) -> list[TypeFault]:
    """What to say when no choice of a union fits: speak of the choice that was meant."""
    fitting = [errors for errors in branches.values() if not any(map(_is_misfit, errors))]
    if not fitting:
        return [_no_choice(branches, place)]
    meant = [errors for errors in fitting if not any(map(_is_other_kind, errors))]
    if not meant:
        return [_unknown_kind(fitting, place)]
    return _gather(min(meant, key=_distance), place)


def _distance(errors: list[_Error]) -> tuple[int, int]:
    """How far a choice is from what was sent: wrong keys first, then missing ones."""
    missing = sum(details["type"] == "missing" for _, details in errors)
    return len({loc[:1] for loc, _ in errors}), missing


def _is_misfit(error: _Error) -> bool:
    """Whether the value itself is of another type, not only too long or wrong inside."""
    loc, details = error
    return not loc and details["type"] not in _BOUNDS and details["type"] not in _SIZES


def _is_other_kind(error: _Error) -> bool:
    loc, details = error
    return details["type"] == "literal_error" and loc[-1] in _DISCRIMINATORS and len(loc) == 1


def _no_choice(branches: Mapping[str, list[_Error]], place: Loc) -> TypeFault:
    names = dict.fromkeys(words for label in branches for words in label.split(LABEL)[2:])
    first = next(iter(branches.values()))[0][1]
    allowed = _join(names)
    return TypeFault(
        path_text(place),
        first["type"],
        f"expected {allowed}, got {shown(first['input'])}",
        first["input"],
        allowed,
    )


def _unknown_kind(branches: list[list[_Error]], place: Loc) -> TypeFault:
    """The ``type`` or ``role`` of an object is none of those that exist."""
    named = [error for errors in branches for error in errors if _is_other_kind(error)]
    loc, first = named[0]
    values = [kind for _, error in named for kind in _KINDS.findall(error["ctx"]["expected"])]
    allowed = _join(dict.fromkeys(values))
    return TypeFault(
        path_text(place + loc),
        first["type"],
        f"expected {allowed}, got {shown(first['input'])}",
        first["input"],
        allowed,
    )


def _fault(details: "ErrorDetails", place: Loc) -> TypeFault:
    kind, sent, context = details["type"], details["input"], details.get("ctx", {})
    if kind == "missing":
        return missing_fault(place)
    if kind == "extra_forbidden":
        return TypeFault(path_text(place), kind, "there is no such key, and it is refused", sent)
    allowed = _allowed(kind, context)
    if kind in _SIZES:
        message = f"must have {allowed}, has {len(sent)}"
    elif allowed:
        verb = "must be" if kind in _BOUNDS else "expected"
        message = f"{verb} {allowed}, got {shown(sent)}"
    else:
        message = f"{details['msg']}, got {shown(sent)}"
    return TypeFault(path_text(place), kind, message, sent, allowed)


def _allowed(kind: str, context: Mapping[str, Any]) -> str:
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return f"{words} {context[key]}"
    if kind in _SIZES:
        key, words, unit = _SIZES[kind]
        count = context[key]
        return f"{words} {count} {unit if count != 1 else unit.rstrip('s')}"
    if kind == "literal_error":
        expected = str(context["expected"])
        return expected if "'" in expected else expected.lower()  # False is false in JSON
    return _EXPECTED.get(kind, "")


def _is_label(part: int | str) -> bool:
    return isinstance(part, str) and part.startswith(LABEL)


def _join(words: Iterable[str]) -> str:
    *head, last = words
    return f"{', '.join(head)} or {last}" if head else last
