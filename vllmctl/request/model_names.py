"""The names of models that servers told of lately, for completion; nobody is asked."""

import json
from collections.abc import Iterable

from vllmctl.env import Environment
from vllmctl.errors import VllmctlError
from vllmctl.request.atomic_write import write_atomically

_FILE = "models.json"
_MOST = 50


def remembered_models(env: Environment) -> list[str]:
    """Return the names, the latest first; never fails."""
    if env.cache_dir is None:
        return []
    try:
        names = json.loads((env.cache_dir / _FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def remember_models(names: Iterable[str], env: Environment) -> None:
    """Keep ``names`` for the next completion; any fault of it is no fault."""
    known = remembered_models(env)
    merged = list(dict.fromkeys([*names, *known]))[:_MOST]
    if env.cache_dir is None or merged == known:
        return
    try:
        write_atomically(env.cache_dir / _FILE, json.dumps(merged) + "\n", env)
    except VllmctlError:
        pass
