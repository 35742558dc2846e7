"""The results for people, and as JSON for programs."""

import json
import statistics
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from bench.budgets import Verdict
from bench.results import Results, Table, spread

HEADINGS = {"wall": "wall ms", "cpu": "CPU ms", "first": "first ms", "rss": "MiB"}


def lines(results: Results, verdicts: list[Verdict]) -> Iterator[str]:
    """Yield the lines of the whole report."""
    yield ", ".join(f"{name} {value}" for name, value in results.machine.items())
    for key, table in results.tables.items():
        yield ""
        yield from _table(results, key, table)
    yield from _checks(results)
    yield ""
    yield f"{'budget':44}{'measured':>10}{'at most':>12}"
    for verdict in verdicts:
        shown = "-" if verdict.measured is None else f"{verdict.measured:.2f}"
        most = f"{verdict.most:g} {verdict.unit}"
        yield f"{verdict.what:44}{shown:>10}{most:>12}  {verdict.word}"


def write_json(results: Results, verdicts: list[Verdict], file: Path) -> None:
    """Write every sample, so that anybody can judge anew."""
    file.parent.mkdir(parents=True, exist_ok=True)
    budgets = [{**asdict(verdict), "verdict": verdict.word} for verdict in verdicts]
    file.write_text(json.dumps({**asdict(results), "budgets": budgets}, indent=1) + "\n")


def _table(results: Results, key: str, table: Table) -> Iterator[str]:
    measures = [table.measure, *(m for m in ("wall", "cpu") if m != table.measure), "rss"]
    heads = "".join(f"{HEADINGS[measure]:>10}" for measure in measures)
    yield f"{table.title:44}{heads}{'spread':>8}{'ratio':>9}  rounds"
    for name, samples in table.samples.items():
        if not samples:
            continue
        medians = "".join(f"{results.median(key, name, m) or 0:10.1f}" for m in measures)
        ratio = results.ratio(key, name, table.base_of(name), table.measure) or 0
        around = spread(results.values(key, name, table.measure))
        yield f"{name:44}{medians}{around:7.0f}%{ratio:9.2f}  {len(samples)}"


def _checks(results: Results) -> Iterator[str]:
    if results.checks:
        yield ""
        yield f"{'checks on one core':44}{'bodies/s':>10}{'spread':>8}"
    for name, rates in results.checks.items():
        yield f"{name:44}{statistics.median(rates):10,.0f}{spread(rates):7.0f}%"
