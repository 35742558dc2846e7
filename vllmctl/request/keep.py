"""What of a request is worth keeping as a profile."""

from typing import Any

from vllmctl.request.build import Request
from vllmctl.request.paths import get, has, put

_TYPED = ("flag", "option", "body")
_SAID = ("messages", "prompt", "prompt_embeds")


def values_to_keep(request: Request) -> dict[str, Any]:
    """Return the fields that were typed: no words of the user, nothing implied or inherited."""
    kept: dict[str, Any] = {}
    for path, origin in request.origins.items():
        head = path.split(".")[0].split("[")[0]
        if origin.kind in _TYPED and head not in _SAID and has(request.body, path):
            put(kept, path, get(request.body, path))
    return kept
