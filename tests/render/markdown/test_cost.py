"""What rendering costs grows with the text and no faster: counted in calls, not in seconds."""

import cProfile
from pathlib import Path

import pytest

from tests.render.markdown.terminal import Terminal
from vllmctl.render.markdown.document import Document
from vllmctl.render.paint import Painter
from vllmctl.render.screen import Screen

ANSWER = (Path(__file__).parents[2] / "golden/markdown.md").read_text(encoding="utf-8")
HALF = 1000
KINDS = {
    "answer": ANSWER * 4,
    "one paragraph": "word " * 5000,
    "one word": "x" * 20_000,
    "no end of emphasis": "a **b *c `d [e " * 2000,
    "pairs that hang together": "*a***b***c**" * 2000,
    "one list": "- item\n" * 4000,
    "deep quotation": "> " * 8000,
    "one table": "| a | b |\n|---|---|\n" + "| one | two |\n" * 2000,
    "one row": "| a " * 5000,
    "one line of code": "```\n" + "x = 1; " * 4000,
    "code": "```python\n" + "x = f(1)  # y\n" * 2000,
    "one link": "[text](" + "x" * 20_000,
    "Chinese": "没有空格的一段文字" * 2000,
}


class Quiet(Terminal):
    amount = 0

    def write(self, text: str) -> int:
        self.amount += len(text)
        return len(text)


@pytest.mark.parametrize("text", KINDS.values(), ids=KINDS)
def test_cost_is_linear(text: str) -> None:
    (few, less), (many, more) = cost(text, HALF), cost(text, 2 * HALF)
    assert many <= 2.2 * few
    assert more <= 2.2 * less + 2000


def cost(text: str, count: int) -> tuple[int, int]:
    """Return the calls made and the characters written for ``count`` tokens of 4 characters."""
    terminal = Quiet(60)
    document = Document(Screen(terminal, terminal.size), Painter(True))
    profile = cProfile.Profile()
    profile.enable()
    for place in range(0, 4 * count, 4):
        document.feed(text[place : place + 4])
        document.show()
    document.end()
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats()), terminal.amount
