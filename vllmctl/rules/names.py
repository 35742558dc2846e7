"""Names that the endpoint does not know, at any depth, and fields without effect."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.rules.case import drop
from vllmctl.rules.finding import Finding, Level
from vllmctl.rules.nested import fields_with_parts, nested_unknown

if TYPE_CHECKING:
    from vllmctl.rules.strangers import Strangers


class NameCheck:
    """Tells of unknown names in bodies of one endpoint; prepared once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._with_parts = fields_with_parts(endpoint)

    def findings(self, body: Mapping[str, Any]) -> Iterator[Finding]:
        """Yield a finding for each name that is not known, at any depth."""
        for name, value in body.items():
            field = self._endpoint.fields.get(name)
            if field is None:
                yield self._unknown(name, body)
            elif field.effect is not None and value is not None:
                yield Finding(
                    Level.IGNORED,
                    "field.no_effect",
                    name,
                    f"{name} has no effect on {self._endpoint.path}{_why(field.effect)}",
                    drop(name),
                )
        for fault in nested_unknown(body, self._endpoint, self._with_parts):
            level = fault.level or Level.IGNORED
            yield Finding(level, "field.unknown_part", fault.path, fault.message, fault.fix)

    def _unknown(self, name: str, body: Mapping[str, Any]) -> Finding:
        refused = self._endpoint.unknown == "refused"
        code, fault = self._strangers.told(name, body)
        verb = "refuses" if refused else "ignores"
        message = f"{fault.message}; {self._endpoint.target} {verb} it"
        level = Level.ERROR if refused else Level.IGNORED
        return Finding(level, f"field.{code}", name, message, fault.fix)

    @cached_property
    def _strangers(self) -> "Strangers":
        from vllmctl.rules.strangers import Strangers  # mostly, all names are known

        return Strangers(self._endpoint)


def _why(effect: str) -> str:
    return "" if effect == "ignored" else f" ({effect})"
