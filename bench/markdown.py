"""What Markdown on a terminal costs: CPU of a whole process, against the plain writer.

Every program takes the same answer token by token and writes it to a terminal of 100 columns
that is read as fast as it comes. ``columns`` shows it twice, side by side. ``rich`` is a live
display that renders everything anew ten times a second (at 100 tokens a second).
"""

import fcntl
import os
import pty
import random
import struct
import sys
import termios
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from bench.measure import Sample, note

PROJECT = Path(__file__).parent.parent
ANSWER = PROJECT / "tests/golden/markdown.md"
PROGRAMS = {
    "plain": """
from vllmctl.render.writer import TextWriter as Writer
write(Writer)
""",
    "markdown": """
from vllmctl.render.markdown import MarkdownWriter as Writer
write(Writer)
""",
    "columns": """
from functools import partial
from vllmctl.render.columns import SideBySideWriter
write(partial(SideBySideWriter, choices=2), choices=2)
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

def write(kind, choices=1):
    from vllmctl.client.answer import Answer
    from vllmctl.client.events import Text
    from vllmctl.env import Environment
    writer = kind(Environment.of_process(), sys.stdout)
    for token in tokens:
        writer.take([Text(choice, token) for choice in range(choices)])
    writer.finish(Answer())
"""
SIZE = (30, 100)
RUNS = (
    ("plain", 4000),
    ("markdown", 4000),
    ("columns", 4000),
    ("plain", 8000),
    ("markdown", 8000),
    ("columns", 8000),
    ("plain", 1000),
    ("rich", 1000),
)
"""Writer and length; each is compared with the plain writer before it."""


def measured(variables: Mapping[str, str], rounds: int) -> dict[str, list[Sample]]:
    """Run every program once a round, in random order; return the samples by name."""
    samples: dict[str, list[Sample]] = {f"{name} {length:,}": [] for name, length in RUNS}
    for name, length in RUNS:
        cost(name, length, variables)
    for _ in range(rounds):
        for name, length in random.sample(RUNS, len(RUNS)):
            samples[f"{name} {length:,}"].append(cost(name, length, variables))
        note(".")
    return samples


def cost(name: str, length: int, variables: Mapping[str, str]) -> Sample:
    """Run a program on a terminal of its own."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    reader = threading.Thread(target=drain, args=(outer,))
    reader.start()
    program = BEGINNING + PROGRAMS[name]
    line = [sys.executable, "-c", program, str(ANSWER), str(length)]
    its = {**variables, "TERM": "xterm-256color", "PYTHONPATH": str(PROJECT)}
    actions = [(os.POSIX_SPAWN_DUP2, inner, 1), (os.POSIX_SPAWN_CLOSE, outer)]
    start = time.perf_counter()
    pid = os.posix_spawn(sys.executable, line, its, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    os.close(inner)
    reader.join()
    os.close(outer)
    if status:
        raise SystemExit(f"{name} failed")
    cpu = usage.ru_utime + usage.ru_stime
    return Sample(wall * 1000, cpu * 1000, 0.0, usage.ru_maxrss / 1024)


def drain(terminal: int) -> None:
    """Read what comes until the other side is closed."""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
