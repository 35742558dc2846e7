"""What Markdown on a terminal costs: CPU of a whole process, against the plain writer.

    python bench/markdown.py [--tokens 4000,8000] [--rounds 7] [--rich]

Every program takes the same answer token by token and writes it to a terminal of 100 columns
that is read as fast as it comes. Every program runs once a round, in random order; shown are
medians of CPU (user and system), of the ratio to the plain writer and of the growth from one
length to the next in the same round. ``--rich`` adds a live display that renders everything
anew ten times a second (at 100 tokens a second), for 1,000 tokens only.
"""

import argparse
import fcntl
import os
import pty
import random
import statistics
import struct
import sys
import termios
import threading
from pathlib import Path

PROJECT = Path(__file__).parent.parent
ANSWER = PROJECT / "tests/golden/markdown/answer.md"
PROGRAMS = {
    "plain": """
from vllmctl.render.writer import TextWriter as Writer
write(Writer)
""",
    "markdown": """
from vllmctl.render.markdown import MarkdownWriter as Writer
write(Writer)
""",
    "rich": """
from rich.live import Live
from rich.markdown import Markdown
with Live(auto_refresh=False) as live:
    for number in range(10, len(tokens) + 1, 10):
        live.update(Markdown("".join(tokens[:number])), refresh=True)
""",
}
BEGINNING = """
import re, sys
source, count = open(sys.argv[1], encoding="utf-8").read(), int(sys.argv[2])
once = re.findall(r"\\n+|  +| ?\\w{1,6}| ?[^\\w\\n]", source)
tokens = (once * (count // len(once) + 1))[:count]

def write(kind):
    from vllmctl.client.answer import Answer
    from vllmctl.client.events import Text
    from vllmctl.env import Environment
    writer = kind(Environment.of_process(), sys.stdout)
    for token in tokens:
        writer.take([Text(0, token)])
    writer.finish(Answer())
"""
SIZE = (30, 100)
RICH_TOKENS = 1000


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", default="4000,8000")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rich", action="store_true")
    options = parser.parse_args()
    lengths = [int(length) for length in options.tokens.split(",")]
    runs = [(name, length) for name in ("plain", "markdown") for length in lengths]
    runs += [("plain", RICH_TOKENS), ("rich", RICH_TOKENS)] if options.rich else []
    report(measured(runs, options.rounds), lengths)


def measured(runs: list[tuple[str, int]], rounds: int) -> dict[tuple[str, int], list[float]]:
    """Return the CPU of every run in milliseconds, round by round."""
    costs: dict[tuple[str, int], list[float]] = {run: [] for run in runs}
    for _ in range(rounds):
        for run in random.sample(runs, len(runs)):
            costs[run].append(cost(*run))
    return costs


def cost(name: str, length: int) -> float:
    """Run a program on a terminal of its own and return its CPU in milliseconds."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    reader = threading.Thread(target=drain, args=(outer,))
    reader.start()
    program = BEGINNING + PROGRAMS[name]
    line = [sys.executable, "-c", program, str(ANSWER), str(length)]
    variables = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(PROJECT)}
    actions = [(os.POSIX_SPAWN_DUP2, inner, 1), (os.POSIX_SPAWN_CLOSE, outer)]
    pid = os.posix_spawn(sys.executable, line, variables, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    os.close(inner)
    reader.join()
    os.close(outer)
    if status:
        raise SystemExit(f"{name} failed")
    return (usage.ru_utime + usage.ru_stime) * 1000


def drain(terminal: int) -> None:
    """Read what comes until the other side is closed."""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass


def report(costs: dict[tuple[str, int], list[float]], lengths: list[int]) -> None:
    """Print medians, ratios to plain and growth."""
    print(f"{'writer':10}{'tokens':>8}{'CPU ms':>9}{'of plain':>10}{'growth':>8}")
    for (name, length), times in costs.items():
        base = costs["plain", length]
        of_plain = statistics.median(map(float.__truediv__, times, base))
        shorter = max((n for n in lengths if n < length), default=0)
        before = costs.get((name, shorter))
        growth = statistics.median(map(float.__truediv__, times, before)) if before else 0.0
        shown = f"{growth:8.2f}" if before else ""
        print(f"{name:10}{length:8}{statistics.median(times):9.1f}{of_plain:10.2f}{shown}")


if __name__ == "__main__":
    main()
