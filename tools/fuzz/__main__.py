"""``python -m tools.fuzz [--seconds N] [--seed N] [--engine own|atheris] TARGET…``."""

import argparse
import sys
from pathlib import Path
from traceback import format_exception

from tools.fuzz.runner import Report, run, try_one
from tools.fuzz.shrink import shrunk
from tools.fuzz.target import Target
from tools.fuzz.targets import TARGETS

_WORTH_A_LOOK = 1.0
"""Seconds after which an input is kept, although nothing broke."""


def main() -> int:
    """Run the named fuzzers one after the other; 1 when one of them found something."""
    asked = _arguments()
    if asked.input:
        return _retry(asked.names[0], Path(asked.input))
    if asked.engine == "atheris":
        from tools.fuzz.guided import run_guided

        return run_guided(asked.names[0], asked.seconds, asked.seed)
    return max(_fuzz(name, asked.seconds, asked.seed) for name in asked.names or TARGETS)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=float, default=60, help="for each target (60)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same inputs (0)")
    parser.add_argument("--engine", choices=("own", "atheris"), default="own")
    parser.add_argument("--input", help="try the bytes of this file again, and nothing else")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in TARGETS]
    if unknown or ((asked.input or asked.engine == "atheris") and len(asked.names) != 1):
        parser.error(f"no target {unknown[0]}" if unknown else "name one target")
    return asked


def _fuzz(name: str, seconds: float, seed: int) -> int:
    report = run(TARGETS[name], seconds=seconds, seed=seed)
    print(
        f"{name}: {report.tried} inputs in {report.seconds:.1f} s, "
        f"the slowest took {report.slowest:.3f} s",
        flush=True,
    )
    if report.slowest > _WORTH_A_LOOK:
        Path(f"slow-{name}.bin").write_bytes(report.slow)
    return _tell(name, TARGETS[name], report)


def _tell(name: str, target: Target, report: Report) -> int:
    if report.fault is None or report.broken is None:
        return 0
    data = shrunk(target, report.broken, report.fault)
    fault = try_one(target, data) or report.fault
    kept = Path(f"fuzz-{name}.bin")
    kept.write_bytes(data)
    print("".join(format_exception(fault)[-12:]), file=sys.stderr)
    print(f"{name}: broken by {data[:300]!r}, kept in {kept}", file=sys.stderr)
    return 1


def _retry(name: str, path: Path) -> int:
    fault = try_one(TARGETS[name], path.read_bytes())
    print("".join(format_exception(fault)) if fault else f"{name} takes it")
    return int(fault is not None)


if __name__ == "__main__":
    sys.exit(main())
