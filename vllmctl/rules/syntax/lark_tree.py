"""Reads Lark grammars into trees, as llguidance does; what xgrammar does otherwise is apart."""

import json
from typing import NamedTuple

from vllmctl.counts import count_in
from vllmctl.record import Record, field
from vllmctl.rules.syntax.fault import SyntaxFaultError, in_line
from vllmctl.rules.syntax.lark_tokens import GUIDANCE, Token, read_tokens

_DEEPEST = 30
_MOST = 2**31 - 1
_ENDS = ("newline", "|", "->", "}", ")", "]", "&", "%if", "end")
_ATOMS = ("special", "ref", "%json", "%regex")


class Node(NamedTuple):
    """A part of a rule: ``token`` has its words, ``parts`` what is in it.

    The kinds are ``all``, ``any``, ``both`` (``&``), ``not``, ``repeat``, ``range``, ``lark``
    and those of the tokens.
    """

    kind: str
    token: Token
    parts: tuple["Node", ...] = ()
    grammar: "Grammar | None" = None


class Rule(NamedTuple):
    """A rule, or a terminal; ``lexeme`` says that what is in it must be terminals, too."""

    name: str
    body: Node
    line: int
    is_terminal: bool = False
    is_lexeme: bool = False
    markers: tuple[Node, ...] = ()


class Grammar(Record):
    """What a grammar defines."""

    rules: list[Rule] = field(factory=list)
    ignored: list[Node] = field(factory=list)
    imports: list[tuple[str, str]] = field(factory=list)


class LarkReader:
    """Reads a grammar as llguidance does."""

    def __init__(self, text: str) -> None:
        self._tokens = self.tokens(text)
        self._place = 0
        self._depth = 0

    @staticmethod
    def tokens(text: str) -> list[Token]:
        """Part the text."""
        return read_tokens(text, GUIDANCE)

    def grammar(self, end: str = "end") -> Grammar:
        """Read on to the end, or to the bracket that ends a grammar within another.

        Raises:
            SyntaxFaultError: it is not well formed.
        """
        grammar = Grammar()
        self._lines()
        while self._now.kind != end:
            self._item(grammar)
            self._after_item(end)
            self._lines()
        return grammar

    @property
    def _now(self) -> Token:
        return self._tokens[self._place]

    def _next(self, ahead: int = 1) -> str:
        return self._tokens[min(self._place + ahead, len(self._tokens) - 1)].kind

    def _take(self, *kinds: str) -> bool:
        if self._now.kind not in kinds:
            return False
        self._place += self._now.kind != "end"
        return True

    def _expect(self, kind: str, what: str) -> Token:
        now = self._now
        if not self._take(kind):
            raise self._fault(f"expected {what}, got {_shown(now)}")
        return now

    def _fault(self, reason: str) -> SyntaxFaultError:
        return SyntaxFaultError(in_line(self._now.line, reason))

    def _lines(self) -> None:
        while self._take("newline"):
            pass

    def _after_item(self, end: str) -> None:
        """What has to follow an item: to llguidance nothing has."""

    def _item(self, grammar: Grammar) -> None:
        now = self._now
        if now.kind == "name":
            grammar.rules.append(self._rule())
        elif self._take("%ignore"):
            grammar.ignored.append(self._choice())
        elif self._take("%import"):
            self._import(grammar)
        elif self._take("%llguidance"):
            if not isinstance(now.value, dict):
                raise self._fault("after %llguidance stands an object")
        else:
            raise self._fault(self._no_item(now))

    def _no_item(self, now: Token) -> str:
        if now.kind.startswith("%"):
            return f"{now.text} is not supported"
        return f"expected the name of a rule, got {_shown(now)}"

    def _import(self, grammar: Grammar) -> None:
        path = self._expect("name", "a name").text
        while self._take("."):
            path += "." + self._expect("name", "a name").text
        if self._take("->"):
            grammar.imports.append((path, self._expect("name", "a name").text))
        elif self._take("("):
            names = [self._expect("name", "a name").text]
            while self._take(","):
                names.append(self._expect("name", "a name").text)
            self._expect(")", ")")
            grammar.imports += [(f"{path}.{name}", name) for name in names]
        else:
            grammar.imports.append((path, path.rpartition(".")[2]))

    def _rule(self) -> Rule:
        token = self._expect("name", "the name of a rule")
        name = token.text.lstrip("!").removeprefix("?")
        terminal = is_terminal(name)
        if self._now.kind in ("{", ".", "::"):
            raise self._fault("parameters, templates and priorities are not supported")
        rule = Rule(name, Node("all", token), token.line, terminal)
        if self._now.kind == "[" and not terminal:
            rule = self._attributes(rule)
        self._expect(":", f": after {name}")
        return rule._replace(body=self._choice())

    def _attributes(self, rule: Rule) -> Rule:
        self._take("[")
        while self._now.kind != "]":
            key = self._expect("name", "an attribute").text
            if key == "lazy":
                rule = rule._replace(is_lexeme=True)
            elif key == "capture" and self._now.kind != "=":
                pass
            else:
                self._expect("=", "=")
                rule = self._attribute(rule, key)
            if not self._take(","):
                break
        self._expect("]", "]")
        return rule

    def _attribute(self, rule: Rule, key: str) -> Rule:
        if key in ("stop", "suffix"):
            return rule._replace(is_lexeme=True, markers=(*rule.markers, self._value()))
        if key in ("capture", "stop_capture"):
            self._name_given(self._expect("text", "a text"))
        elif key == "max_tokens":
            self._count()
            rule = rule._replace(is_lexeme=rule.is_lexeme or not self._is_alone())
        elif key == "temperature":
            self._expect("number", "a number")
            rule = rule._replace(is_lexeme=rule.is_lexeme or not self._is_alone())
        else:
            raise self._fault(f"there is no attribute {key}")
        return rule

    def _name_given(self, token: Token) -> None:
        self._text(token)

    def _is_alone(self) -> bool:
        """Whether the rule is nothing but another grammar, which has a temperature of its own."""
        ahead = 0
        while self._next(ahead) not in (":", "end", "newline"):
            ahead += 1
        return self._next(ahead + 1) in ("ref", "%json", "%lark")

    def _choice(self) -> Node:
        if self._depth + 1 >= self.deepest:
            raise self._fault("its groups are nested too deeply")
        self._depth += 1
        token = self._now
        options = [self._alias()]
        while self._or():
            options.append(self._alias())
        self._depth -= 1
        return options[0] if len(options) == 1 else Node("any", token, tuple(options))

    deepest = _DEEPEST

    def _or(self) -> bool:
        """Whether another option follows: at most one line may end before it."""
        if self._take("|"):
            return True
        if self._now.kind == "newline" and self._next() == "|":
            self._place += 2
            return True
        return False

    def _alias(self) -> Node:
        token = self._now
        parts = [self._sequence()]
        while self._take("&"):
            parts.append(self._sequence())
        if self._take("->"):
            self._alias_name(self._expect("name", "a name"))
        if self._take("%if"):
            self._condition(self._expect("name", "a condition"))
        return parts[0] if len(parts) == 1 else Node("both", token, tuple(parts))

    def _alias_name(self, token: Token) -> None:
        if is_terminal(token.text):
            raise self._fault(f"the alias {token.text} must be in small letters")

    def _condition(self, token: Token) -> None:
        """All others need parameters, which are not looked at."""
        if token.text != "true":
            raise self._fault("%if is only supported with true")

    def _sequence(self) -> Node:
        token = self._now
        parts = []
        while self._now.kind not in _ENDS:
            parts.append(self._repeated())
        return Node("all", token, tuple(parts))

    def _repeated(self) -> Node:
        token = self._now
        atom = self._atom()
        if self._take("op"):
            return Node("repeat", token._replace(value=(0, _MOST)), (atom,))
        if self._is_counted():
            self._take("~")
            least = self._count()
            most = self._count() if self._take("..") else least
        elif self._take("{"):
            least = 0 if self._now.kind == "," else self._count()
            most = least
            if self._take(","):
                most = _MOST if self._now.kind == "}" else self._count()
            self._expect("}", "}")
            if not most and not self.takes_none:
                raise self._fault("a count of 0 is not supported")
        else:
            return atom
        return Node("repeat", token._replace(value=(least, most)), (atom,))

    takes_none = False

    def _is_counted(self) -> bool:
        """Whether ``~`` stands before a count here, and not before what shall not match."""
        return self._now.kind == "~" and self._next() == "number"

    def _count(self) -> int:
        digits = self._expect("number", "a count").text
        count = count_in(digits.lstrip("0") or "0")
        if count is None or count > _MOST:
            raise self._fault(f"{digits[:20]} is no count")
        return count

    def _atom(self) -> Node:
        token = self._now
        if self._take("~"):
            return Node("not", token, (self._positive(),))
        return self._positive()

    def _positive(self) -> Node:
        token = self._now
        if self._take("("):
            return self._closed(")", "(")
        if self._take("["):
            return Node("repeat", token._replace(value=(0, 1)), (self._closed("]", "["),))
        return self._value()

    def _closed(self, end: str, start: str) -> Node:
        inner = self._choice()
        if self._now.kind in ("end", "newline"):
            raise self._fault(f"a {start} is not closed")
        self._expect(end, end)
        return inner

    def _value(self) -> Node:
        token = self._now
        if self._take("text"):
            start = self._text(token)
            if not self._take(".."):
                return Node("text", token._replace(value=start))
            last = self._expect("text", "a text")
            if token.text.endswith("i") or last.text.endswith("i"):
                raise self._fault("the texts of a range have no flags")
            return Node("range", token._replace(value=(start, self._text(last))))
        if self._take("%lark"):
            return self._within(token)
        if self._take("name"):
            if self._now.kind == "::" or (
                self._now.kind == "{" and self._next() not in (",", "number")
            ):
                raise self._fault("parameters and templates are not supported")
            return Node("name", token)
        if self._take("regex", *_ATOMS):
            return Node(token.kind, token)
        raise self._fault(f"expected a text, a pattern or a name, got {_shown(token)}")

    def _text(self, token: Token) -> str:
        try:
            return str(json.loads(token.text.removesuffix("i")))
        except ValueError:
            raise self._fault(f"{token.text} is no text as JSON has them") from None

    def _within(self, token: Token) -> Node:
        """Read a grammar in braces; to llguidance its last line has to end."""
        self._expect("{", "{ after %lark")
        self._depth += 1
        inner = self.grammar("}")
        self._depth -= 1
        if self.ends_lines and self._tokens[self._place - 1].kind not in ("newline", "{"):
            raise self._fault("a line must end before the }")
        self._expect("}", "}")
        return Node("lark", token, grammar=inner)

    ends_lines = True


def is_terminal(name: str) -> bool:
    """Whether a name is that of a terminal."""
    return name.removeprefix("_")[:1].isupper()


def _shown(token: Token) -> str:
    return "the end of the line" if token.kind == "newline" else token.text
