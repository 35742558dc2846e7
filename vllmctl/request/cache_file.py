"""Small JSON files in the cache folder: what is good to know, and no loss when it is gone."""

from collections.abc import Callable
from typing import Any

from jiter import from_json

from vllmctl.env import Environment
from vllmctl.errors import VllmctlError
from vllmctl.request.atomic_write import write_atomically
from vllmctl.request.lock import locked


class CacheFile:
    """One such file; any fault of it is no fault. Nothing secret goes into it."""

    def __init__(self, name: str, env: Environment) -> None:
        self._env = env
        self._path = env.cache_dir / name if env.cache_dir else None

    def read(self) -> Any:
        """Return the value that is kept, or ``None``."""
        try:
            return from_json(self._path.read_bytes()) if self._path else None
        except (OSError, ValueError):
            return None

    def read_object(self) -> dict[str, Any]:
        """Return the object that is kept, or an empty one."""
        value = self.read()
        return value if isinstance(value, dict) else {}

    def update(self, change: Callable[[Any], Any]) -> None:
        """Keep what ``change`` makes of the value, where that can be done.

        No other run of the program comes between.
        """
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self._path.parent):
                self._write(change(self.read()))
        except (OSError, VllmctlError):
            pass

    def update_object(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Do as ``update``; a value that is no object counts as an empty one."""
        self.update(lambda value: change(value if isinstance(value, dict) else {}))

    def _write(self, value: Any) -> None:
        import json

        assert self._path is not None
        write_atomically(self._path, json.dumps(value) + "\n", self._env)
