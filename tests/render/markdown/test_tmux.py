"""The same on a real terminal: what tmux shows and keeps in its history in the end."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.render.markdown.terminal import committed
from tests.render.tmux import IS_THERE, Pane, pane

pytestmark = pytest.mark.skipif(not IS_THERE, reason="needs tmux")

SOURCE = (Path(__file__).parents[2] / "golden/markdown.md").read_text(encoding="utf-8")
PROGRAM = """
import sys, time
from pathlib import Path
from vllmctl.client.answer import Answer
from vllmctl.client.events import Text
from vllmctl.env import Environment
from vllmctl.render.markdown import MarkdownWriter
source = Path("answer.md").read_text(encoding="utf-8")
writer = MarkdownWriter(Environment.of_process(), sys.stdout)
for place in range(0, len(source), 5):
    writer.take([Text(0, source[place:place + 5])])
    time.sleep(0.001)
writer.finish(Answer())
"""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Pane]:
    (tmp_path / "program.py").write_text(PROGRAM)
    with pane(tmp_path, 60, 20) as its:
        yield its


def show(shell: Pane, folder: Path, source: str) -> None:
    (folder / "answer.md").write_text(source, encoding="utf-8")
    shell.type("NO_COLOR=1 python program.py")


def without_doubt(rows: list[str]) -> list[str]:
    """Leave out the rows whose width terminals disagree about."""
    return [row.rstrip() for row in rows if "❤" not in row]


def test_screen_and_history_hold_every_row_once(shell: Pane, tmp_path: Path) -> None:
    show(shell, tmp_path, SOURCE)
    shell.wait()
    *shown, _ = shell.text().partition("python program.py\n")[2].split("\n")
    assert without_doubt(shown) == without_doubt(committed([SOURCE], 60))


def test_resize_in_the_middle_repeats_and_loses_no_word(shell: Pane, tmp_path: Path) -> None:
    paragraphs = [" ".join(f"**w{n}x{m}**" for m in range(30)) for n in range(12)]
    show(shell, tmp_path, "\n\n".join(paragraphs))
    for columns in (33, 90, 21, 60):
        shell.resize(columns, 20)
        time.sleep(0.1)
    shell.wait()
    words = re.findall(r"w\d+x\d+", shell.text().replace("\n", " "))
    assert words == [f"w{n}x{m}" for n in range(12) for m in range(30)]
