"""Measure vllmctl side by side with other programs in one run; print, write JSON, draw.

    python -m bench [--quick] [--rounds N] [--only PART]... [--json FILE] [--plot FILE]

Parts: startup, first-token, stream, growth, markdown, checks. Every program of a part runs once a
round, in random order; shown are medians, the spread (half the distance between the quartiles)
and the median of the ratios in the same round. Budgets are ratios, and only reported.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import markdown, peers, startup, streaming
from bench.budgets import judge
from bench.measure import by_turns, environment, least_rss, note
from bench.plot import picture
from bench.report import lines, write_json
from bench.results import Results, Table
from bench.server import ceiling, served

PARTS = ("startup", "first-token", "stream", "growth", "markdown", "checks")


def main() -> None:
    """Measure, print the tables, write the files."""
    options = _options()
    results = Results()
    with tempfile.TemporaryDirectory() as home, served() as url:
        _measure(results, options, home, url)
    verdicts = judge(results)
    print("\n".join(lines(results, verdicts)))
    write_json(results, verdicts, options.json)
    options.plot.parent.mkdir(parents=True, exist_ok=True)
    options.plot.write_text(picture(results), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="install no peers; 3 rounds")
    parser.add_argument("--rounds", type=int, help="default 15, with --quick 3")
    parser.add_argument("--only", action="append", choices=PARTS, help="may be repeated")
    parser.add_argument("--json", type=Path, default=Path("build/bench/bench.json"))
    parser.add_argument("--plot", type=Path, default=Path("build/bench/bench.svg"))
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 15)
    options.only = options.only or PARTS
    return options


def _measure(results: Results, options: argparse.Namespace, home: str, url: str) -> None:
    found = peers.installed(options.quick)
    peers.configure_llm(home, {"fast": f"{url}/{streaming.CHUNKS}", "slow": f"{url}/slow"})
    variables = environment(home)
    few = max(3, options.rounds // 2)
    plans = {
        "startup": (startup.programs(found), options.rounds),
        "first-token": (streaming.programs(url, None, found), options.rounds),
        "stream": (streaming.programs(url, streaming.CHUNKS, found), few),
        "growth": (streaming.growth(url), few),
    }
    for part, (programs, rounds) in plans.items():
        if part in options.only:
            note(f"\n{part} ")
            key, title, measure, base = TABLES[part]
            samples = by_turns(programs, variables, rounds)
            results.tables[key] = Table(title, measure, base, samples)
    if "markdown" in options.only:
        note("\nmarkdown ")
        key, title, measure, base = TABLES["markdown"]
        samples = markdown.measured(variables, few)
        results.tables[key] = Table(title, measure, base, samples)
    if "checks" in options.only:
        note("\nchecks")
        line = [sys.executable, "-m", "bench.checks", "--json"]
        results.checks = json.loads(subprocess.check_output(line))
    note("\n")
    results.machine = _machine(url)


TABLES = {
    "startup": ("start-up", "start-up: to the end", "wall", startup.BASE),
    "first-token": ("first token", "start to first token", "first", streaming.BASE),
    "stream": ("stream", f"{streaming.CHUNKS:,} chunks at once", "cpu", streaming.BASE),
    "growth": ("growth", "the same, by length", "cpu", streaming.BASE),
    "markdown": ("markdown", "Markdown to a terminal, tokens", "cpu", "plain"),
}
"""By part: its key in the results, its title, what matters, what is compared with."""


def _machine(url: str) -> dict[str, object]:
    ceiling(url, streaming.CHUNKS)
    return {
        "Python": platform.python_version(),
        "CPUs": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "server's ceiling in chunks/s": int(ceiling(url, 100_000)),
        "least MiB that can be seen": round(least_rss(), 1),
    }


if __name__ == "__main__":
    main()
