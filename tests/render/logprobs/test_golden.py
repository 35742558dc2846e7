"""Answers of a real server (vLLM 0.32.0), as they are shown at several widths.

A file that is missing is written and fails the test once: look at it before you keep it.
"""

import io
import json
from pathlib import Path

import pytest

from vllmctl.client.answer import Answer
from vllmctl.env import Environment
from vllmctl.render.logprobs import write_logprobs

GOLDEN = Path(__file__).parent.parent.parent / "golden" / "logprobs"
ANSWERS = ["characters", "completion_ids", "echo", "ids", "prompt", "weather"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(name: str, view: str, columns: int, *, colored: bool) -> str:
    whole = Answer()
    whole.take_whole(json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")), [])
    out = Terminal() if columns else io.StringIO()
    color = "always" if colored else "never"
    env = Environment(stderr=out, variables={"COLUMNS": str(columns)}, color=color)
    assert write_logprobs(whole, env, out, view, alternatives=2)
    return out.getvalue()


@pytest.mark.parametrize("colored", [False, True], ids=["plain", "color"])
@pytest.mark.parametrize("columns", [40, 80, 160])
def test_people_see_heat_and_table(columns: int, colored: bool) -> None:
    texts = [
        f"# {name} as {view}\n{shown(name, view, columns, colored=colored)}"
        for name in ANSWERS
        for view in ("heat", "table")
    ]
    matches(f"{columns}.{'color' if colored else 'plain'}.txt", "\n".join(texts))


def test_programs_read_values() -> None:
    texts = [f"# {name}\n{shown(name, 'tsv', 0, colored=False)}" for name in ANSWERS]
    matches("values.txt", "\n".join(texts))


def matches(name: str, text: str) -> None:
    file = GOLDEN / name
    if not file.exists():
        file.write_text(text, encoding="utf-8")
        pytest.fail(f"{name} was not there; it is now")
    assert text == file.read_text(encoding="utf-8")
