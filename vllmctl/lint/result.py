"""What lint says of one request."""

from typing import Any

from vllmctl.record import Record, field
from vllmctl.rules.edits import Change
from vllmctl.rules.finding import Finding, Level


class Result(Record):
    """The findings about one request, and where it was.

    ``name`` is the file as shown (empty when there is none), ``line`` its line there, or
    ``None`` when the request is the whole file. ``endpoint`` is ``None`` when it cannot be
    told. ``value`` is what was read, mended if that was asked for, and ``changes`` how;
    ``readable`` tells whether all was read, ``is_deep`` that it nests too deeply to be
    mended. ``raw`` are the bytes, and ``keys`` lead from
    what they hold to the body.
    """

    name: str
    line: int | None
    endpoint: str | None
    target: str
    findings: list[Finding]
    value: Any = None
    readable: bool = True
    is_deep: bool = False
    changes: list[Change] = field(factory=list)
    rewritten: list[str] = field(factory=list)
    raw: bytes = b""
    keys: tuple[str, ...] = ()
    custom_id: str | None = None

    def is_ok(self, *, strict: bool) -> bool:
        """Whether nothing stands against the request; with ``strict`` no ignored field either."""
        bad = (Level.ERROR, Level.IGNORED) if strict else (Level.ERROR,)
        return not any(finding.level in bad for finding in self.findings)

    @property
    def is_changed(self) -> bool:
        """Whether the mended text differs from what was read."""
        return bool(self.changes or self.rewritten)

    def as_dict(self, *, strict: bool) -> dict[str, Any]:
        """Return the JSON form of the contract."""
        return {
            "ok": self.is_ok(strict=strict),
            "endpoint": self.endpoint,
            "target": self.target,
            "findings": [finding.as_dict() for finding in self.findings],
        }
