"""What kind of line a line of Markdown is, once its containers are taken off."""

import re
from enum import Enum, auto

from vllmctl.record import Record
from vllmctl.render.markdown.page import Container

_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"( {0,3})([-+*]|\d{1,9}[.)])(?:( +)(?=\S)|[ ]*\Z)")
_TASK = re.compile(r"\[([ xX])\] +(?=\S)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ ]*){3,}|(?:-[ ]*){3,}|(?:_[ ]*){3,})")
_UNDERLINE = re.compile(r" {0,3}=+ *")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|\Z)")
_FENCE = re.compile(r"( {0,3}(?:`{3,}(?=[^`]*\Z)|~{3,}))[ ]*([^ ]*)")
_MARKERS = r"[ \t]*(?:(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*)*"
_UNDECIDED = re.compile(
    rf"{_MARKERS}(?:"
    r"|[-+*_=](?:[ \t]*[-+*_=])*[ \t]*"  # a rule, a bullet, emphasis
    r"|\d{1,9}[.)]?"
    r"|\#{1,6}[ \t]*"
    r"|`{1,2}|~{1,2}"
    r"|(?:```|~~~|\|)(?s:.*)"
    r"|\[[ xX]?\]?[ \t]*"  # a task's box
    r")\Z"
)
_LEADING = re.compile(_MARKERS)
_BULLETS = "•◦▪"


class Kind(Enum):
    """What a line is."""

    BLANK = auto()
    TEXT = auto()
    HEADING = auto()
    RULE = auto()
    UNDERLINE = auto()
    FENCE = auto()
    BAR = auto()
    INDENTED = auto()


class Line(Record):
    """A line inside ``kept`` of the open containers and in ``new`` ones.

    ``text`` is what is left of it: of a heading or an item its text, of a fence its language.
    ``mark`` is a heading's or a fence's.
    """

    kept: int
    new: list[Container]
    kind: Kind
    text: str
    mark: str = ""


class Fence(Record):
    """The fence that code began with, its indentation included."""

    mark: str

    def is_ended_by(self, line: str) -> bool:
        """Whether ``line`` is the other fence."""
        ends = line.rstrip(" ")
        return self.may_be_ended_by(line) and len(ends.lstrip(" ")) >= len(self.mark.lstrip(" "))

    def may_be_ended_by(self, line: str) -> bool:
        """Whether ``line`` could become the other fence."""
        return not line.strip(" ").strip(self.mark[-1]) and not line.startswith("    ")

    def unindented(self, line: str) -> str:
        """Return a line of the code without the fence's own indentation."""
        indent = len(self.mark) - len(self.mark.lstrip(" "))
        return line[min(indent, len(line) - len(line.lstrip(" "))) :]


def is_undecided(line: str) -> bool:
    """Whether more characters may make another kind of line of this beginning."""
    return _UNDECIDED.match(line) is not None


def read_line(line: str, containers: list[Container], *, in_prose: bool) -> Line:
    """Read a line; ``in_prose`` tells that a paragraph is open in the last of ``containers``."""
    kept, rest = matched(line, containers)
    interrupts = in_prose and kept == len(containers)
    new: list[Container] = []
    depth = sum(1 for container in containers[:kept] if container.indent)
    while True:
        quote = _QUOTE.match(rest)
        item = None if _RULE.fullmatch(rest) else _ITEM.match(rest)
        if quote:
            new.append(Container("▌ "))
            rest = rest[quote.end() :]
        elif item and not (interrupts and not new and not _may_interrupt(item)):
            new.append(_item(item, depth + sum(1 for container in new if container.indent)))
            rest = rest[item.end() :]
        else:
            break
    line_read = Line(kept, new, Kind.TEXT, rest)
    return _read_leaf(line_read, in_prose=in_prose and not new, interrupts=interrupts)


def matched(line: str, containers: list[Container]) -> tuple[int, str]:
    """Return how many containers go on with ``line``, and what is left of it inside them."""
    rest = _without_tabs(line)
    for place, container in enumerate(containers):
        if container.indent:
            if rest.strip() and not rest.startswith(" " * container.indent):
                return place, rest
            rest = rest[container.indent :]
        else:
            quote = _QUOTE.match(rest)
            if not quote:
                return place, rest
            rest = rest[quote.end() :]
    return len(containers), rest


def _read_leaf(line: Line, *, in_prose: bool, interrupts: bool) -> Line:
    text = line.text
    if not text.strip():
        line.kind, line.text = Kind.BLANK, ""
    elif text.startswith("    ") and not in_prose:
        line.kind, line.text = Kind.INDENTED, text[4:]
    elif _RULE.fullmatch(text):
        line.kind = Kind.RULE
    elif in_prose and interrupts and _UNDERLINE.fullmatch(text):
        line.kind = Kind.UNDERLINE
    elif heading := _HEADING.match(text):
        line.kind, line.mark, line.text = Kind.HEADING, heading[1], text[heading.end() :]
    elif fence := _FENCE.match(text):
        line.kind, line.mark, line.text = Kind.FENCE, fence[1], fence[2]
    else:
        line.text = text.lstrip(" ")
        line.kind = Kind.BAR if line.text.startswith("|") else Kind.TEXT
        _read_task(line)
    return line


def _read_task(line: Line) -> None:
    task = _TASK.match(line.text)
    if task and line.new and line.new[-1].indent:
        line.text = ("☐ " if task[1] == " " else "☑ ") + line.text[task.end() :]


def _item(item: re.Match[str], depth: int) -> Container:
    marker, spaces = item[2], len(item[3] or " ")
    indent = len(item[1]) + len(marker) + (spaces if spaces < 5 else 1)
    is_bullet = marker in "-+*"
    mark = _BULLETS[min(depth, len(_BULLETS) - 1)] if is_bullet else marker
    return Container(f"{mark} ", indent)


def _may_interrupt(item: re.Match[str]) -> bool:
    """Whether an item may follow a paragraph without a blank line between."""
    return item[3] is not None and (item[2] in "-+*" or item[2][:-1] == "1")


def _without_tabs(line: str) -> str:
    """Turn the tabs before the text into spaces."""
    leading = _LEADING.match(line)
    if leading is None or "\t" not in leading[0]:
        return line
    return leading[0].expandtabs(4) + line[leading.end() :]
