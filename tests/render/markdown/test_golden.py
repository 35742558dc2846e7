"""A whole answer as it stands on the terminal in the end, at several widths.

A file that is missing is written and fails the test once: look at it before you keep it.
"""

from pathlib import Path

import pytest

from tests.render.markdown.terminal import Recorder, Terminal
from vllmctl.render.markdown.document import Document
from vllmctl.render.markdown.styles import Painter

GOLDEN = Path(__file__).parent.parent.parent / "golden" / "markdown"


@pytest.mark.parametrize("colored", [False, True], ids=["plain", "color"])
@pytest.mark.parametrize("columns", [20, 40, 80, 160])
def test_answer_looks_as_it_should(columns: int, colored: bool) -> None:
    source = (GOLDEN / "answer.md").read_text(encoding="utf-8")
    terminal = Terminal(columns)
    recorder = Recorder(terminal)
    document = Document(recorder, Painter(colored))
    for place in range(0, len(source), 4):
        document.feed(source[place : place + 4])
        document.show()
    document.end()
    file = GOLDEN / f"answer.{columns}.{'color' if colored else 'plain'}.txt"
    matches(file, "\n".join(recorder.committed_rows) + "\n")


def matches(file: Path, text: str) -> None:
    if not file.exists():
        file.write_text(text, encoding="utf-8")
        pytest.fail(f"{file.name} was not there; it is now")
    assert text == file.read_text(encoding="utf-8")
