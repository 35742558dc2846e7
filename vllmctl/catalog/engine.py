"""Judges one field's value with pydantic's engine."""

from typing import Any

from vllmctl.catalog.core_schema import field_schema
from vllmctl.catalog.facts import Endpoint
from vllmctl.catalog.messages import Messages
from vllmctl.catalog.type_faults import TypeFault
from vllmctl.catalog.validators import judge, make_validator


class FieldValidator:
    """The engine's validator of one field."""

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        core = field_schema(endpoint.fields[name].schema, endpoint.models, endpoint.unknown)
        self._place = (name,)
        self._validator = make_validator(core)
        self._messages = Messages(endpoint) if core.is_lazy else None

    def check(self, sent: Any) -> tuple[Any, list[TypeFault]]:
        """Return the coerced value and what is wrong with it; messages stay as sent."""
        if self._messages is None:
            return judge(self._validator, sent, self._place)
        prepared, faults = self._messages.prepare(sent, self._place)
        if not faults:
            value, faults = judge(self._validator, prepared, self._place)
        faults = faults or list(self._messages.read(value, prepared, self._place))
        return sent, self._messages.as_sent(faults, sent, self._place) if faults else []
