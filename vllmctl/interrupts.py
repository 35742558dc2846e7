"""Signals that end the program: quietly, with the exit code that a shell gives them.

Ctrl-C, a plain ``kill`` and a terminal that goes away raise ``Interrupted`` while a command
runs, so that what is open is closed and half-written files are removed. Before and after that,
and the second time, they end the process where it stands. A signal that whoever started us
wants ignored (``nohup``, a job in the background) stays ignored.
"""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """A signal asked the program to end; ``exit_code`` is 128 and the signal's number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def leave_at_once() -> None:
    """Let a signal end the process where it stands, without a word."""
    sys.unraisablehook = _unraisable
    _handle(_leave)


def raise_once() -> None:
    """Let the first signal raise ``Interrupted``, and the next one end the process."""
    _handle(_raise)


def _handle(handler: "signal._HANDLER") -> None:
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _raise(number: int, _frame: FrameType | None) -> "NoReturn":
    leave_at_once()
    raise Interrupted(number)


def _leave(number: int, _frame: FrameType | None) -> "NoReturn":
    os._exit(128 + number)


def _unraisable(fault: "sys.UnraisableHookArgs") -> None:
    """End the process where the interpreter would only print that it was interrupted."""
    if isinstance(fault.exc_value, KeyboardInterrupt):
        os._exit(getattr(fault.exc_value, "exit_code", 128 + signal.SIGINT))
    sys.__unraisablehook__(fault)
