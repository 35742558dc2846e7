"""Tool calls that are run, and what came of them, on stderr."""

from vllmctl.env import Environment
from vllmctl.render.words import Words

_LONGEST = 1000


def write_call(name: str, arguments: str, env: Environment) -> None:
    """Write a call that is about to be run."""
    _write(f"tool {name}({arguments})", env)


def write_result(name: str, text: str, env: Environment) -> None:
    """Write the result of a call; a long one is cut."""
    rest = len(text) - _LONGEST
    shown = text if rest <= 0 else f"{text[:_LONGEST]}… ({rest} more characters)"
    lines = shown.splitlines() or ["(nothing)"]
    _write(f"{name}: {lines[0]}" if len(lines) == 1 else "\n  ".join([f"{name}:", *lines]), env)


def write_aside(text: str, env: Environment) -> None:
    """Write what the model says before it calls a tool."""
    _write(text.strip(), env)


def _write(text: str, env: Environment) -> None:
    if text:
        words = Words(env.stderr, env)
        words.write((text, "dim"))
        words.flush()
