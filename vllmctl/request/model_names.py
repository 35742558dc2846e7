"""The names of models that servers told of lately, for completion; nobody is asked."""

from collections.abc import Iterable
from typing import Any

from vllmctl.env import Environment
from vllmctl.request.cache_file import CacheFile

_FILE = "models.json"
_MOST = 50


def remembered_models(env: Environment) -> list[str]:
    """Return the names, the latest first; never fails."""
    return _names(CacheFile(_FILE, env).read())


def remember_models(names: Iterable[str], env: Environment) -> None:
    """Keep ``names`` for the next completion; any fault of it is no fault."""
    file, latest = CacheFile(_FILE, env), list(names)
    known = file.read()
    if _merged(latest, known) != _names(known):
        file.update(lambda known: _merged(latest, known))


def _merged(latest: list[str], known: Any) -> list[str]:
    return list(dict.fromkeys([*latest, *_names(known)]))[:_MOST]


def _names(known: Any) -> list[str]:
    return [name for name in known if isinstance(name, str)] if isinstance(known, list) else []
