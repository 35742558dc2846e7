"""Running a page's commands as a reader would: one after the other, in one shell.

The shell starts in an empty folder with an empty home, and talks to the built-in mock. What
a reader has and a test has not is stood in for: the server on this machine by the mock, the
port that a mock is started on by a free one.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from tools.docs.blocks import Block
from tools.docs.terminal import seen

SERVER = "http://localhost:8000"
"""The reader's server in the pages' commands."""
PORT = "8001"
"""The port on which the pages start a mock."""
HOME = "~"
PROGRAMS = ("curl", "git", "jq")
"""Programs of others that pages use, and that a machine may lack."""

_NOTHING = ":"
_END = "\x1e"
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_PRIVATE = re.compile(r"VLLM.*|OPENAI_.*|XDG_.*|.*_PROXY|.*_proxy|NO_COLOR|FORCE_COLOR|COLUMNS")
_STEP = """
( exit $code )
. {script} </dev/null
code=$?
printf '{end}%s{end}' $code
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left: all that it wrote, as a terminal would show it, and its code."""

    output: str
    code: int


class Folder:
    """A reader's home with a folder to work in."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._count = 0
        self.home = root / "you"
        self.work = self.home / "work"
        self._port = str(_free_port())
        self.work.mkdir(parents=True)
        if which("git"):
            _start_repository(self.work, self._environment())

    def file_step(self, name: str, lines: Sequence[str]) -> str:
        """Return the command that puts a file into the folder, or below ``~/``."""
        source = self._kept("\n".join(lines) + "\n")
        target = self.home / name[2:] if name.startswith("~/") else self.work / name
        return f"mkdir -p '{target.parent}' && cp '{source}' '{target}'"

    def run(self, commands: Sequence[str]) -> list[Outcome]:
        """Run ``commands`` in one shell; what stands in for something is told as on the page."""
        script = "code=0\n" + "".join(map(self._step, commands)) + "kill $(jobs -p) 2>/dev/null\n"
        shell = ["bash", "--noprofile", "--norc", "-c", script]
        parts = seen(shell, self.work, self._environment()).split(_END)
        return [
            Outcome(self._as_on_page(output), int(code))
            for output, code in zip(parts[::2], parts[1::2], strict=False)
        ]

    def _step(self, command: str) -> str:
        command = command.replace(SERVER, "mock:").replace(PORT, self._port)
        return _STEP.format(script=f"'{self._kept(command)}'", end=_END)

    def _kept(self, text: str) -> Path:
        """A file outside the reader's folders."""
        self._count += 1
        path = self._root / str(self._count)
        path.write_text(text, encoding="utf-8")
        return path

    def _as_on_page(self, output: str) -> str:
        plain = _COLOR.sub("", output)  # some programs colour whatever is said to them
        return plain.replace(str(self.home), HOME).replace(self._port, PORT)

    def _environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not _PRIVATE.fullmatch(name)}
        tools = os.pathsep.join([str(Path(sys.executable).parent), own.get("PATH", os.defpath)])
        return own | {
            "PATH": tools,
            "HOME": str(self.home),
            "VLLMCTL_BASE_URL": "mock:",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }


@contextmanager
def empty_folder() -> Iterator[Folder]:
    """Give a folder of a new reader, and take it away again."""
    with tempfile.TemporaryDirectory() as root:
        yield Folder(Path(root))


Ran = tuple[Block, list[Outcome | None]]
"""A block and what its commands left; ``None`` for one that needs what this machine lacks."""


def run_page(found: Sequence[Block], folder: Folder) -> list[Ran]:
    """Write the files of a page, run its blocks, and return what each block left."""
    commands = [
        [folder.file_step(block.title, block.lines)] if block.title else _commands(block)
        for block in found
    ]
    outcomes = iter(folder.run([command for each in commands for command in each]))
    ran: list[Ran] = []
    for block, each in zip(found, commands, strict=True):
        left = [(command, next(outcomes)) for command in each]
        ran.append((block, [None if command == _NOTHING else end for command, end in left]))
    return [(block, ends) for block, ends in ran if block.is_run]


def lacking(command: str) -> list[str]:
    """Return the programs that ``command`` names and this machine does not have."""
    return [each for each in PROGRAMS if re.search(rf"\b{each}\b", command) and not which(each)]


def _commands(block: Block) -> list[str]:
    steps = block.steps if block.is_run else []
    return [_NOTHING if lacking(step.command) else step.command for step in steps]


def _start_repository(folder: Path, variables: dict[str, str]) -> None:
    """A repository with a change in it, for commands such as ``git diff``."""
    notes = folder / "notes.md"
    notes.write_text("# Notes\n\nWater boils at 100 degrees.\n", encoding="utf-8")
    identity = ["-c", "user.name=You", "-c", "user.email=you@example.com"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "Start"]):
        subprocess.run(["git", *words], cwd=folder, env=variables, check=True)
    notes.write_text("# Notes\n\nAt sea level, water boils at 100 degrees.\n", encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
