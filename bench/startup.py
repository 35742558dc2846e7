"""How long vllmctl takes to start, side by side with HTTPie, in one run.

``python bench/startup.py [--rounds N] [--json FILE]``. Every command runs once a round, so
that noise of the machine meets all of them alike; the table shows medians. HTTPie is put into
a virtual environment of its own in the cache folder on the first run.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

VLLMCTL = str(Path(sys.executable).parent / "vllmctl")
HTTPIE = "http --offline, ten fields"
FIELDS = {
    "temperature": 0.2,
    "top_p": 0.9,
    "top_k": 20,
    "min_p": 0.05,
    "max_tokens": 64,
    "min_tokens": 2,
    "seed": 7,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.1,
    "repetition_penalty": 1.05,
}
"""The ten fields that the dry run and HTTPie's offline request carry."""


@dataclass(frozen=True, slots=True)
class Row:
    """Medians of one command in milliseconds; the ratio is that of its wall time to HTTPie's."""

    name: str
    wall_ms: float
    cpu_ms: float
    of_httpie: float


def commands(httpie: Path) -> dict[str, list[str]]:
    """Return the command lines by the name shown in the table."""
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in FIELDS.items()]
    pairs = [f"{name}:={value}" for name, value in FIELDS.items()]
    message = 'messages:=[{"role": "user", "content": "Hello"}]'
    url = "http://127.0.0.1:8000/v1/chat/completions"
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "vllmctl --version": [VLLMCTL, "--version"],
        "vllmctl --help": [VLLMCTL, "--help"],
        "vllmctl chat --help": [VLLMCTL, "chat", "--help"],
        "vllmctl chat --dry-run, ten flags": [VLLMCTL, "chat", "Hello", *flags, "--dry-run"],
        HTTPIE: [str(httpie), "--offline", "--ignore-stdin", "POST", url, message, *pairs],
    }


def installed_httpie() -> Path:
    """Return HTTPie's program, installed on the first call."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "vllmctl-bench" / "httpie"
    program = folder / "bin" / "http"
    if not program.exists():
        print(f"installing HTTPie into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([folder / "bin" / "pip", "install", "-q", "httpie"], check=True)
    return program


def run_rounds(lines: Mapping[str, list[str]], rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Run every command once a round; return (wall, CPU) times in milliseconds by name.

    The programs see an empty home, so that nobody's configuration is measured.
    """
    with tempfile.TemporaryDirectory() as home:
        variables = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        for line in lines.values():  # fills caches, and shows what does not work
            warm_up(line, variables)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in lines}
        for _ in range(rounds):
            for name, line in lines.items():
                times[name].append(measure(line, variables))
        return times


def warm_up(line: list[str], variables: Mapping[str, str]) -> None:
    """Run one command untimed; end the program with its words where it fails."""
    done = subprocess.run(
        line, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(line)} failed:\n{done.stderr}")


def measure(line: list[str], variables: Mapping[str, str]) -> tuple[float, float]:
    """Run one command with nothing on its streams; return wall and CPU time in milliseconds."""
    streams = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    started = time.perf_counter()
    pid = os.posix_spawn(line[0], line, variables, file_actions=streams)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - started
    if status:
        raise SystemExit(f"{' '.join(line)} failed, though not at first")
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def medians(times: Mapping[str, list[tuple[float, float]]]) -> list[Row]:
    """Return one row a command."""
    middle = {
        name: [statistics.median(column) for column in zip(*pairs, strict=True)]
        for name, pairs in times.items()
    }
    httpie = middle[HTTPIE][0]
    return [Row(name, wall, cpu, wall / httpie) for name, (wall, cpu) in middle.items()]


def show(rows: list[Row]) -> None:
    """Print the table."""
    print(f"{'command':36}{'wall ms':>9}{'CPU ms':>9}{'of http':>9}")
    for row in rows:
        print(f"{row.name:36}{row.wall_ms:9.1f}{row.cpu_ms:9.1f}{row.of_httpie:9.2f}")


def write(rows: list[Row], rounds: int, file: Path) -> None:
    """Write the figures with what they were measured on."""
    file.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "rounds": rounds}
    file.write_text(json.dumps({**machine, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")


def main() -> None:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description="Measure start-up side by side with HTTPie.")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--json", type=Path, default=Path("build/bench/startup.json"))
    arguments = parser.parse_args()
    rows = medians(run_rounds(commands(installed_httpie()), arguments.rounds))
    show(rows)
    write(rows, arguments.rounds, arguments.json)


if __name__ == "__main__":
    main()
