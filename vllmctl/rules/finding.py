"""What a check found, and how to mend it."""

from enum import StrEnum
from typing import Any, Literal

from vllmctl.record import Record
from vllmctl.texts import shown


class Level(StrEnum):
    """How serious a finding is."""

    ERROR = "error"
    """This server rejects the request."""
    IGNORED = "ignored"
    """The server accepts it, and it has no effect."""
    WARNING = "warning"
    """Altered, reinterpreted, or probably not what was meant."""
    NOTE = "note"
    """Worth knowing."""


class Edit(Record, frozen=True):
    """One step of a mend: set ``path`` to ``value``, remove it, or move it to ``to``."""

    op: Literal["set", "remove", "move"]
    path: str
    value: Any = None
    to: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form that ``lint --format json`` prints."""
        if self.op == "set":
            return {"op": "set", "path": self.path, "value": self.value}
        if self.op == "move":
            return {"op": "move", "path": self.path, "to": self.to}
        return {"op": "remove", "path": self.path}

    def __str__(self) -> str:
        """Return the step in words, as text output has it."""
        if self.op == "set":
            return f"set {self.path} to {shown(self.value)}"
        return f"move {self.path} to {self.to}" if self.op == "move" else f"remove {self.path}"


class Finding(Record, frozen=True):
    """One fact about a body that its author should know.

    ``code`` is a stable rule id; ``path`` a JSON path into the body
    (``repetition_detection.min_count``, ``messages[0].role``), empty for the whole body.
    ``message`` is one or two sentences without a full stop at the end being required;
    ``fix`` the edits that mend it, or ``None`` when only a person can. ``about`` are the fields
    that the rule is about, where it is one.
    """

    level: Level
    code: str
    path: str
    message: str
    fix: tuple[Edit, ...] | None = None
    about: tuple[str, ...] = ()

    @property
    def is_of_unknown_name(self) -> bool:
        """Whether it tells what a name is that the endpoint does not have."""
        return self.code.startswith("field.") and self.code != "field.no_effect"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form that ``lint --format json`` prints."""
        fix = None if self.fix is None else [edit.as_dict() for edit in self.fix]
        return {
            "level": self.level.value,
            "code": self.code,
            "path": self.path,
            "message": self.message,
            "fix": fix,
        }
