"""The same on a real terminal: what tmux shows and keeps in its history in the end."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.render.markdown.terminal import committed

if shutil.which("tmux") is None:
    pytest.skip("needs tmux", allow_module_level=True)

SOURCE = (Path(__file__).parents[2] / "golden/markdown.md").read_text(encoding="utf-8")
PROGRAM = """
import sys, time
from pathlib import Path
from vllmctl.client.answer import Answer
from vllmctl.client.events import Text
from vllmctl.env import Environment
from vllmctl.render.markdown import MarkdownWriter
source, pause, done = Path(sys.argv[1]).read_text(), float(sys.argv[2]), Path(sys.argv[3])
writer = MarkdownWriter(Environment.of_process(), sys.stdout)
for place in range(0, len(source), 5):
    writer.take([Text(0, source[place:place + 5])])
    time.sleep(pause)
writer.finish(Answer())
done.touch()
time.sleep(60)
"""


class Session:
    """A tmux server of its own with one window."""

    def __init__(self, folder: Path, columns: int, lines: int) -> None:
        self._folder = folder
        self._size = ("-x", str(columns), "-y", str(lines))

    def start(self, source: str, pause: float) -> None:
        names = ("program.py", "answer.md", "done")
        program, answer, self._done = (self._folder / name for name in names)
        program.write_text(PROGRAM)
        answer.write_text(source, encoding="utf-8")
        command = [sys.executable, str(program), str(answer), str(pause), str(self._done)]
        self("-f", os.devnull, "new-session", "-d", *self._size, *command)

    def __call__(self, *arguments: str) -> str:
        project = Path(__file__).parents[3]
        variables = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "PYTHONPATH": str(project),
        }
        line = ["tmux", "-u", "-S", str(self._folder / "socket"), *arguments]
        done = subprocess.run(line, env=variables, capture_output=True, text=True, check=True)
        return done.stdout

    def wait(self) -> None:
        for _ in range(300):
            if self._done.exists():
                return
            time.sleep(0.05)
        raise AssertionError("the program did not end: " + self.text())

    def text(self) -> str:
        """The screen and all that scrolled out of it; broken rows are joined."""
        return self("capture-pane", "-p", "-J", "-S", "-").rstrip("\n ")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    session = Session(tmp_path, 60, 20)
    yield session
    ended = ["tmux", "-S", tmp_path / "socket", "kill-server"]
    subprocess.run(ended, capture_output=True, check=False)


def without_doubt(text: str) -> str:
    """Leave out the rows whose width terminals disagree about, and spaces at the ends."""
    rows = [row.rstrip() for row in text.split("\n") if "❤" not in row]
    return "\n".join(rows).rstrip()


def test_screen_and_history_hold_every_row_once(session: Session) -> None:
    session.start(SOURCE, 0.001)
    session.wait()
    expected = "\n".join(committed([SOURCE], 60))
    assert without_doubt(session.text()) == without_doubt(expected)


def test_resize_in_the_middle_repeats_and_loses_no_word(session: Session) -> None:
    paragraphs = [" ".join(f"**w{n}x{m}**" for m in range(30)) for n in range(12)]
    session.start("\n\n".join(paragraphs), 0.001)
    for columns in (33, 90, 21, 60):
        session("resize-window", "-x", str(columns), "-y", "20")
        time.sleep(0.15)
    session.wait()
    words = re.findall(r"w\d+x\d+", session.text().replace("\n", " "))
    assert words == [f"w{n}x{m}" for n in range(12) for m in range(30)]
