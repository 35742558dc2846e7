"""A session on a real terminal, as it is recorded: tmux shows it and keeps it in its history.

``GOLDEN=update`` records it anew.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.client.servers import serving, stream_head
from tests.render.test_golden import matches
from tests.render.tmux import IS_THERE, Pane, pane

pytestmark = pytest.mark.skipif(not IS_THERE, reason="needs tmux")

ANSWER = """## Two ways

| way | tokens | good for |
|---|--:|---|
| greedy | 128 | tests |
| **sampling** | 256 | prose and 诗歌 |

```python
def answer() -> int:
    return 42
```

1. Take the `first` one, unless you want the answers to differ, for they would not.
"""
SERVER = "mock:?reply=@answer.md"
LOREM = "mock:?reply=lorem&reasoning="
THREE = "vllmctl chat Hi -q --n 3 --seed 5 --max-tokens 30"
BEGIN = ["The first answer begins in a row that is wide enough", "Two, and", "Three is short."]
END = [" and goes on after the terminal has changed.", " goes on, too, in more rows than one.", ""]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pane]:
    folder = tmp_path_factory.mktemp("session")
    (folder / "answer.md").write_text(ANSWER, encoding="utf-8")
    with pane(folder, 60, 30) as its:
        yield its


def chunk(index: int, text: str, finish: str | None = None) -> bytes:
    choice = {"index": index, "delta": {"content": text}, "finish_reason": finish}
    return b"data: %b\n\n" % json.dumps({"choices": [choice]}).encode()


def script(paused: Callable[[object], object]) -> list[object]:
    """Three choices that stop in mid-answer until the terminal was changed."""
    begin = b"".join(chunk(index, text) for index, text in enumerate(BEGIN))
    end = b"".join(chunk(index, text, "stop") for index, text in enumerate(END))
    return [stream_head() + begin, paused, end + b"data: [DONE]\n\n"]


def recorded(name: str, shell: Pane) -> None:
    numbered = re.sub(r"(?m)^\d+\$", "$", shell.text())
    steady = re.sub(r"\d+(\.\d+)? (ms|s|tokens/s)\b", r"N \2", numbered)
    matches(f"session/{name}", f"{steady}\n")


@pytest.mark.parametrize(
    ("name", "columns", "server", "command"),
    [
        ("chat", 60, SERVER, "vllmctl chat Hi -q"),
        ("twenty", 20, SERVER, "vllmctl chat Hi -q"),
        ("choices_narrow", 60, LOREM, THREE),
        ("choices", 120, LOREM, THREE),
        ("finding", 60, LOREM, "vllmctl chat Hi -q --top-p 1.5 -o guided_json={}"),
    ],
)
def test_a_command_looks_as_recorded(
    shell: Pane, name: str, columns: int, server: str, command: str
) -> None:
    shell.resize(columns, 30)
    shell.run(f"VLLMCTL_BASE_URL='{server}'")
    shell.run(command)
    recorded(name, shell)


def test_resize_in_mid_answer(shell: Pane) -> None:
    changed = threading.Event()
    with serving(script(lambda _: changed.wait(30))) as server:
        shell.resize(120, 30)
        shell.run(f"VLLMCTL_BASE_URL={server.url}")
        shell.type("vllmctl chat Hi -q -m m --no-check --n 3")
        shell.wait("Three is short.")
        shell.resize(80, 30)
        changed.set()
        shell.wait()
    recorded("resize", shell)


def test_interrupt_in_mid_answer(shell: Pane) -> None:
    ended = threading.Event()
    with serving(script(lambda _: ended.wait(30))) as server:
        shell.resize(120, 30)
        shell.run(f"VLLMCTL_BASE_URL={server.url}; stty -a > before")
        shell.type("vllmctl chat Hi -q -m m --no-check --n 3; echo code $?")
        shell.wait("Three is short.")
        shell.press("C-c")
        shell.wait()
        ended.set()
    recorded("interrupt", shell)
    shell.run("stty -a | diff before - && echo as before")
    assert "as before" in shell.text().split("\n")
