"""Turns grammars of ``root ::= …`` into Lark, as llguidance does before it reads them."""

import re
from typing import NamedTuple

from vllmctl.rules.syntax.fault import SyntaxFaultError, in_line

_HEX = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}")
_COMMENT = re.compile(r"#[^\r\n]*")
_SMALL_BIG = re.compile(r"([a-z])([A-Z])")


class _Node(NamedTuple):
    """``text``, ``set``, ``name``, ``repeat``, ``sequence`` or ``choice``."""

    kind: str
    text: str = ""
    parts: tuple["_Node", ...] = ()

    @property
    def is_atomic(self) -> bool:
        return self.kind not in ("sequence", "choice")


def lark_of_gbnf(text: str) -> str:
    """Return the grammar in Lark.

    Raises:
        SyntaxFaultError: it is not well formed, or its names clash.
    """
    try:
        return _written(_Reader(text).rules())
    except RecursionError:
        raise SyntaxFaultError("its groups are nested too deeply") from None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def rules(self) -> dict[str, _Node]:
        """Read all rules; the last one of a name counts."""
        rules: dict[str, _Node] = {}
        self._space(lines=True)
        while self._now:
            name = self._name()
            self._space()
            if not self._text.startswith("::=", self._place):
                raise self._fault(f"expected ::= after {name}")
            self._place += 3
            self._space(lines=True)
            rules[name] = self._choice(nested=False)
            self._space(lines=True)
        return rules

    @property
    def _now(self) -> str:
        return self._text[self._place : self._place + 1]

    def _fault(self, reason: str) -> SyntaxFaultError:
        return SyntaxFaultError(in_line(self._text.count("\n", 0, self._place) + 1, reason))

    def _space(self, *, lines: bool = False) -> None:
        blank = " \t\r\n" if lines else " \t"
        while self._now:
            if self._now in blank:
                self._place += 1
            elif found := _COMMENT.match(self._text, self._place):
                self._place = found.end()
            else:
                return

    def _name(self) -> str:
        start = self._place
        while self._now and (self._now.isalnum() or self._now in "-_"):
            self._place += 1
        if self._place == start:
            raise self._fault(f"expected the name of a rule, got {self._now!r}")
        return self._text[start : self._place]

    def _choice(self, *, nested: bool) -> _Node:
        options = []
        while True:
            options.append(self._sequence(nested=nested))
            self._space(lines=nested)
            if self._now != "|":
                return options[0] if len(options) == 1 else _Node("choice", parts=tuple(options))
            self._place += 1
            self._space(lines=True)

    def _sequence(self, *, nested: bool) -> _Node:
        parts: list[_Node] = []
        while self._now and self._now not in "|)" and (nested or self._now not in "\r\n"):
            element = self._element(nested=nested)
            if element is None:
                break
            self._space(lines=nested)
            parts.append(self._repetition(element))
            self._space(lines=nested)
        return parts[0] if len(parts) == 1 else _Node("sequence", parts=tuple(parts))

    def _element(self, *, nested: bool) -> _Node | None:
        if self._now == '"':
            return _Node("text", self._quoted('"', 'a text " is not closed'))
        if self._now == "[":
            return _Node("set", "[" + self._quoted("]", "a set [ is not closed") + "]")
        if self._now == "(":
            return self._group(nested=nested)
        if self._now == ".":
            self._place += 1
            return _Node("set", ".")
        if self._now.isalnum() or self._now in "-_":
            return _Node("name", self._name())
        return None

    def _group(self, *, nested: bool) -> _Node:
        self._place += 1
        self._space(lines=True)
        inner = self._choice(nested=True)
        if self._now != ")":
            got = f"expected ), got {self._now!r}" if self._now else "a ( is not closed"
            raise self._fault(got)
        self._place += 1
        self._space(lines=nested)
        return inner

    def _quoted(self, end: str, unclosed: str) -> str:
        self._place += 1
        written = ""
        while self._now != end:
            if not self._now:
                raise self._fault(unclosed)
            character = self._character()
            written += f"\\{character}" if end == "]" and character in ("/", "[") else character
        self._place += 1
        return written

    def _character(self) -> str:
        character = self._now
        self._place += 1
        if character != "\\":
            return character
        letter = self._now
        if letter and letter in '"\\[]nrt':
            self._place += 1
            return f"\\{letter}"
        found = _HEX.match(self._text, self._place)
        if found is None:
            raise self._fault(f"\\{letter} is no escape")
        self._place = found.end()
        return f"\\{letter}{found[0][1:] if letter == 'x' else found[0][1:].lstrip('0')}"

    def _repetition(self, node: _Node) -> _Node:
        if self._now and self._now in "*+?":
            self._place += 1
            return _Node("repeat", self._text[self._place - 1], (node,))
        if self._now != "{":
            return node
        self._place += 1
        least = most = self._count()
        if self._now == ",":
            self._place += 1
            self._space(lines=True)
            most = self._count() if self._now.isdigit() else ""
        if self._now != "}":
            raise self._fault("a count is {2}, {2,} or {2,3}")
        self._place += 1
        short = {("0", ""): "*", ("1", ""): "+", ("0", "1"): "?"}.get((least, most))
        return _Node("repeat", short or f"{{{least},{most}}}", (node,))

    def _count(self) -> str:
        self._space(lines=True)
        start = self._place
        while self._now.isdecimal():
            self._place += 1
        if self._place == start:
            raise self._fault("a count is {2}, {2,} or {2,3}")
        digits = self._text[start : self._place].lstrip("0") or "0"
        self._space(lines=True)
        return digits


def _written(rules: dict[str, _Node]) -> str:
    for node in rules.values():
        for name in _named(node):
            if name not in rules:
                raise SyntaxFaultError(f"there is no rule {name}")
    if "root" not in rules:
        raise SyntaxFaultError("there is no rule root")
    names = _new_names(rules)
    return "".join(f"{names[rule]}: {_top(node, names)}\n\n" for rule, node in rules.items())


def _named(node: _Node) -> list[str]:
    if node.kind == "name":
        return [node.text]
    return [name for part in node.parts for name in _named(part)]


def _new_names(rules: dict[str, _Node]) -> dict[str, str]:
    """What Lark calls the rules: those of nothing but texts are in capitals."""
    terminals = _terminals(rules)
    if "start" in rules:
        raise SyntaxFaultError("there is a rule start beside root")
    names: dict[str, str] = {"root": "start"}
    taken = {*rules, "start"} - {"root"}
    for rule in rules:
        if rule == "root":
            continue
        name = _SMALL_BIG.sub(r"\1_\2", rule.replace("-", "_")).lower()
        name = name.upper() if rule in terminals else name
        if name != rule and name in taken:
            raise SyntaxFaultError(f"the rules {rule} and {name} are one to llguidance")
        taken.discard(rule)
        taken.add(name)
        names[rule] = name
    return names


def _terminals(rules: dict[str, _Node]) -> set[str]:
    """The rules of nothing but texts, and of such rules."""
    missing = {rule: set(_named(node)) for rule, node in rules.items() if rule != "root"}
    users: dict[str, list[str]] = {}
    for rule, names in missing.items():
        for name in names:
            users.setdefault(name, []).append(rule)
    ready = [rule for rule, names in missing.items() if not names]
    terminals: set[str] = set()
    while ready:
        terminals.add(done := ready.pop())
        for user in users.get(done, ()):
            missing[user].discard(done)
            if not missing[user]:
                ready.append(user)
    return terminals


def _top(node: _Node, names: dict[str, str]) -> str:
    if node.kind != "choice":
        return _text(node, names)
    return "\n     | ".join(_text(part, names) for part in node.parts)


def _text(node: _Node, names: dict[str, str]) -> str:
    if node.kind == "text":
        return f'"{node.text}"'
    if node.kind == "set":
        return f"/{node.text}/"
    if node.kind == "name":
        return names[node.text]
    parts = [_text(part, names) for part in node.parts]
    if node.kind == "choice":
        return f"({' | '.join(parts)})"
    if node.kind == "sequence":
        return " ".join(parts) or '""'
    return f"{parts[0] if node.parts[0].is_atomic else f'({parts[0]})'}{node.text}"
