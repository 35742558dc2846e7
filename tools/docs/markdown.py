"""Pieces of Markdown."""

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_\[\]{}#|])")
_TAGS = str.maketrans({"<": "&lt;", ">": "&gt;"})
_NAME = re.compile(
    r"(?<![\w.`/-])(`[^`]+`|--[a-z][\w.-]*\w|[A-Za-z]\w+(?:\[\])?(?:\.[a-z]\w+)+|[a-z]+_\*"
    r"|\w*[A-Za-z0-9]_\w[\w.]*\w|\w*[a-z0-9]_\w)(?![\w(/])"
)
_EDGES = re.compile(r"[^\w.]+")


def text(words: str) -> str:
    """Return plain words as Markdown; names of fields and flags are set as code."""
    parts = _NAME.split(words)
    return "".join(
        code(part.strip("`")) if place % 2 else _plain(part) for place, part in enumerate(parts)
    )


def code(words: str) -> str:
    """Return ``words`` as inline code, also inside a table."""
    if not words:
        return ""
    fence = "``" if "`" in words else "`"
    pad = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{fence}{pad}{words}{pad}{fence}"


def anchor(name: str) -> str:
    """Return the id of the heading that is about ``name``: ``tools[].type``, ``sp.top_k``."""
    return _EDGES.sub("-", name).strip("-")


def heading(level: int, words: str, name: str = "") -> str:
    """Return a heading that links find under ``anchor(name)``."""
    mark = f" {{ #{anchor(name)} }}" if name else ""
    return f"{'#' * level} {words}{mark}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def listed(items: Iterable[str]) -> str:
    """Return a list with a point before each item."""
    return "\n".join(f"- {item}" for item in items)


def fenced(words: str, language: str = "") -> str:
    """Return a block of code."""
    return f"```{language}\n{words.rstrip()}\n```"


def page(*blocks: str) -> str:
    """Return a page of blocks with an empty line between them; empty blocks are left out."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def _plain(words: str) -> str:
    return _SPECIAL.sub(r"\\\1", words).translate(_TAGS)
