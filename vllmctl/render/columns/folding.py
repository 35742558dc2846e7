"""Rows with colours in them, broken at a width."""

from vllmctl.render.cells import cells, cut
from vllmctl.render.screen import STYLING

_END = "\x1b[0m"


def folded(rows: list[str], width: int) -> list[str]:
    """Return ``rows`` with those broken that are wider; colours go on in the next one."""
    if all(_fits(row, width) for row in rows):
        return rows
    return [part for row in rows for part in _broken(row, width)]


def _fits(row: str, width: int) -> bool:
    return len(row) <= width // 2 or cells(STYLING.sub("", row)) <= width


def _broken(row: str, width: int) -> list[str]:
    parts, part, used, style, place = [], "", 0, "", 0
    for mark in [*STYLING.finditer(row), None]:
        text = row[place : mark.start()] if mark else row[place:]
        while used + cells(text) > width:
            fits, text = cut(text, width - used) if used < width else ("", text)
            if used and used + cells(fits) > width:  # a wide character at the edge
                fits, text = "", fits + text
            parts.append(part + fits + (_END if style else ""))
            part, used = style, 0
        part, used = part + text, used + cells(text)
        if mark:
            part, place = part + mark[0], mark.end()
            style = "" if mark[0] == _END else mark[0]
    return [*parts, part]
