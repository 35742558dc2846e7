"""Signals for a program that goes on, and ends in order."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

from vllmctl.interrupts import Interrupted


class Brake:
    """While it is held, Ctrl-C stops what is ``stoppable``, once.

    Pressed again, or at any other time, it does nothing. A signal that whoever started us
    wants ignored stays ignored.
    """

    def __init__(self) -> None:
        self._stops = False
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._before)

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Let Ctrl-C raise ``Interrupted``."""
        self._stops = True
        try:
            yield
        finally:
            self._stops = False

    def _press(self, number: int, _frame: FrameType | None) -> None:
        if self._stops:
            self._stops = False
            raise Interrupted(number)


class Deferred:
    """While it is held, a signal that would end the program calls ``end``, and is raised after.

    So what runs within can end in order; ``check`` is for what has only just begun to run.
    """

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end
        self._number = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.getsignal(number)
            if self._before[number] is not signal.SIG_IGN:
                signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._number:
            raise Interrupted(self._number)

    def check(self) -> None:
        """Call ``end`` if a signal came already."""
        if self._number:
            self._end()

    def _take(self, number: int, _frame: FrameType | None) -> None:
        self._number = number
        self._end()
