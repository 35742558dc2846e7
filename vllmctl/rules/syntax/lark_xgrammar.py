"""What xgrammar reads otherwise in Lark grammars."""

import re

from vllmctl.rules.syntax.lark_tokens import XGRAMMAR, Token, read_tokens
from vllmctl.rules.syntax.lark_tree import Grammar, LarkReader, Node, Rule

_DEEP = 10**6
_CAPTURE = re.compile(r"[A-Za-z0-9_.-]+")
_OPTIONS = ("allow_initial_skip", "no_forcing", "allow_invalid_utf8")


class XgrammarReader(LarkReader):
    """Reads a grammar as xgrammar does."""

    deepest = _DEEP

    @staticmethod
    def tokens(text: str) -> list[Token]:
        """Part the text."""
        return read_tokens(text, XGRAMMAR)

    def _after_item(self, end: str) -> None:
        if self._now.kind not in ("newline", "end", end):
            raise self._fault(f"expected the end of the rule, got {self._now.text}")

    def _item(self, grammar: Grammar) -> None:
        if self._now.kind == "%grammar_options":
            self._options(self._now)
        elif self._now.kind == "%llguidance":
            raise self._fault("%llguidance is not supported")
        else:
            super()._item(grammar)

    def _options(self, token: Token) -> None:
        self._take(token.kind)
        options = token.value if isinstance(token.value, dict) else {"": None}
        for key, value in options.items():
            if key not in _OPTIONS or not isinstance(value, bool):
                raise self._fault(f"there is no such option as {key}")
            if value and key != "allow_initial_skip":
                raise self._fault(f"{key} is not supported")

    def _rule(self) -> Rule:
        if self._next() == "[" and self._now.text.lstrip("!?_")[:1].isupper():
            raise self._fault("only rules have attributes")
        return super()._rule()

    def _attribute(self, rule: Rule, key: str) -> Rule:
        if key == "max_chars":
            self._count()
            return rule
        return super()._attribute(rule, key)

    def _alias_name(self, token: Token) -> None:
        """Any name is one."""

    def _condition(self, token: Token) -> None:
        raise self._fault(f"%if {token.text} is not supported")

    def _name_given(self, token: Token) -> None:
        if not _CAPTURE.fullmatch(self._text(token)):
            raise self._fault(f"{token.text} has more than letters, digits and _-.")

    def _or(self) -> bool:
        """Lines may end before the next option, and before the bracket that closes a group."""
        start = self._place
        self._lines()
        if self._take("|"):
            return True
        if self._now.kind not in (")", "]", "}"):
            self._place = start
        return False

    def _alias(self) -> Node:
        node = super()._alias()
        if node.kind == "both":
            raise self._fault("& is not supported")
        return node

    takes_none = True
    ends_lines = False

    def _is_counted(self) -> bool:
        return self._now.kind == "~"
