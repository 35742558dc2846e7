"""What one server told of itself, beyond the release that it runs."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from vllmctl.record import Record, field


class Refusal(NamedTuple):
    """That a server refused what a rule speaks of, in its own words, at a time (Unix time).

    ``limit`` is the number that it named, if any. ``is_current`` tells that the process
    which said so still runs: it cannot have been given another flag since.
    """

    words: str
    at: float
    limit: int | None = None
    is_current: bool = False


class Served(Record, eq=False):
    """A server's own facts: they go where those of its release are too general.

    ``document`` is its ``/openapi.json``, which says what paths there are; with
    ``decides`` it says what fields there are, too, because no release does. ``refused``
    holds, by rule id, what the server refused for want of a flag.
    """

    url: str
    document: Mapping[str, Any] | None = None
    decides: bool = False
    models: tuple[str, ...] = ()
    max_model_len: int | None = None
    refused: Mapping[str, Refusal] = field(factory=dict)

    def has(self, path: str) -> bool:
        """Whether the server has a path, as far as it tells."""
        paths = self.document.get("paths") if self.document else None
        return not isinstance(paths, Mapping) or not paths or path in paths
