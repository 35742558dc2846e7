"""Which later release takes what an earlier one refuses."""

from typing import TYPE_CHECKING, Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.load import endpoint
from vllmctl.catalog.schema import checker
from vllmctl.catalog.target import Target, index, releases
from vllmctl.rules.active import top_of

if TYPE_CHECKING:
    from vllmctl.catalog.type_faults import TypeFault


def taken_since(fault: "TypeFault", body: Any, of: Endpoint) -> str | None:
    """Return the first release after that of ``of`` that does not find ``fault`` in ``body``.

    ``None`` when the newest finds it, too, or has no such field any more.
    """
    engine = of.target.engine
    later = releases(engine)[index(of.target.release, engine) + 1 :]
    if not later or not _takes(later[-1], fault, body, of):
        return None
    refusing, taking = -1, len(later) - 1
    while taking - refusing > 1:
        middle = (refusing + taking) // 2
        if _takes(later[middle], fault, body, of):
            taking = middle
        else:
            refusing = middle
    return later[taking]


def _takes(release: str, fault: "TypeFault", body: Any, of: Endpoint) -> bool:
    there = endpoint(of.name, Target(of.target.engine, release))
    name = top_of(fault.path)
    if name not in there.fields:
        return False
    return all(
        fault.path != found.path for found in checker(there).check({name: body[name]}).faults
    )
