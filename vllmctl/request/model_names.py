"""The names of models that servers told of lately, for completion; nobody is asked."""

from collections.abc import Iterable

from vllmctl.env import Environment
from vllmctl.request.cache_file import CacheFile

_FILE = "models.json"
_MOST = 50


def remembered_models(env: Environment) -> list[str]:
    """Return the names, the latest first; never fails."""
    names = CacheFile(_FILE, env).read()
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def remember_models(names: Iterable[str], env: Environment) -> None:
    """Keep ``names`` for the next completion; any fault of it is no fault."""
    known = remembered_models(env)
    merged = list(dict.fromkeys([*names, *known]))[:_MOST]
    if merged != known:
        CacheFile(_FILE, env).write(merged)
