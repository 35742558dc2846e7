"""A body that is mended by what the rules find."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from vllmctl.catalog.facts import Endpoint
from vllmctl.rules.check import check
from vllmctl.rules.mending import Mended, mend


def mended(body: Mapping[str, Any], of: Endpoint) -> tuple[dict[str, Any], Mended]:
    """Return the mended body, with what was done and what is still to be said of it."""
    copy = deepcopy(dict(body))
    return copy, mend(copy, lambda changed: check(changed, of))
