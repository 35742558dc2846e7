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
    "heat": 'vllmctl chat "How sure are you?" --no-thinking --show-logprobs heat '
    '--base-url "mock:?seed=4" -q',
}
_FILES = {
    "answer.md": "## Two ways\n\n| way | tokens | good for |\n|---|--:|---|\n"
    "| greedy | 128 | tests |\n| **sampling** | 256 | prose |\n\n"
    "```python\ndef answer() -> int:\n    return 42\n```\n\nTake the `first` one.\n",
    "body.json": '{\n  "model": "qwen3-8b",\n'
    '  "messages": [{"role": "user", "content": "Name a colour"}],\n'
    '  "guided_choice": ["red", "green"],\n  "enable_thinking": false,\n  "top_p": 1.5\n}\n',
}
_LINE, _LINE_ABOVE = "\r\x1b[K", "\x1b[A\x1b[K"
_REWRITING = re.compile(rf"(\n|{re.escape(_LINE)}|{re.escape(_LINE_ABOVE)})")
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
        return _in_the_end(seen(shlex.split(command), Path(folder), variables, columns=COLUMNS))


def _in_the_end(written: str) -> str:
    """What is left on the screen when lines were written anew."""
    lines = [""]
    for part in _REWRITING.split(written):
        if part == "\n":
            lines.append("")
        elif part == _LINE_ABOVE:
            lines[-2:] = [""]
        elif part == _LINE:
            lines[-1] = ""
        else:
            lines[-1] += part
    return "\n".join(lines)
