"""How long to wait, and what to say when that was too long."""

from time import monotonic

from vllmctl.client.server import Limits
from vllmctl.errors import TimedOutError

_KEYS = {"connect": "connect_timeout", "idle": "idle_timeout", "total": "timeout"}


class ConnectTimedOutError(TimedOutError):
    """No connection in time: nothing was sent, so that trying again is safe."""


class Patience:
    """The limits of one exchange, which begins when this is made."""

    def __init__(self, limits: Limits, url: str) -> None:
        self._limits = limits
        self._url = url
        self.began = monotonic()
        self._end = self.began + limits.total if limits.total else None
        self.is_limited = bool(limits.idle or limits.total)

    def to_connect(self) -> float | None:
        """Return the seconds left to connect, from now on; ``None`` is no limit."""
        return _smaller(self._limits.connect, self._left())

    def for_more(self) -> float | None:
        """Return the seconds to wait for the next bytes; ``None`` is no limit."""
        return _smaller(self._limits.idle, self._left())

    def has(self, seconds: float) -> bool:
        """Whether there is time for a pause of ``seconds``."""
        return self._end is None or monotonic() + seconds < self._end

    def ran_out_connecting(self) -> TimedOutError:
        """Return the fault that no connection came in time."""
        if self._limits.connect is None or self._is_over():
            return self._total()
        return ConnectTimedOutError(
            f"no connection to {self._url} within {self._limits.connect:g} s"
            f"{self._source('connect')}",
            "is the address right and reachable from here? --connect-timeout changes the limit",
        )

    def ran_out(self) -> TimedOutError:
        """Return the fault that the server was silent for too long."""
        if self._limits.idle is None or self._is_over():
            return self._total()
        return TimedOutError(
            f"{self._url} sent nothing for {self._limits.idle:g} s{self._source('idle')}",
            "a long prompt or a queue takes its time; --idle-timeout changes the limit, 0 is none",
        )

    def _left(self) -> float | None:
        return None if self._end is None else max(self._end - monotonic(), 0.001)

    def _is_over(self) -> bool:
        return self._end is not None and monotonic() >= self._end - 0.002

    def _total(self) -> TimedOutError:
        return TimedOutError(
            f"{self._url} did not finish within {self._limits.total:g} s{self._source('total')}",
            "--timeout changes the limit, 0 is none; or ask for fewer tokens",
        )

    def _source(self, limit: str) -> str:
        key = _KEYS[limit]
        return f" ({self._limits.sources.get(key, f'default {key}')})"


def _smaller(one: float | None, other: float | None) -> float | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)
