"""Lark grammars, read no deeper than their names, brackets and regular expressions."""

import re

from vllmctl.rules.syntax.regex import judge_regex
from vllmctl.rules.syntax.verdict import Verdict

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|\#[^\n]*)
      | (?P<text>"(\\.|[^"\\\n])*"i?)
      | (?P<regex>/(\\.|[^/\\\n])+/[imslux]*)
      | (?P<directive>%[a-z]+[^\n]*)
      | (?P<rule>(^|(?<=\n))[ \t]*[?!]?[A-Za-z_][\w]*([.]-?\d+)?[ \t]*(\[[^\]\n]*\][ \t]*)?:(?!:))
      | (?P<alias>->[ \t]*\w+)
      | (?P<special><[^>\n]*>)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<open>[(\[])
      | (?P<close>[)\]])
      | (?P<count>\{[\d\s,]*\}|~[ \t]*\d+([ \t]*\.\.[ \t]*\d+)?|\d+)
      | (?P<sign>[|*+?.,:{}&\\~])
      | (?P<space>\s+)
      | (?P<other>.)""",
    re.VERBOSE,
)
_PAIRS = {")": "(", "]": "["}


def judge_lark(text: str) -> Verdict:
    """Return what the backends say to a Lark grammar that has a rule ``start``."""
    return _Lark().judge(text)


class _Lark:
    """Reads tokens; collects the rules that are defined and those that are named."""

    def __init__(self) -> None:
        self._verdict = Verdict()
        self._defined: set[str] = set()
        self._named: list[str] = []
        self._opened: list[str] = []

    def judge(self, text: str) -> Verdict:
        """Return what the backends say."""
        for token in _TOKEN.finditer(text):
            read = getattr(self, f"_{token.lastgroup}", None)
            if read is not None:
                read(token[0])
        self._end_of_rule()
        for name in self._named:
            if name not in self._defined:
                self._verdict.refuse(f"there is no rule {name}")
        return self._verdict

    def _rule(self, value: str) -> None:
        self._end_of_rule()
        name = re.findall(r"\w+", value)[0]
        if name in self._defined:
            self._verdict.refuse(f"the rule {name} is there twice")
        self._defined.add(name)

    def _directive(self, value: str) -> None:
        self._defined.update(re.findall(r"\w+", value))

    def _name(self, value: str) -> None:
        self._named.append(value)

    def _open(self, value: str) -> None:
        self._opened.append(value)

    def _close(self, value: str) -> None:
        if not self._opened or self._opened.pop() != _PAIRS[value]:
            self._verdict.refuse(f"a {value} has nothing to close")

    def _regex(self, value: str) -> None:
        self._verdict.add(judge_regex(value[1 : value.rindex("/")]), f"in {value}: ")

    def _special(self, _: str) -> None:
        self._verdict.by_xgrammar("special tokens are not supported")

    def _other(self, value: str) -> None:
        self._verdict.refuse(f"{value} stands for nothing; texts are in double quotes")

    def _end_of_rule(self) -> None:
        if self._opened:
            self._verdict.refuse(f"a {self._opened[-1]} is not closed")
            self._opened.clear()
