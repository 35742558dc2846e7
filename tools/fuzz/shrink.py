"""Makes an input that breaks a target smaller."""

import time

from tools.fuzz.runner import try_one
from tools.fuzz.target import Target


def shrunk(target: Target, data: bytes, fault: BaseException, seconds: float = 20) -> bytes:
    """Return the smallest input found in ``seconds`` that breaks ``target`` in the same way."""
    end = time.monotonic() + seconds
    step = len(data) // 2
    while step and time.monotonic() < end:
        at = 0
        while at < len(data) and time.monotonic() < end:
            smaller = data[:at] + data[at + step :]
            if type(try_one(target, smaller)) is type(fault):
                data = smaller
            else:
                at += step
        step //= 2
    return data
