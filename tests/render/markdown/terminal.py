"""Markdown on a terminal without a screen: what is committed, and what a person would see."""

from collections.abc import Iterable

from tools.docs.screen import Screen as Terminal
from vllmctl.render.markdown.document import Document
from vllmctl.render.paint import Painter
from vllmctl.render.screen import Screen

__all__ = ["Recorder", "Terminal", "committed", "shown"]


class Recorder(Screen):
    """A screen that keeps what was committed."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(terminal, terminal.size)
        self.committed_rows: list[str] = []

    def commit(self, rows: list[str]) -> None:
        self.committed_rows += rows
        super().commit(rows)


def committed(pieces: Iterable[str], columns: int = 80, *, colored: bool = False) -> list[str]:
    """Return the rows that are committed for a text in pieces."""
    recorder = Recorder(Terminal(columns))
    document = Document(recorder, Painter(colored))
    for piece in pieces:
        document.feed(piece)
        document.show()
    document.end()
    return recorder.committed_rows


def shown(text: str, columns: int = 80) -> str:
    """Return what a person sees of a whole text, without colours."""
    return "\n".join(committed([text], columns))
