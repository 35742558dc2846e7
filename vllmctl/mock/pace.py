"""The speed at which answers come."""

from random import Random

from vllmctl.mock.options import MockOptions
from vllmctl.mock.wire import Wait


class Pace:
    """The waits of one answer."""

    def __init__(self, options: MockOptions) -> None:
        self._first = options.ttft
        self._between = 1 / options.tps if options.tps else 0.0
        self._jitter = options.jitter
        self._random = Random(options.seed)

    def first(self) -> list[Wait]:
        """The wait for the first token."""
        return self._wait(self._first)

    def between(self) -> list[Wait]:
        """The wait for each token after it."""
        return self._wait(self._between)

    def whole(self, tokens: int) -> list[Wait]:
        """The wait for an answer that comes in one piece."""
        return self._wait(self._first + self._between * max(0, tokens - 1))

    def _wait(self, seconds: float) -> list[Wait]:
        if not seconds:
            return []
        return [Wait(seconds * (1 + self._jitter * self._random.uniform(-1, 1)))]
