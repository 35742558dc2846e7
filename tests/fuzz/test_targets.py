"""Every fuzzer for a moment, with the same inputs each time; the tool runs them for longer."""

from traceback import format_exception

import pytest

from tools.fuzz.runner import run, try_one
from tools.fuzz.shrink import shrunk
from tools.fuzz.target import Target
from tools.fuzz.targets import TARGETS

SECONDS = 0.4
MOST = 400


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_breaks(name):
    report = run(TARGETS[name], seconds=SECONDS, count=MOST)
    told = "".join(format_exception(report.fault)) if report.fault else ""
    assert report.fault is None, f"{told}\n{report.broken!r}"
    assert report.tried > len(TARGETS[name].seeds)


def test_a_fault_is_found_and_made_small():
    def breaks(data: bytes) -> None:
        assert b'"choices"' not in data

    target = Target(breaks, (b'{"id": 1, "choice": [1, 2, 3]}', b"x"), (b'"choices"',))
    report = run(target, seconds=20)
    assert isinstance(report.fault, AssertionError)
    assert shrunk(target, report.broken or b"", report.fault) == b'"choices"'


def test_a_hang_is_found():
    def hangs(data: bytes) -> None:
        while data:
            pass

    fault = try_one(Target(hangs, (), seconds=0.05), b"x")
    assert "more than 0.05 s" in str(fault)
