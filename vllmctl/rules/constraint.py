"""The one constraint that a request puts on its answer, whichever fields say it."""

from collections.abc import Mapping
from typing import Any

from vllmctl.rules.case import Case

KINDS = ("json", "regex", "choice", "grammar", "json_object", "structural_tag")
SCHEMA_PATH = "response_format.json_schema.schema"

_GUIDED = {f"guided_{kind}": kind for kind in ("json", "regex", "choice", "grammar")}


class Constraint:
    """Kinds of constraints with their values, and where each value is in the body."""

    def __init__(self, values: Mapping[str, Any], paths: Mapping[str, str]) -> None:
        self._values = values
        self._paths = paths
        self.kinds = [kind for kind in KINDS if values.get(kind) is not None]
        """The kinds that are set, in a fixed order."""

    def get(self, kind: str) -> Any:
        """The value of a kind, or ``None``."""
        return self._values.get(kind)

    def path(self, kind: str) -> str:
        """Where the value of a kind is in the body."""
        return self._paths[kind]


def constraint(case: Case) -> Constraint:
    """Return the constraint of ``structured_outputs`` as ``response_format`` changes it."""
    found: Constraint | None = case.memo.get("constraint")
    if found is None:
        found = case.memo["constraint"] = _constraint(case)
    return found


def _constraint(case: Case) -> Constraint:
    values = dict(case.object("structured_outputs"))
    paths = {kind: f"structured_outputs.{kind}" for kind in KINDS}
    for kind, value, path in _of_response_format(case):
        values[kind], paths[kind] = value, path
    return Constraint(values, paths)


def guided_constraint(case: Case) -> Constraint:
    """Return the constraint of the ``guided_*`` fields, as the releases before 0.11 read it."""
    values = {kind: case.value.get(name) for name, kind in _GUIDED.items()}
    paths = {kind: name for name, kind in _GUIDED.items()}
    for kind, value, path in _of_response_format(case):
        if kind != "structural_tag":
            values[kind], paths[kind] = value, path
    return Constraint(values, paths)


def live_constraint(case: Case) -> Constraint | None:
    """Return the constraint that will be compiled, or ``None`` when it gives way or is none."""
    found = constraint(case)
    return found if found.kinds and not is_dropped(case) else None


def is_dropped(case: Case) -> bool:
    """Whether the constraint gives way: to a tool that is forced, or to beam search."""
    return forces_tool(case) or case.value.get("use_beam_search") is True


def forces_tool(case: Case) -> bool:
    """Whether the answer has to be the call of a tool."""
    choice = case.value.get("tool_choice")
    forced = choice == "required" or isinstance(choice, dict)
    return forced and bool(case.value.get("tools"))


def _of_response_format(case: Case) -> list[tuple[str, Any, str]]:
    asked = case.object("response_format")
    kind = asked.get("type")
    if kind == "json_object":
        return [("json_object", True, "response_format")]
    if kind == "json_schema":
        inner = asked.get("json_schema")
        schema = inner.get("schema") if isinstance(inner, dict) else None
        return [("json", schema, SCHEMA_PATH)]
    if kind == "structural_tag":
        return [("structural_tag", dict(asked), "response_format")]
    return []
