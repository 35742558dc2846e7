"""The budgets: ratios within one run. They are reported, not asserted: machines are noisy."""

from collections.abc import Callable
from dataclasses import dataclass

from bench import startup, streaming
from bench.results import Results

SHORT, MIDDLE, LONG = streaming.LENGTHS


@dataclass(frozen=True, slots=True)
class Budget:
    """What is judged, how it is read from the results, and what it may be at most."""

    what: str
    figure: Callable[[Results], float | None]
    most: float
    unit: str = "times"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A budget with what was measured; ``None`` when what it compares with was not there."""

    what: str
    measured: float | None
    most: float
    unit: str

    @property
    def word(self) -> str:
        """Say how it stands."""
        if self.measured is None:
            return "not measured"
        return "kept" if self.measured <= self.most else "MISSED"


def judge(results: Results) -> list[Verdict]:
    """Hold the results against every budget."""
    return [Verdict(b.what, b.figure(results), b.most, b.unit) for b in BUDGETS]


def _startup(name: str, base: str = startup.BASE) -> Callable[[Results], float | None]:
    return lambda results: results.ratio("start-up", name, base, "wall")


def _linear(results: Results) -> float | None:
    """Return how much dearer a chunk of the second half is than one of the first."""
    cpu = [results.median("growth", f"{streaming.OURS} {n:,}", "cpu") for n in streaming.LENGTHS]
    if None in cpu:
        return None
    short, middle, long = (value or 0 for value in cpu)
    return (long - middle) / (LONG - MIDDLE) / ((middle - short) / (MIDDLE - SHORT))


BUDGETS = (
    Budget("validated dry run, 10 flags, of python", _startup(startup.DRY_RUN), 6),
    Budget("validated dry run, of http --offline", _startup(startup.DRY_RUN, startup.HTTPIE), 0.4),
    Budget("--version, of python", _startup("vllmctl --version"), 3),
    Budget("TAB completion, of python", _startup("vllmctl TAB: chat --temper"), 4),
    Budget("--help, of python", _startup("vllmctl --help"), 6),
    Budget("chat --help, of python", _startup("vllmctl chat --help"), 8),
    Budget(
        "start to first token, of curl",
        lambda r: r.ratio("first token", streaming.OURS, streaming.BASE, "first"),
        12,
    ),
    Budget(
        f"CPU for {streaming.CHUNKS:,} chunks, of curl",
        lambda r: r.ratio("stream", streaming.OURS, streaming.BASE, "cpu"),
        10,
    ),
    Budget(f"a chunk's CPU after {MIDDLE:,}, of one before", _linear, 1.25),
    Budget(
        f"memory at {LONG:,} chunks, piped",
        lambda r: r.median("growth", f"{streaming.OURS} {LONG:,}", "rss"),
        30,
        "MiB",
    ),
    Budget(
        "Markdown CPU, 8,000 tokens of 4,000",
        lambda r: r.ratio("markdown", "markdown 8,000", "markdown 4,000", "cpu"),
        2.2,
    ),
    Budget(
        "choices side by side, CPU, 8,000 tokens of 4,000",
        lambda r: r.ratio("markdown", "columns 8,000", "columns 4,000", "cpu"),
        2.2,
    ),
)
