"""Reads a grammar in GBNF (``root ::= …``) or in Lark's form (``start: …``) into shapes."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vllmctl.mock.structure.regex import read_regex
from vllmctl.mock.structure.shapes import (
    Choice,
    ConstraintError,
    Literal,
    Reference,
    Repeat,
    Sequence,
    Shape,
)

_TOKENS = re.compile(
    r"""(?P<skip>[ \t\r]+|(?:\#|//)[^\n]*)
      | (?P<newline>\n)
      | (?P<literal>"(?:\\.|[^"\\\n])*"i?)
      | (?P<set>\[(?:\\.|[^\]\\])*\])
      | (?P<regex>/(?:\\.|[^/\\\n])+/[imslux]*)
      | (?P<count>\{\s*\d+\s*(?:,\s*\d*\s*)?\})
      | (?P<assign>::=|:)
      | (?P<name>[?!]?[A-Za-z_][\w-]*)
      | (?P<sign>[()|*+?.~,%-])
    """,
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_STARTS = ("root", "start")


class Grammar(NamedTuple):
    """The rules of a grammar and where to start."""

    start: Shape
    rules: Mapping[str, Shape]


def read_grammar(text: str) -> Grammar:
    """Return the grammar that ``text`` writes down.

    Raises:
        ConstraintError: not a grammar, no start rule, or a name without a rule.
    """
    rules = _Reader(text).rules()
    start = next((name for name in _STARTS if name in rules), None)
    if start is None:
        raise _invalid("The grammar must have a root rule")
    for name in _names(Sequence(list(rules.values()))):
        if name not in rules:
            raise _invalid(f"Referenced rule {name!r} not found")
    return Grammar(Reference(start), rules)


def _invalid(reason: str) -> ConstraintError:
    return ConstraintError(f"Invalid grammar specification: {reason}")


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_scan(text))
        self._at = 0

    def rules(self) -> dict[str, Shape]:
        rules: dict[str, Shape] = {}
        while self._kind() != "end":
            if self._kind() == "newline":
                self._step()
            elif self._token.text == "%":
                self._skip_line()
            else:
                name = self._expect("name", "name").text.lstrip("?!")
                self._expect("assign", "'::='")
                rules[name] = self._choice()
        return rules

    def _choice(self) -> Shape:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(options)

    def _sequence(self) -> Shape:
        self._skip_newlines(before="|")
        parts: list[Shape] = []
        while self._starts_part():
            parts.append(self._repeated(self._atom()))
            self._skip_newlines(before="|")
        return parts[0] if len(parts) == 1 else Sequence(parts)

    def _starts_part(self) -> bool:
        kind = self._kind()
        if kind == "newline":
            return False
        if kind == "name" and self._kind(1) == "assign":
            return False
        return kind in ("literal", "set", "regex", "name") or self._token.text == "("

    def _atom(self) -> Shape:
        token = self._step()
        if token.kind == "literal":
            return Literal(_unquote(token.text.removesuffix("i")[1:-1]))
        if token.kind == "set":
            return read_regex(token.text)
        if token.kind == "regex":
            return read_regex(token.text.rstrip("imslux")[1:-1])
        if token.kind == "name":
            return Reference(token.text)
        self._skip_newlines()
        inner = self._choice()
        self._skip_newlines()
        if not self._take(")"):
            raise self._error("')'")
        return inner

    def _repeated(self, part: Shape) -> Shape:
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        while True:
            token = self._token
            if token.text in bounds:
                part = Repeat(part, *bounds[token.text])
            elif token.kind == "count":
                low, comma, high = token.text.strip("{} ").partition(",")
                most = int(high) if high.strip() else None
                part = Repeat(part, int(low), most if comma else int(low))
            else:
                return part
            self._step()

    @property
    def _token(self) -> _Token:
        return self._tokens[self._at]

    def _kind(self, ahead: int = 0) -> str:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)].kind

    def _step(self) -> _Token:
        token = self._token
        if token.kind != "end":
            self._at += 1
        return token

    def _take(self, text: str) -> bool:
        found = self._token.text == text
        if found:
            self._step()
        return found

    def _expect(self, kind: str, words: str) -> _Token:
        if self._kind() != kind:
            raise self._error(words)
        return self._step()

    def _error(self, expected: str) -> ConstraintError:
        at = self._token.at
        line = self._text.count("\n", 0, at) + 1
        around = f"{self._text[max(0, at - 20) : at]!r} ^ {self._text[at : at + 20]!r}"
        return _invalid(
            "Failed to convert the grammar from GBNF to Lark: "
            f"Expected {expected} at line {line}, {around}"
        )

    def _skip_newlines(self, before: str = "") -> None:
        """Pass over line ends; with ``before``, only when that sign follows them."""
        at = self._at
        while self._tokens[at].kind == "newline":
            at += 1
        if not before or self._tokens[at].text == before:
            self._at = at

    def _skip_line(self) -> None:
        while self._kind() not in ("newline", "end"):
            self._step()


def _scan(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None:
            yield _Token("unknown", text[at], at)
            at += 1
            continue
        if match.lastgroup != "skip":
            yield _Token(str(match.lastgroup), match[0], at)
        at = match.end()
    yield _Token("end", "", len(text))


def _unquote(text: str) -> str:
    def character(match: "re.Match[str]") -> str:
        digits = match[1] or match[2]
        return chr(int(digits, 16)) if digits else _ESCAPES.get(match[3], match[3])

    return re.sub(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", character, text)


def _names(shape: Shape) -> Iterator[str]:
    match shape:
        case Reference(name):
            yield name
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from _names(part)
        case Repeat(part):
            yield from _names(part)
