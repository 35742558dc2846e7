"""Help pages: short, in panels, 80 columns wide at most and readable at 20."""

import re
import textwrap
from collections.abc import Iterable, Sequence

from vllmctl.cli.page import Page
from vllmctl.cli.settings import EVERYWHERE
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.fields.groups import Group
from vllmctl.fields.options import OptionSpec
from vllmctl.render.window import window_size

_GAP = 2
_COLUMNS = 40
"""From this width on there is room for two columns."""
_LEAST = 20


class HelpPage:
    """Writes the help of one command in one of its three lengths."""

    def __init__(self, page: Page, specs: Sequence[OptionSpec], env: Environment) -> None:
        self.page = page
        self.specs = specs
        self.width = max(_LEAST, min(80, window_size(env.stdout, env)[0]))
        self.bold = env.uses_color(env.stdout)

    def short(self) -> str:
        """Usage, examples, the common options, and a line for each further panel."""
        common = [spec for spec in self.specs if spec.common]
        return self._join([*self._head(), *self._panels(common), *self._index()])

    def all(self) -> str:
        """Every option."""
        return self._join([*self._head(), *self._panels(self.specs)])

    def panel(self, name: str) -> str:
        """The options of the panel called ``name``; raises ``UsageError`` for another name."""
        keys = {group.key: group for group in self._groups(self.specs)}
        if name not in keys:
            raise UsageError(f"no panel {name!r}", f"panels are {', '.join(keys)}")
        return self._join(self._panels([s for s in self.specs if s.group is keys[name]]))

    def title(self, text: str) -> str:
        """Return a heading."""
        return f"\x1b[1m{text}\x1b[0m" if self.bold else text

    def wrapped(self, text: str) -> list[str]:
        """Return a paragraph in lines."""
        return textwrap.wrap(text, self.width)

    def rows(self, rows: Iterable[tuple[str, str]], column: int = 0) -> list[str]:
        """Return lines with ``left`` in one column and the wrapped ``right`` in another."""
        rows = list(rows)
        column = column or min(self._limit, max((len(left) for left, _ in rows), default=0))
        return [line for left, right in rows for line in self._row(left, right, column)]

    @property
    def _limit(self) -> int:
        """The widest first column; on a narrow page there is none, and names have own lines."""
        return self.width * 2 // 5 if self.width >= _COLUMNS else 0

    def _row(self, left: str, right: str, column: int) -> list[str]:
        indent = " " * (column + 2 * _GAP)
        wrapped = textwrap.wrap(right, self.width - len(indent)) or [""]
        if len(left) > column:
            return [*self._alone(left), *(f"{indent}{line}" for line in wrapped)]
        first = f"  {left.ljust(column)}  {wrapped[0]}".rstrip()
        return [first, *(f"{indent}{line}" for line in wrapped[1:])]

    def _alone(self, left: str) -> list[str]:
        """Return a name in lines of its own; on a narrow page its value is below it."""
        if len(left) + _GAP <= self.width:
            return [f"  {left}"]
        name, *value = re.split("(?<!,) ", left, maxsplit=1)
        return [f"  {name}", *(f"    {text}" for text in value)]

    def _head(self) -> list[list[str]]:
        examples = [self.title("Examples"), *(f"  {line}" for line in self.page.examples)]
        usage = f"{self.title('Usage:')} {self.page.usage}"
        return [[usage], self.wrapped(self.page.summary), examples]

    def _panels(self, specs: Sequence[OptionSpec]) -> list[list[str]]:
        rows = {spec.dest: option_row(spec) for spec in specs}
        fitting = (len(left) for left, _ in rows.values() if len(left) <= self._limit)
        column = max(fitting, default=0)
        panels = []
        for group in self._groups(specs):
            members = [rows[spec.dest] for spec in specs if spec.group is group]
            panels.append([self.title(group.value), *self.rows(members, column)])
        return panels

    def _index(self) -> list[list[str]]:
        rows = []
        rest = [spec for spec in self.specs if not spec.common]
        for group in self._groups(rest) if any(spec not in EVERYWHERE for spec in rest) else ():
            hidden = sum(1 for spec in rest if spec.group is group)
            rows.append((group.key, f"{group.value} ({hidden} more)"))
        title = self.title("More: --help-panel NAME, or --help-all")
        return [[title, *self.rows(rows)]] if rows else []

    @staticmethod
    def _groups(specs: Sequence[OptionSpec]) -> list[Group]:
        present = {spec.group for spec in specs}
        return [group for group in Group if group in present]

    @staticmethod
    def _join(blocks: list[list[str]]) -> str:
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def option_row(spec: OptionSpec) -> tuple[str, str]:
    """Return what stands in the two columns for an option."""
    return _left(spec), _right(spec)


def _left(spec: OptionSpec) -> str:
    short = [name for name in spec.names if not name.startswith("--")]
    long = [name for name in spec.names if name.startswith("--")]
    names = ", ".join([*short, long[0]])
    off = f"/{_short_off(long[0], spec.off[0])}" if spec.off else ""
    return f"{names}{off}" + (f" {spec.metavar}" if spec.metavar and not spec.switch else "")


def _right(spec: OptionSpec) -> str:
    return f"{spec.help}: {', '.join(spec.choices)}" if spec.metavar == "WORD" else spec.help


def _short_off(name: str, off: str) -> str:
    if off == name.replace("--", "--no-", 1):
        return "--no-…"
    return "….no-…" if "." in off else off
