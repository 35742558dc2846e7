"""What a rule looks at, and what it reports."""

from collections.abc import Iterator, Mapping
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.target import index
from vllmctl.record import Record, field
from vllmctl.rules.finding import Edit, Level
from vllmctl.rules.words import plain


class Case(Record):
    """A body of one endpoint, as sent and as the server reads it.

    ``sent`` holds the known fields with the values of the body; ``value`` the same fields
    after the server's coercions (``"yes"`` became ``True``). ``faulty`` names the fields
    whose type is wrong: their values say nothing. ``memo`` keeps what several rules ask for.
    """

    endpoint: Endpoint
    sent: Mapping[str, Any]
    value: Mapping[str, Any]
    faulty: frozenset[str] = frozenset()
    memo: dict[str, Any] = field(factory=dict)

    def since(self, release: str) -> bool:
        """Whether the target is ``release`` or newer."""
        target = self.endpoint.target
        if target.engine != "vllm":
            return True
        return index(release, target.engine) <= index(target.release, target.engine)

    def is_set(self, name: str) -> bool:
        """Whether a field was sent and is not null."""
        return self.value.get(name) is not None

    def number(self, name: str) -> Any:
        """Return a field's number, or ``None`` when it has none."""
        value = self.value.get(name)
        return plain(value) if isinstance(value, int | float) else None

    def object(self, name: str) -> Mapping[str, Any]:
        """Return a field's object, empty when it has none."""
        value = self.value.get(name)
        return value if isinstance(value, dict) else {}

    def items(self, name: str) -> list[Any]:
        """Return a field's list, empty when it has none."""
        value = self.value.get(name)
        return value if isinstance(value, list) else []


def searches_beams(case: Case) -> bool:
    """Whether the request goes through the API server's own beam search."""
    return case.value.get("use_beam_search") is True and case.since("0.6.3")


class Fault(Record, frozen=True):
    """What a rule found: where, what to say, how to mend it.

    ``level`` is ``None`` for the level that goes with the rule's kind.
    """

    path: str
    message: str
    fix: tuple[Edit, ...] | None = None
    level: Level | None = None


Faults = Iterator[Fault]


def put(path: str, value: Any) -> tuple[Edit, ...]:
    """Return the mend that sets ``path`` to ``value``."""
    return (Edit("set", path, value),)


def drop(*paths: str) -> tuple[Edit, ...]:
    """Return the mend that removes ``paths``."""
    return tuple(Edit("remove", path) for path in paths)


def move(path: str, to: str) -> tuple[Edit, ...]:
    """Return the mend that moves the value at ``path`` to ``to``."""
    return (Edit("move", path, to=to),)
