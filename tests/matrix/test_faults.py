"""Every fault with chat and complete, streaming or not, in every format.

The code is right, what arrived is shown once, nothing hangs, nothing stays open, and the key is
nowhere. ``tests/data/hostile/faults.toml`` has what is expected.
"""

import threading
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.hostile.processes import finished
from tests.matrix.faults import KEY, REPLY, arguments, faults, server, ways
from tests.matrix.shown import fits, text_in
from vllmctl.mock.faults import KINDS

PATIENCE = 10.0
"""Seconds that one run may take on a machine with much else to do."""


def test_every_kind_of_fault_is_in_the_table():
    assert {fault.kind for fault in faults()} == set(KINDS)


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
def test_a_fault_ends_as_it_should_every_way(vllmctl, monkeypatch, fault):
    monkeypatch.setenv("VLLMCTL_API_KEY", KEY)
    with server(fault) as it:
        before = _open()
        for command, streams, format in ways():
            began = time.monotonic()
            done = vllmctl(*arguments(fault, it.url, command, streams=streams, format=format))
            took = time.monotonic() - began
            _check(done, fault.expected(streams=streams), format, (command, streams, format))
            assert took < PATIENCE
        assert _open_soon(before) <= before


def _check(done, expected, format, way):
    told = (way, done.out[-500:], done.err)
    assert done.code == expected.code, told
    assert fits(text_in(done.out, format), expected), told
    assert expected.says in done.err, told
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == (expected.code != 0), told
    assert "Traceback" not in done.err, told
    assert "unexpected" not in done.err, told
    assert KEY not in done.out + done.err, told


def _open() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) + threading.active_count()


def _open_soon(wanted: int) -> int:
    """Open files and threads, once the server has had the time to close its ends."""
    end = time.monotonic() + 5
    while _open() > wanted and time.monotonic() < end:
        time.sleep(0.02)
    return _open()


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
def test_a_fault_of_the_embedded_mock_ends_alike(vllmctl, fault):
    if fault.kind == "slow-headers":
        return  # there is no head without a connection
    for command in ("chat", "complete"):
        for streams in (True, False):
            url = f"mock:?reply={quote(REPLY)}&reasoning=&fault={quote(fault.name)}&seed=1"
            done = vllmctl(*arguments(fault, url, command, streams=streams, format="text"))
            _check(done, fault.expected(streams=streams), "text", (command, streams))


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
def test_a_fault_ends_alike_in_a_process_of_its_own(fault):
    with server(fault) as it:
        command = arguments(fault, it.url, "chat", streams=True, format="text")
        done = finished(*command, VLLMCTL_API_KEY=KEY)
    _check(done, fault.stream, "text", ("process",))
