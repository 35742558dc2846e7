"""What people see, at several widths, with and without colour.

``GOLDEN=update`` keeps what is shown now: look at the difference before you commit it.
"""

import io
import os

import pytest

from tests.render.golden_cases import CASES, GOLDEN, values
from tools.docs.screen import Screen
from vllmctl.env import Environment

WIDTHS = {"markdown": (20, 40, 80, 160)}
USUAL = (40, 80, 160)
SHOWN = [(name, columns) for name in CASES for columns in WIDTHS.get(name, USUAL)]


def matches(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("GOLDEN") == "update":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("look", ["plain", "color"])
@pytest.mark.parametrize(("name", "columns"), SHOWN)
def test_people_see(name: str, columns: int, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    screen = Screen(columns, lines=50)
    color = "always" if look == "color" else "never"
    CASES[name](Environment(None, screen, screen, {"COLUMNS": str(columns)}, color=color))
    shown = screen.painted if look == "color" else screen.text
    matches(f"{name}/{columns}.{look}", shown.rstrip("\n") + "\n")


@pytest.mark.parametrize("name", ["text", "markdown", "calls", "choices", "findings", "lint"])
def test_pipes_get(name: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    CASES[name](Environment(None, out, err, {"TERM": "xterm-256color", "COLUMNS": "40"}))
    parts = [
        f"--- {each} ---\n{stream.getvalue()}" for each, stream in (("out", out), ("err", err))
    ]
    matches(f"{name}/pipe", "\n".join(parts))


def test_programs_read_the_values_of_log_probabilities() -> None:
    out = io.StringIO()
    values(Environment(None, out, out, {}))
    matches("logprobs/values", out.getvalue())
