"""Runs a target for a while and keeps the first input that breaks it."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

from tools.fuzz.mutation import Mutator
from tools.fuzz.target import Target


class TooSlowError(Exception):
    """One input took longer than it may."""


class Report(NamedTuple):
    """How many inputs were tried in how many seconds; the slowest one, and what broke, if any."""

    tried: int
    seconds: float
    slowest: float
    slow: bytes
    broken: bytes | None = None
    fault: BaseException | None = None


def run(target: Target, *, seconds: float, count: int | None = None, seed: int = 0) -> Report:
    """Try the seeds, then mutations, until ``seconds`` or ``count`` are over or one breaks."""
    began = time.monotonic()
    tried, slowest, slow = 0, 0.0, b""
    for data in _inputs(target, seed):
        if time.monotonic() - began > seconds or tried == count:
            break
        start = time.monotonic()
        fault = try_one(target, data)
        tried += 1
        took = time.monotonic() - start
        if took > slowest:
            slowest, slow = took, data
        if fault is not None:
            return Report(tried, time.monotonic() - began, slowest, slow, data, fault)
    return Report(tried, time.monotonic() - began, slowest, slow)


def try_one(target: Target, data: bytes) -> BaseException | None:
    """Return what ``data`` breaks, if anything."""
    try:
        with _limit(target.seconds):
            target.try_one(data)
    except KeyboardInterrupt:
        raise
    except BaseException as fault:  # a target may raise anything at all
        return fault
    return None


def _inputs(target: Target, seed: int) -> Iterator[bytes]:
    yield from target.seeds
    mutator = Mutator(target.seeds, target.words, seed)
    while True:
        yield mutator.next()


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
