"""Run a program once and tell what it cost; run many by turns, so that noise meets all alike."""

import os
import random
import resource
import sys
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

ROOMY = 1 << 20
"""Bytes of the pipe that a measured program writes to, so that it seldom waits for us."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of one program; times in milliseconds, memory (its peak) in MiB."""

    wall: float
    cpu: float
    first: float
    rss: float


@dataclass(frozen=True, slots=True)
class Program:
    """A command to measure.

    ``text`` is what it must print, if that is known; ``rounds`` bounds how often a slow one runs.
    """

    name: str
    argv: Sequence[str]
    text: bytes | None = None
    rounds: int = 1000


def environment(home: str) -> dict[str, str]:
    """Return the variables of an ordinary user with an empty home, whose modules stay compiled."""
    return {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "OPENAI_API_KEY": "none"}


def by_turns(
    programs: Sequence[Program], variables: Mapping[str, str], rounds: int
) -> dict[str, list[Sample]]:
    """Run every program once a round, in random order; return the samples by name.

    A first run, untimed, fills caches and ends the bench with the words of what does not work.
    """
    for program in programs:
        run(program, variables)
    samples: dict[str, list[Sample]] = {program.name: [] for program in programs}
    for number in range(rounds):
        due = [program for program in programs if number < program.rounds]
        for program in random.sample(due, len(due)):
            samples[program.name].append(run(program, variables))
        note(".")
    return samples


def run(program: Program, variables: Mapping[str, str]) -> Sample:
    """Run ``program`` with nothing on stdin and a pipe as stdout."""
    mine, its = os.pipe()
    _enlarge(mine)
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, its, 1)]
    start = time.perf_counter()
    pid = os.posix_spawnp(program.argv[0], list(program.argv), variables, file_actions=files)
    os.close(its)
    first, check = _read(mine)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if status:
        sys.exit(f"{program.name}: exit status {os.waitstatus_to_exitcode(status)}")
    if program.text is not None and check != zlib.crc32(program.text.rstrip()):
        sys.exit(f"{program.name}: printed something else than what was sent")
    cpu = usage.ru_utime + usage.ru_stime
    return Sample(wall * 1000, cpu * 1000, (first - start) * 1000, usage.ru_maxrss / 1024)


def least_rss() -> float:
    """Return the MiB below which no child's memory can be seen: a child begins as its parent."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def rate(work: Callable[[], object], rounds: int = 7, times: int = 300) -> list[float]:
    """Return how often ``work`` is done in a second of one core, round by round."""
    work()
    rates = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            work()
        rates.append(times / (time.process_time() - start))
    return rates


def note(text: str) -> None:
    """Show on stderr that something goes on."""
    sys.stderr.write(text)
    sys.stderr.flush()


def _enlarge(pipe: int) -> None:
    try:
        from fcntl import F_SETPIPE_SZ, fcntl

        fcntl(pipe, F_SETPIPE_SZ, ROOMY)
    except (ImportError, OSError):
        pass


def _read(pipe: int) -> tuple[float, int]:
    """Read to the end; return when the first bytes came, and the checksum without end space.

    Nothing is kept, so that the memory of this process stays below that of its children.
    """
    data = os.read(pipe, ROOMY)
    first = time.perf_counter()
    check, held = 0, b""
    while data:
        data = held + data
        kept = data.rstrip()
        check, held = zlib.crc32(kept, check), data[len(kept) :]
        data = os.read(pipe, ROOMY)
    os.close(pipe)
    return first, check
