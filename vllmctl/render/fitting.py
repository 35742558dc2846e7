"""Lines broken between words."""

import re
from collections.abc import Iterator

from vllmctl.render.cells import cells
from vllmctl.render.screen import STYLING

_TOKENS = re.compile(" +|[^ ]+")
_TAB = "    "
_HANGING = 2
_NARROW = 20
"""From here down a hanging indent costs more room than it gives clarity."""


def fitted(text: str, width: int) -> str:
    """Return ``text`` with its lines broken between words, in rows of ``width`` cells.

    What goes on in a further row is indented. A word that is longer than a row is left whole,
    so that it can be copied. Colours take no room.
    """
    lines = text.replace("\t", _TAB).split("\n")
    return "\n".join([row for line in lines for row in _rows(line, width)])


def _rows(line: str, width: int) -> Iterator[str]:
    line = line.rstrip(" ")
    indent = len(line) - len(line.lstrip(" "))
    row, used, space = line[:indent], indent, ""
    hanging = indent + _HANGING if width > _NARROW else 0
    for token in _TOKENS.findall(line[indent:]):
        if token[0] == " ":
            space = token
            continue
        room = cells(STYLING.sub("", token))
        if used + len(space) + room > width and row.strip(" "):
            yield row
            row, used, space = " " * hanging, hanging, ""
        row, used, space = row + space + token, used + len(space) + room, ""
    yield row
