"""Small JSON files in the cache folder: what is good to know, and no loss when it is gone."""

from typing import Any

from jiter import from_json

from vllmctl.env import Environment
from vllmctl.errors import VllmctlError
from vllmctl.request.atomic_write import write_atomically


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

    def write(self, value: Any) -> None:
        """Keep ``value``, where that can be done."""
        if self._path is None:
            return
        import json

        try:
            write_atomically(self._path, json.dumps(value) + "\n", self._env)
        except VllmctlError:
            pass
