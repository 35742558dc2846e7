"""Pictures of a terminal: commands run in one, with colour, and drawn as SVG."""

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from tools.docs.screen import Screen
from tools.docs.terminal import seen

RECORDED = Path(__file__).parent / "recorded"
"""What a real server answered: the mock's log-probabilities are all alike."""

_SHOWN = {
    "chat": (84, "reply=@answer.md", 'vllmctl chat "Show me a table" --no-thinking -q'),
    "lint": (84, "", "vllmctl lint body.json --target vllm==0.32.0"),
    "heat": (
        84,
        f"record={RECORDED}",
        'vllmctl chat "What is the weather in Oslo?" --no-thinking --show-logprobs heat '
        "--top-logprobs 4 --alternatives 3 --seed 1 --temperature 1.2 -q",
    ),
    "choices": (
        120,
        "reply=lorem",
        'vllmctl chat "Tell me a story" --n 3 --max-tokens 40 --seed 5 --no-thinking -q',
    ),
}
"""The columns of each terminal, what the mock is told, and the command that is run."""

_FILES = {
    "answer.md": "## Two ways\n\n| way | tokens | good for |\n|---|--:|---|\n"
    "| greedy | 128 | tests |\n| **sampling** | 256 | prose |\n\n"
    "```python\ndef answer() -> int:\n    return 42\n```\n\nTake the `first` one.\n",
    "body.json": '{\n  "model": "qwen3-8b",\n'
    '  "messages": [{"role": "user", "content": "Name a colour"}],\n'
    '  "guided_choice": ["red", "green"],\n  "enable_thinking": false,\n  "top_p": 1.5\n}\n',
}
_TEXT = re.compile(r"<text class=\"[^\"]*\"[^>]* y=\"([\d.]+)\"[^>]*>([^<]*)<")
_FONT_FACES = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def pictures() -> dict[str, str]:
    """Return each picture as SVG by its file's name."""
    return {f"{name}.svg": _drawn(name, *shown) for name, shown in _SHOWN.items()}


def lines_of(picture: str) -> list[str]:
    """Return the lines of text in a picture; how they are drawn depends on the drawing library."""
    found: dict[str, str] = {}
    for place, text in _TEXT.findall(picture):
        found[place] = found.get(place, "") + text.replace("&#160;", " ")
    return [*found.values()]


def _drawn(name: str, columns: int, mock: str, command: str) -> str:
    from rich.console import Console
    from rich.text import Text

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=columns, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        console.print(Text(f"$ {command}", style="bold"))
        console.print(Text.from_ansi(_run(command, columns, mock)))
        drawn = console.export_svg(title="vllmctl", unique_id=f"picture-{name}")
    return _FONT_FACES.sub("", drawn)


def _run(command: str, columns: int, mock: str) -> str:
    """What a terminal gets from ``command``."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _FILES.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        server = {"VLLMCTL_BASE_URL": f"mock:?{mock}"}
        variables = {"PATH": tools, "HOME": folder, "TERM": "xterm-256color", **server}
        written = seen(shlex.split(command), Path(folder), variables, columns=columns)
        screen = Screen(columns)
        screen.write(written)
        return screen.painted.rstrip("\n")
