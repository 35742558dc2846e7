"""Checks the types and limits of a body with pydantic's engine, as the server does.

The facts are turned into the engine's own schemas; no model class is built. A validator
is made for a field when a value first needs it, or after many values, and kept, so that one
request pays for its own fields only and thousands of them run at the engine's speed.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from vllmctl.catalog.bodies import bodies
from vllmctl.catalog.exact_fit import fits, is_unicode
from vllmctl.catalog.facts import Endpoint
from vllmctl.record import Record

if TYPE_CHECKING:
    from vllmctl.catalog.engine import FieldValidator
    from vllmctl.catalog.type_faults import TypeFault

_MOST_FITTED = 200
"""So many values of a field are looked at without the engine, which takes long to import."""


class TypeCheck(Record, frozen=True):
    """What became of a body: ``value`` with the server's coercions, and what was wrong.

    ``value`` has every key of the body. A field with a fault keeps what was sent, and so
    do messages.
    """

    value: dict[str, Any]
    faults: "tuple[TypeFault, ...]"


def check_types(endpoint: Endpoint, body: Any) -> TypeCheck:
    """Judge types and limits of ``body`` as the server of ``endpoint.target`` would.

    Where the endpoint takes several bodies, one that fits is enough; if none does, the
    faults are those of the one that was most likely meant. Unknown fields are left alone,
    and so are rules over several fields.
    """
    return checker(endpoint).check(body)


@cache
def checker(endpoint: Endpoint) -> "TypeChecker":
    """Return the checker of an endpoint, with the validators that it has made so far."""
    return TypeChecker(endpoint)


class TypeChecker:
    """Judges bodies of one endpoint at one release."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._fields = endpoint.fields
        self._bodies = bodies(endpoint)
        self._validators: dict[str, FieldValidator] = {}
        self._uses: dict[str, int] = {}

    def check(self, body: Any) -> TypeCheck:
        """Judge one body; see ``check_types``."""
        if not isinstance(body, Mapping):
            return TypeCheck({}, _not_an_object(body))
        value = dict(body)
        faults = {
            name: found
            for name, sent in body.items()
            if name in self._fields and (found := self._check_field(name, sent, value))
        }
        strange = [name for name in body if not name.isascii() and not is_unicode(name)]
        return TypeCheck(value, (*_no_texts(strange), *self._of_likeliest(body, faults)))

    def _of_likeliest(
        self, sent: Mapping[str, Any], faults: "Mapping[str, Sequence[TypeFault]]"
    ) -> "tuple[TypeFault, ...]":
        """The faults of the body that lacks least: none, if one fits."""
        missing = [[name for name in one.required if name not in sent] for one in self._bodies]
        wrong = [[name for name in faults if name in one.fields] for one in self._bodies]
        lacking, faulty = min(
            zip(missing, wrong, strict=True), key=lambda found: (len(found[0]), len(found[1]))
        )
        return (
            *_missing(lacking, missing),
            *(fault for name in faulty for fault in faults[name]),
        )

    def _check_field(self, name: str, sent: Any, value: dict[str, Any]) -> "Sequence[TypeFault]":
        """Return what is wrong with a field, and put its coerced value in ``value``."""
        validator = self._validators.get(name)
        if validator is None:
            if not self._is_busy(name) and self._fits(name, sent):
                return ()
            validator = self._validators[name] = self._make_validator(name)
        value[name], faults = validator.check(sent)
        return faults

    def _is_busy(self, name: str) -> bool:
        """Whether a field was looked at so often that its validator is worth its making."""
        uses = self._uses[name] = self._uses.get(name, 0) + 1
        return uses > _MOST_FITTED

    def _fits(self, name: str, sent: Any) -> bool:
        endpoint = self._endpoint
        return fits(self._fields[name].schema, sent, endpoint.models, endpoint.unknown)

    def _make_validator(self, name: str) -> "FieldValidator":
        from vllmctl.catalog.engine import FieldValidator

        return FieldValidator(name, self._endpoint)


def _not_an_object(body: Any) -> "tuple[TypeFault, ...]":
    from vllmctl.catalog.type_faults import TypeFault
    from vllmctl.texts import shown

    message = f"the body must be an object, got {shown(body)}"
    return (TypeFault("", "dict_type", message, body, "an object"),)


def _no_texts(names: list[str]) -> "Iterator[TypeFault]":
    """Faults for names that are no text: half of a surrogate pair is in them."""
    if not names:
        return
    from vllmctl.catalog.type_faults import TypeFault

    for name in names:
        message = "a name with half of a surrogate pair is refused"
        yield TypeFault(name, "string_unicode", message, name, "a text")


def _missing(names: list[str], by_body: list[list[str]]) -> "Iterator[TypeFault]":
    """Faults for what a body lacks; where that is one field, one of another body may do."""
    if not names:
        return
    from vllmctl.catalog.type_faults import missing_fault

    single = [lacking[0] for lacking in by_body if len(lacking) == len(names) == 1]
    others = tuple(dict.fromkeys(name for name in single if name not in names))
    for name in names:
        yield missing_fault((name,), others)
