"""Lark grammars, as llguidance and as xgrammar compile them."""

from collections.abc import Iterable

from vllmctl.rules.syntax.fault import SyntaxFaultError, in_line
from vllmctl.rules.syntax.guidance_schema import guidance_refusal
from vllmctl.rules.syntax.lark_tree import Grammar, LarkReader, Node, Rule
from vllmctl.rules.syntax.lark_xgrammar import XgrammarReader
from vllmctl.rules.syntax.regex import judge_regex
from vllmctl.rules.syntax.xgrammar_schema import xgrammar_refusal

_COMMON = frozenset(
    f"common.{name}"
    for name in (
        *("DIGIT", "HEXDIGIT", "INT", "SIGNED_INT", "DECIMAL", "_EXP", "FLOAT", "SIGNED_FLOAT"),
        *("NUMBER", "SIGNED_NUMBER", "ESCAPED_STRING", "LCASE_LETTER", "UCASE_LETTER", "LETTER"),
        *("WORD", "CNAME", "WS_INLINE", "WS", "CR", "LF", "NEWLINE", "SH_COMMENT"),
        *("CPP_COMMENT", "C_COMMENT", "SQL_COMMENT"),
    )
)
_NO_TERMINAL = {"special", "ref", "%json", "lark"}
_CHUNKS = ("substring_chunks", "substring_words", "substring_chars")
_XGRAMMAR_FLAGS = frozenset("isu")


def lark_refusal(text: str) -> str:
    """Return why llguidance refuses a grammar, or nothing."""
    return _refusal(text, LarkReader, _Guidance)


def xgrammar_lark_refusal(text: str) -> str:
    """Return why xgrammar refuses a grammar, or nothing."""
    return _refusal(text, XgrammarReader, _Xgrammar)


def _refusal(text: str, reader: type[LarkReader], compiler: type["_Guidance"]) -> str:
    try:
        compiler(reader(text).grammar()).compile()
    except SyntaxFaultError as fault:
        return str(fault)
    return ""


class _Guidance:
    """Compiles the rules that ``start`` leads to."""

    strips = False

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._rules: dict[str, Rule] = {}
        self._imported: set[str] = set()
        self._done: set[tuple[str, bool]] = set()
        self._within: list[str] = []
        self._waiting: list[Rule] = []

    def compile(self) -> None:
        """Look at what is defined, and at what the rules name.

        Raises:
            SyntaxFaultError: something is wrong with it.
        """
        self._define()
        for node in self._grammar.ignored:
            self._node(node, terminal=True)
        self._waiting += self._wanted()
        while self._waiting:
            rule = self._waiting.pop()
            self._rule(rule, terminal=rule.is_terminal)

    def _define(self) -> None:
        for path, name in self._grammar.imports:
            if path not in _COMMON:
                raise SyntaxFaultError(f"there is no {path} to import")
            self._imported.add(name)
        for rule in self._grammar.rules:
            if rule.name in self._rules or rule.name in self._imported:
                raise SyntaxFaultError(f"the rule {rule.name} is there twice")
            self._rules[rule.name] = rule
        if "start" not in self._rules:
            raise SyntaxFaultError("there is no rule start")

    def _wanted(self) -> Iterable[Rule]:
        """The rules to begin with: they lead to others."""
        return (self._rules["start"],)

    def _rule(self, rule: Rule, *, terminal: bool) -> None:
        if (rule.name, terminal) in self._done:
            return
        self._done.add((rule.name, terminal))
        if len(rule.markers) > 1:
            raise SyntaxFaultError(in_line(rule.line, "there is more than one stop or suffix"))
        if terminal:
            self._within.append(rule.name)
        for node in (rule.body, *rule.markers):
            self._node(node, terminal=terminal or rule.is_lexeme)
        if terminal:
            self._within.pop()

    def _node(self, node: Node, *, terminal: bool) -> None:
        line = node.token.line
        if terminal and node.kind in _NO_TERMINAL:
            what = node.token.text
            raise SyntaxFaultError(in_line(line, f"{what} cannot be in a terminal"))
        if node.kind == "both" and not terminal:
            raise SyntaxFaultError(in_line(line, "& is only supported in TERMINALS"))
        if node.kind == "name":
            self._name(node, terminal=terminal)
        elif node.grammar is not None:
            type(self)(node.grammar).compile()
        else:
            self._alone(node)
        for part in node.parts:
            self._node(part, terminal=terminal or node.kind == "not")

    def _alone(self, node: Node) -> None:
        """Look at what names nothing else in the grammar."""
        looks = {
            "regex": self._regex,
            "range": self._range,
            "repeat": self._repeat,
            "%json": self._schema,
            "%regex": self._chunks,
            "special": self._token,
            "ref": self._token,
        }
        if node.kind in looks:
            looks[node.kind](node)

    def _name(self, node: Node, *, terminal: bool) -> None:
        name = node.token.text
        name = name.lstrip("!?") if self.strips else name
        rule = self._rules.get(name)
        if name in self._imported:
            return
        if rule is None:
            raise SyntaxFaultError(in_line(node.token.line, f"there is no rule {name}"))
        if terminal and not rule.is_terminal:
            raise SyntaxFaultError(
                in_line(node.token.line, f"the rule {name} cannot be in a terminal")
            )
        if name in self._within:
            raise SyntaxFaultError(in_line(node.token.line, f"the terminal {name} names itself"))
        if rule.is_terminal:
            self._rule(rule, terminal=True)
        else:
            self._waiting.append(rule)

    def _regex(self, node: Node) -> None:
        pattern, flags = _parted(node.token.text)
        self._refuse_if(node, "the flag l is not supported" if "l" in flags else "")
        self._refuse_if(node, judge_regex(pattern).guidance)

    def _repeat(self, node: Node) -> None:
        least, most = node.token.value
        if most < least:
            reason = f"in {{{least},{most}}} the first number must not be the larger"
            self._refuse_if(node, reason)

    def _range(self, node: Node) -> None:
        start, end = node.token.value
        if len(start) != 1 or len(end) != 1:
            self._refuse_if(node, "a range is from one character to another")
        if start > end:
            self._refuse_if(node, f"in {start}..{end} the first must not come after the last")

    def _schema(self, node: Node) -> None:
        self._refuse_if(node, guidance_refusal(node.token.value))

    def _chunks(self, node: Node) -> None:
        value = node.token.value
        fields = [name for name in (value if isinstance(value, dict) else ()) if name in _CHUNKS]
        if len(fields) != 1:
            self._refuse_if(node, f"%regex has one of {', '.join(_CHUNKS)}")

    def _token(self, node: Node) -> None:
        """Tokens of the model are known to the server alone."""
        if node.kind == "ref":
            self._refuse_if(node, f"there is no grammar {node.token.text}")

    def _refuse_if(self, node: Node, reason: str) -> None:
        if reason:
            shown = node.token.text.replace("\n", "\\n")
            place = f"in {shown}: " if node.kind == "regex" else ""
            raise SyntaxFaultError(in_line(node.token.line, f"{place}{reason}"))


class _Xgrammar(_Guidance):
    """Compiles all rules."""

    strips = True

    def _wanted(self) -> Iterable[Rule]:
        return reversed(self._rules.values())

    def _node(self, node: Node, *, terminal: bool) -> None:
        if node.kind == "not":
            raise SyntaxFaultError(in_line(node.token.line, "~ is not supported"))
        if node.kind == "text" and node.token.text.endswith("i") and not node.token.text.isascii():
            self._refuse_if(node, "only ASCII texts can be followed by i")
        super()._node(node, terminal=terminal)

    def _regex(self, node: Node) -> None:
        pattern, flags = _parted(node.token.text)
        for flag in sorted(set(flags) - _XGRAMMAR_FLAGS):
            self._refuse_if(node, f"the flag {flag} is not supported")
        self._refuse_if(node, judge_regex(pattern).xgrammar)

    def _schema(self, node: Node) -> None:
        self._refuse_if(node, xgrammar_refusal(node.token.value))

    def _chunks(self, node: Node) -> None:
        super()._chunks(node)
        if "substring_words" in node.token.value:
            self._refuse_if(node, "substring_words is not supported")

    def _token(self, node: Node) -> None:
        super()._token(node)
        if not node.token.text.startswith("<[") or "*" in node.token.text:
            self._refuse_if(node, "special tokens are not supported")


def _parted(text: str) -> tuple[str, str]:
    pattern, _, flags = text[1:].rpartition("/")
    return pattern, flags
