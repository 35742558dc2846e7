"""Grammars in GBNF (``root ::= …``) and Lark (``start: …``), as the backends read them."""

import re

from vllmctl.counts import count_in
from vllmctl.rules.syntax.regex import judge_regex
from vllmctl.rules.syntax.verdict import Verdict

_COMMENT = re.compile(r"(#|//).*$")
_LARK_START = re.compile(r"(^|\n)[ \t]*[?!]?start[ \t]*:")


def judge_grammar(text: str) -> Verdict:
    """Return what the backends say to a grammar."""
    from vllmctl.rules.syntax.lark import judge_lark

    if _is_likely_lark(text):
        if _LARK_START.search(text):
            return judge_lark(text)
        verdict = Verdict()
        verdict.refuse('a grammar has rules such as root ::= "yes" | "no"')
        return verdict
    return _Gbnf(text).judge()


def _is_likely_lark(text: str) -> bool:
    return not any("::=" in _COMMENT.sub("", line) for line in text.split("\n"))


class _SyntaxFaultError(Exception):
    """The text cannot be read on."""


class _Gbnf:
    """Reads a GBNF grammar; collects the rules it defines and those it names."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._verdict = Verdict()
        self._defined: set[str] = set()
        self._named: list[str] = []

    def judge(self) -> Verdict:
        """Return what the backends say."""
        try:
            self._rules()
        except _SyntaxFaultError as fault:
            line = self._text.count("\n", 0, self._place) + 1
            self._verdict.refuse(f"line {line}: {fault}")
            return self._verdict
        if "root" not in self._defined:
            self._verdict.refuse("there is no rule root")
        for name in self._named:
            if name not in self._defined:
                self._verdict.refuse(f"there is no rule {name}")
        return self._verdict

    def _rules(self) -> None:
        self._space(lines=True)
        while self._now:
            name = self._name()
            self._space()
            if not self._take("::="):
                raise _SyntaxFaultError(f"expected ::= after {name}")
            if name in self._defined:
                self._verdict.by_xgrammar(f"the rule {name} is there twice")
            self._defined.add(name)
            self._space(lines=True)
            self._alternatives(nested=False)
            self._space(lines=True)

    @property
    def _now(self) -> str:
        return self._text[self._place : self._place + 1]

    def _take(self, text: str) -> bool:
        if not self._text.startswith(text, self._place):
            return False
        self._place += len(text)
        return True

    def _space(self, *, lines: bool = False) -> None:
        blank = " \t\r\n" if lines else " \t"
        while self._now and (self._now in blank or self._now == "#"):
            if self._now == "#":
                end = self._text.find("\n", self._place)
                self._place = len(self._text) if end < 0 else end
            else:
                self._place += 1

    def _name(self) -> str:
        start = self._place
        while self._now and (self._now.isalnum() or self._now in "-_"):
            self._place += 1
        if self._place == start:
            raise _SyntaxFaultError(f"expected the name of a rule, got {self._now!r}")
        return self._text[start : self._place]

    def _alternatives(self, *, nested: bool) -> None:
        while True:
            if not self._sequence(nested=nested) and not nested:
                self._verdict.by_xgrammar("an alternative is empty")
            if not self._continues():
                return
            self._space(lines=True)

    def _continues(self) -> bool:
        """Whether another alternative follows; xgrammar also takes one on the next line."""
        if self._take("|"):
            return True
        start = self._place
        self._space(lines=True)
        if self._take("|"):
            self._verdict.by_guidance("an alternative starts a line")
            return True
        self._place = start
        return False

    def _sequence(self, *, nested: bool) -> bool:
        """Read elements up to the end of the alternative; whether there was one."""
        found = False
        while self._element():
            found = True
            self._space(lines=nested)
            self._repetition()
            self._space(lines=nested)
            if not nested and self._goes_on():
                self._verdict.by_guidance("an alternative goes on in the next line")
        return found

    def _goes_on(self) -> bool:
        """Whether an element follows on a next line that cannot be a rule's name."""
        start = self._place
        self._space(lines=True)
        if self._place > start and self._now and self._now in '"[(':
            return True
        self._place = start
        return False

    def _element(self) -> bool:
        start = self._now
        if start == '"':
            self._quoted('"', 'a text " is not closed')
        elif start == "[":
            self._quoted("]", "a set [ is not closed")
        elif start == "(":
            self._group()
        elif start == ".":
            self._verdict.by_xgrammar(". is no element")
            self._place += 1
        elif start and (start.isalnum() or start in "-_"):
            self._reference()
        else:
            return False
        return True

    def _reference(self) -> None:
        name = self._name()
        if name in ("TagDispatch", "Token", "ExcludeToken") and self._now == "(":
            self._skip_call()
        else:
            self._named.append(name)

    def _skip_call(self) -> None:
        """Calls are xgrammar's own; it is left to it to judge them."""
        self._verdict.by_guidance("calls are not supported")
        depth = 0
        while self._now:
            depth += (self._now == "(") - (self._now == ")")
            self._place += 1
            if not depth:
                return
        raise _SyntaxFaultError("a ( is not closed")

    def _group(self) -> None:
        self._take("(")
        self._space(lines=True)
        if self._take("="):
            self._verdict.by_guidance("look-ahead is not supported")
        self._alternatives(nested=True)
        if not self._take(")"):
            raise _SyntaxFaultError(
                f"expected ), got {self._now!r}" if self._now else "a ( is not closed"
            )

    def _quoted(self, end: str, unclosed: str) -> None:
        start = self._place
        self._place += 1
        while self._now != end:
            if not self._now:
                raise _SyntaxFaultError(unclosed)
            if self._now == "\\":
                self._escape()
            else:
                self._place += 1
        self._place += 1
        if end == "]":
            self._set(self._text[start : self._place])

    def _set(self, text: str) -> None:
        verdict = judge_regex(text)
        if verdict.reason and text != "[]":
            raise _SyntaxFaultError(verdict.reason)

    def _escape(self) -> None:
        self._place += 1
        letter = self._now
        length = {"x": 2, "u": 4, "U": 8}.get(letter, 0)
        code = self._text[self._place + 1 : self._place + 1 + length]
        known = bool(letter) and letter in '"\\[]nrtxuU'
        if not known or len(code) < length or not all(c in "0123456789abcdefABCDEF" for c in code):
            self._verdict.by_guidance(f"\\{letter} is no escape")
            if letter not in "'?aebfv0-^" or not letter:
                self._verdict.by_xgrammar(f"\\{letter} is no escape")
        self._place += 1 + (length if known else 0)

    def _repetition(self) -> None:
        if self._now and self._now in "*+?":
            self._place += 1
            return
        if not self._take("{"):
            return
        self._space(lines=True)
        least = self._number()
        self._space(lines=True)
        if self._take(","):
            self._space(lines=True)
            most = self._number() if self._now != "}" else least
            self._space(lines=True)
            if most < least:
                self._verdict.refuse(
                    f"in {{{least},{most}}} the first number must not be the larger"
                )
        if not self._take("}"):
            raise _SyntaxFaultError("a { is not closed")

    def _number(self) -> int:
        start = self._place
        while self._now.isdecimal():
            self._place += 1
        if self._place == start:
            raise _SyntaxFaultError("a count is {2}, {2,} or {2,3}")
        digits = self._text[start : self._place]
        count = count_in(digits)
        if count is None:
            raise _SyntaxFaultError(f"{digits[:20]}… is no count")
        return count
