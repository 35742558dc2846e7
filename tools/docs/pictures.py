"""Pictures of a terminal: commands run in one, with colour, and drawn as SVG."""

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from tools.docs.terminal import seen

COLUMNS = 84
_SHOWN = {
    "chat": 'vllmctl chat "Show me a table" --base-url "mock:?reply=@answer.md" -q',
    "lint": "vllmctl lint body.json --target vllm==0.32.0",
    "explain": "vllmctl explain min_p",
}
_FILES = {
    "answer.md": "## Two ways\n\n| way | tokens | good for |\n|---|--:|---|\n"
    "| greedy | 128 | tests |\n| **sampling** | 256 | prose |\n\n"
    "```python\ndef answer() -> int:\n    return 42\n```\n\nTake the `first` one.\n",
    "body.json": '{\n  "model": "qwen3-8b",\n'
    '  "messages": [{"role": "user", "content": "Name a colour"}],\n'
    '  "guided_choice": ["red", "green"],\n  "enable_thinking": false,\n  "top_p": 1.5\n}\n',
}
_FONT_FACES = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def pictures() -> dict[str, str]:
    """Return each picture as SVG by its path in the site."""
    return {f"pictures/{name}.svg": _drawn(name, command) for name, command in _SHOWN.items()}


def _drawn(name: str, command: str) -> str:
    from rich.console import Console
    from rich.text import Text

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        console.print(Text(f"$ {command}", style="bold"))
        console.print(Text.from_ansi(_run(command)))
        drawn = console.export_svg(title="vllmctl", unique_id=f"picture-{name}")
    return _FONT_FACES.sub("", drawn)


def _run(command: str) -> str:
    """What a terminal gets from ``command``."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _FILES.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        variables = {"PATH": tools, "HOME": folder, "TERM": "xterm-256color"}
        return seen(shlex.split(command), Path(folder), variables, columns=COLUMNS)
