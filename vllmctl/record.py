"""Classes of named values, much as ``dataclasses`` makes them, at next to no cost.

``dataclasses`` imports ``inspect`` and compiles the methods of every class anew; for the classes
that a dry run needs, that takes twice as long as Python itself needs to start. A ``Record`` is
made at once, and each object of it a little slower. Where objects are made by the thousand, a
``NamedTuple`` is the better choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, cast, dataclass_transform

T = TypeVar("T")


class _Made:
    """Stands where a default would be: each object gets one of its own."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


def field(*, factory: Callable[[], T]) -> T:
    """Return what stands for a default that ``factory`` makes for each object."""
    return cast(T, _Made(factory))


@dataclass_transform(field_specifiers=(field,))
class Record:
    """An object with the annotated attributes of its class, given by place or by name.

    Two of one class are equal when all their values are, and have no hash. With ``frozen=True``
    they do not change, and have one. ``eq=False`` leaves both as the class itself says. What is
    ``hidden`` is a secret, and not in the text form.
    """

    _names: ClassVar[tuple[str, ...]] = ()
    _known: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}
    _made: ClassVar[dict[str, _Made]] = {}
    _hidden: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(
        cls, *, frozen: bool = False, eq: bool = True, hidden: tuple[str, ...] = ()
    ) -> None:
        own = tuple(cls.__annotations__)
        cls._names = cls.__match_args__ = cls._names + own  # type: ignore[attr-defined,misc]
        cls._known = frozenset(cls._names)
        cls._defaults = {**cls._defaults, **{n: cls.__dict__[n] for n in own if n in cls.__dict__}}
        cls._hidden += hidden
        cls._made = {name: it for name, it in cls._defaults.items() if isinstance(it, _Made)}
        if frozen:
            cls.__setattr__ = _refuse  # type: ignore[assignment,method-assign]
        if eq:
            cls.__eq__ = _equal  # type: ignore[assignment,method-assign]
            cls.__hash__ = _hash if frozen else None  # type: ignore[assignment,method-assign]

    def __init__(self, *values: Any, **named: Any) -> None:
        own = self.__dict__
        own |= self._defaults
        own |= zip(self._names, values, strict=False)
        own |= named
        if own.keys() != self._known or len(values) > len(self._names):
            raise TypeError(f"{type(self).__name__}{self._names} cannot be made of {own}")
        for name, made in self._made.items():
            if own[name] is made:
                own[name] = made.factory()

    def __repr__(self) -> str:
        shown = [name for name in self._names if name not in self._hidden]
        values = [f"{name}={getattr(self, name)!r}" for name in shown]
        return f"{type(self).__name__}({', '.join(values)})"


R = TypeVar("R", bound=Record)


def replace(record: R, **changes: Any) -> R:
    """Return a record like ``record`` but for ``changes``."""
    own = record.__dict__
    return type(record)(**{**{name: own[name] for name in record._names}, **changes})


def names(kind: type[Record]) -> tuple[str, ...]:
    """Return what the values of ``kind`` are called, in order."""
    return kind._names


def _values(record: Record) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in record._names)


def _equal(self: Record, other: object) -> bool:
    return type(self) is type(other) and _values(self) == _values(other)


def _hash(self: Record) -> int:
    return hash(_values(self))


def _refuse(self: Record, name: str, _: object) -> None:
    raise AttributeError(f"{type(self).__name__}.{name} never changes")
