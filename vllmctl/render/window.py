"""What the terminal can do, and its size."""

import os
import re
from typing import TextIO

from vllmctl.env import Environment


def window_size(out: TextIO, env: Environment) -> tuple[int, int]:
    """Return the columns and lines of the terminal that ``out`` is.

    Where it does not tell them: ``COLUMNS`` and ``LINES``, else 80 and 24.
    """
    try:
        columns, lines = os.get_terminal_size(out.fileno())
    except (OSError, ValueError):
        columns = lines = 0
    return columns or _number(env, "COLUMNS", 80), lines or _number(env, "LINES", 24)


def can_repaint(out: TextIO, env: Environment) -> bool:
    """Whether ``out`` is a terminal on which rows can be written anew."""
    return env.is_terminal(out) and not env.is_dumb


def _number(env: Environment, name: str, default: int) -> int:
    text = env.variables.get(name, "")
    return int(text) if re.fullmatch("[1-9][0-9]{,4}", text) else default
