"""How values and lists of names are written in messages."""

from typing import Any

from vllmctl.texts import listed as listed  # noqa: PLC0414 - for those who look here
from vllmctl.texts import shown as shown  # noqa: PLC0414 - likewise


def plain(number: Any) -> Any:
    """Return a whole number without a point, whether or not the engine has read it: 2, not 2.0."""
    is_whole = isinstance(number, float) and number.is_integer()
    return int(number) if is_whole else number
