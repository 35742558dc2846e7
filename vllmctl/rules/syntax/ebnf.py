"""Grammars of ``root ::= …``, as xgrammar reads them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from vllmctl.counts import count_in
from vllmctl.rules.syntax.fault import SyntaxFaultError, in_line

_CODE = r"x[0-9A-Fa-f]++|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|['\"?\\/abfnrtv0e]"
_ESCAPE = rf"\\(?:{_CODE})"
_IN_SET = rf"\\(?:{_CODE}|[\^$.*+()\[\]{{}}|dDsSwW-])"
_ATTRIBUTE = (
    r"(?:max_tokens|max_chars)[ \t]*=[ \t]*\d{1,10}"
    r"|capture(?:[ \t]*=[ \t]*\"[^\"\\\r\n]+\")?|stop_capture[ \t]*=[ \t]*\"[^\"\\\r\n]+\""
    r"|lazy|temperature[ \t]*=[ \t]*\d+(?:\.\d*)?"
)
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r\n]+|\#[^\r\n]*)
      | (?P<assign>::=)
      | (?P<text>"(?:[^"\\\r\n]|{_ESCAPE})*+")
      | (?P<set>\[(?:[^\]\\\r\n]|{_IN_SET})*+\])
      | (?P<name>[A-Za-z_.-][\w.-]*)
        (?P<attributes>\[[ \t]*(?:{_ATTRIBUTE})(?:[ \t]*,[ \t]*(?:{_ATTRIBUTE}))*[ \t]*\]
          (?=[ \t]*::=))?
      | (?P<number>[0-9]+)
      | (?P<sign>\(=|[(){{}}|,*+?=])""",
    re.VERBOSE | re.ASCII,
)
_CHARACTER = re.compile(rf"{_IN_SET}|.", re.DOTALL)
_CODES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "0": 0, "e": 27}
_Shape = str | tuple[str, ...]
_DISPATCH = frozenset({"loop_after_dispatch", "excludes"})
_CALLS: Mapping[str, tuple[frozenset[_Shape], frozenset[str]]] = {
    "ExcludeToken": (frozenset({"number"}), frozenset()),
    "Regex": (frozenset({"text", "nothing"}), frozenset({"json_string", "flags"})),
    "Substring": (frozenset({"text", "nothing"}), frozenset()),
    "TagDispatch": (frozenset({("text", "rule")}), _DISPATCH),
    "Token": (frozenset({"number"}), frozenset()),
    "TokenTagDispatch": (frozenset({("number", "rule")}), _DISPATCH),
}
_MOST = 10**15
_DEEPEST = 1000
_ENDS = ("|", ")", "(=", "rule", "end")


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def ebnf_refusal(text: str) -> str:
    """Return why xgrammar refuses a grammar, or nothing: it reads deeper than this can."""
    try:
        _Reader(_tokens(text.partition("\0")[0])).read()
    except SyntaxFaultError as fault:
        return str(fault)
    except RecursionError:
        return ""
    return ""


def _tokens(text: str) -> list[_Token]:
    """Read the tokens; the names before ``::=`` are those of rules."""
    tokens: list[_Token] = []
    place, line = 0, 1
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise SyntaxFaultError(in_line(line, _unread(text[place:])))
        kind = str(found.lastgroup).replace("attributes", "name")
        if kind != "space":
            value = found["name"] or found[0]
            tokens.append(_Token(value if kind == "sign" else kind, value, line))
        if kind == "assign":
            _name_rule(tokens)
        line += found[0].count("\n")
        place = found.end()
    return [*tokens, _Token("end", "the end", line)]


def _unread(rest: str) -> str:
    what = {'"': 'a text " is not closed', "[": "a set [ is not closed"}.get(rest[0])
    if what is None:
        return f"{rest[0]} stands for nothing"
    closed = rest.partition("\n")[0].find('"' if rest[0] == '"' else "]", 1)
    return what if closed < 0 else f"{rest[: closed + 1]} has an escape that is none"


def _name_rule(tokens: list[_Token]) -> None:
    name = tokens[-2] if len(tokens) > 1 else None
    if name is None or name.kind != "name" or name.text in ("true", "false"):
        raise SyntaxFaultError(in_line(tokens[-1].line, "expected the name of a rule before ::="))
    if len(tokens) > 2 and tokens[-3].line == name.line:
        raise SyntaxFaultError(in_line(name.line, f"the rule {name.text} must begin a line"))
    tokens[-2] = name._replace(kind="rule")


class _Reader:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._rules: set[str] = set()

    def read(self) -> None:
        """Read all rules.

        Raises:
            SyntaxFaultError: they are not well formed.
        """
        depth = 0
        for token in self._tokens:
            depth += (token.kind == "(") - (token.kind == ")")
            if depth > _DEEPEST:
                raise SyntaxFaultError("its groups are nested too deeply")
            if token.kind == "rule" and token.text in self._rules:
                raise SyntaxFaultError(f"the rule {token.text} is there twice")
            if token.kind == "rule":
                self._rules.add(token.text)
        if "root" not in self._rules:
            raise SyntaxFaultError("there is no rule root")
        while self._now.kind != "end":
            self._expect("rule", "the name of a rule")
            self._expect("assign", "::=")
            self._choices()
            if self._take("(="):
                self._look_ahead()

    @property
    def _now(self) -> _Token:
        return self._tokens[self._place]

    def _take(self, *kinds: str) -> bool:
        if self._now.kind not in kinds:
            return False
        self._place += 1
        return True

    def _expect(self, kind: str, what: str) -> _Token:
        now = self._now
        if not self._take(kind):
            raise SyntaxFaultError(in_line(now.line, f"expected {what}, got {now.text}"))
        return now

    def _look_ahead(self) -> None:
        line = self._now.line
        if self._choices() > 1:
            raise SyntaxFaultError(in_line(line, "a look-ahead has no alternatives"))
        self._expect(")", ")")

    def _choices(self) -> int:
        """Read alternatives; return how many there are."""
        options = self._sequence()
        while self._take("|"):
            options += self._sequence()
        return options

    def _sequence(self) -> int:
        """Read elements; return how many alternatives they are, when a group is all there is."""
        options = self._element()
        while self._now.kind not in _ENDS:
            self._element()
            options = 1
        return options

    def _element(self) -> int:
        now, options = self._now, 1
        if self._take("("):
            options = self._group(now)
        elif self._take("set"):
            _read_set(now)
        elif now.kind == "name" and now.text not in ("true", "false"):
            self._place += 1
            self._named(now)
        else:
            self._expect("text", "a text, a set, a group or the name of a rule")
        if self._take("*", "+", "?"):
            return 1
        if self._take("{"):
            self._repetition()
            return 1
        return options

    def _group(self, start: _Token) -> int:
        options = 1
        if not self._take(")"):
            options = self._choices()
            if self._now.kind == "end":
                raise SyntaxFaultError(in_line(start.line, "a ( is not closed"))
            self._expect(")", ")")
        return options

    def _named(self, name: _Token) -> None:
        if name.text in _CALLS:
            self._call(name)
        elif name.text not in self._rules:
            raise SyntaxFaultError(f"there is no rule {name.text}")

    def _call(self, name: _Token) -> None:
        """Read what is in brackets after xgrammar's own words."""
        self._expect("(", "(")
        values: list[_Shape] = []
        named: list[str] = []
        while self._now.kind != ")" or values or named:
            if self._now.kind == "name" and self._tokens[self._place + 1].kind == "=":
                named.append(self._now.text)
                self._place += 2
                self._argument()
            else:
                values.append(self._argument())
            if not self._take(","):
                break
        self._expect(")", ")")
        shapes, words = _CALLS[name.text]
        fits = all(value in shapes for value in values) and set(named) <= words
        least, most = (1, 1) if name.text == "Regex" else ("number" in shapes, len(values))
        if not fits or not least <= len(values) <= most:
            raise SyntaxFaultError(in_line(name.line, f"{name.text} is not called so"))

    def _argument(self) -> str | tuple[str, ...]:
        """Read a value; return its kind, or those of what is in its brackets."""
        now = self._now
        if now.kind == "name":
            self._place += 1
            return "flag" if now.text in ("true", "false") else self._rule_named(now)
        if not self._take("("):
            self._place += now.kind in ("text", "number")
            if now.kind not in ("text", "number"):
                self._expect("text", "a text, a number, a name or a group")
            return now.kind if now.text != '""' else "nothing"
        parts: list[str] = []
        while self._now.kind != ")":
            part = self._argument()
            parts.append(part if isinstance(part, str) else "group")
            if not self._take(","):
                break
        self._expect(")", ")")
        return tuple(parts)

    def _rule_named(self, name: _Token) -> str:
        return "rule" if name.text in self._rules else "name"

    def _repetition(self) -> None:
        least = self._count()
        if self._take(",") and not (self._now.kind == "}" or self._now.text == "-1"):
            most = self._count()
            if most < least:
                raise SyntaxFaultError(
                    f"in {{{least},{most}}} the first number must not be the larger"
                )
        if self._now.text == "-1":
            self._place += 1
        self._expect("}", "}")

    def _count(self) -> int:
        digits = self._expect("number", "a count").text
        count = count_in(digits.lstrip("0") or "0")
        if count is None or count > _MOST:
            raise SyntaxFaultError(f"{digits[:20]}… is no count")
        return count


def _read_set(token: _Token) -> None:
    """Look at the ranges of a set such as ``[a-z]``."""
    members = _CHARACTER.findall(token.text[1:-1].removeprefix("^"))
    for member in members:
        if member[0] == "\\" and member[1] in "dDsSwW":
            raise SyntaxFaultError(
                in_line(token.line, f"{member} is not supported in {token.text}")
            )
    place = 0
    while place < len(members):
        if place + 2 < len(members) and members[place + 1] == "-":
            if _code(members[place]) > _code(members[place + 2]):
                part = "".join(members[place : place + 3])
                reason = f"in [{part}] the first character must not come after the last"
                raise SyntaxFaultError(in_line(token.line, reason))
            place += 2
        place += 1


def _code(member: str) -> int:
    if member[0] != "\\":
        return ord(member)
    letter = member[1]
    if letter in "xuU":
        return int(member[2:], 16)
    return _CODES.get(letter, ord(letter))
