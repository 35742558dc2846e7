"""Wrong types and broken limits, as findings."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from vllmctl.catalog.facts import Endpoint, Field
from vllmctl.catalog.load import nested_field
from vllmctl.nearest import nearest
from vllmctl.rules.case import drop, put
from vllmctl.rules.finding import Edit, Finding, Level

if TYPE_CHECKING:
    from vllmctl.catalog.type_faults import TypeFault


def type_findings(faults: "Iterable[TypeFault]", endpoint: Endpoint) -> Iterator[Finding]:
    """Yield an error for each fault, with a mend where one is plain."""
    for fault in faults:
        message = f"{fault.path}: {fault.message}" if fault.path else fault.message
        yield Finding(
            Level.ERROR, f"type.{fault.kind}", fault.path, message, _mend(fault, endpoint)
        )


def _mend(fault: "TypeFault", endpoint: Endpoint) -> tuple[Edit, ...] | None:
    field = nested_field(endpoint, fault.path) if "[" not in fault.path else None
    if field is None:
        return None
    if fault.input is None:
        return None if field.required else drop(fault.path)
    bound = _nearest_bound(fault, field)
    if bound is not None:
        return put(fault.path, bound)
    if fault.kind == "literal_error" and isinstance(fault.input, str):
        near = nearest(fault.input, field.schema.get("enum", ()))
        return put(fault.path, near) if near else None
    return None


def _nearest_bound(fault: "TypeFault", field: Field) -> Any:
    """The limit of the field's own that a number went over, if it takes no other form."""
    key = {"greater_than_equal": "minimum", "less_than_equal": "maximum"}.get(fault.kind)
    return field.schema.get(key) if key else None
