"""The words and signs of a Lark grammar, as llguidance and as xgrammar part them."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from vllmctl.rules.syntax.fault import SyntaxFaultError, in_line
from vllmctl.rules.syntax.json_schema import is_text


class Token(NamedTuple):
    """A sign (``kind`` is the sign itself), or what its kind says."""

    kind: str
    text: str
    line: int
    value: Any = None


class Lexis(NamedTuple):
    """How a backend parts a grammar, and which directives a JSON value follows."""

    token: re.Pattern[str]
    with_json: tuple[str, ...]


_SIGNS = r"->|\.\.|::|[:,.=(){}\[\]|&~]"

GUIDANCE = Lexis(
    re.compile(
        rf"""(?P<space>(?:\#|//)[^\n]*|[ \t]+)
          | (?P<newline>(?:\r?\n)+[ \t]*)
          | (?P<text>"(?:\\(?:["\\/bfnrt]|u[a-fA-F0-9]{{4}})|[^"\\\x00-\x1F\x7F])*"i?)
          | (?P<regex>/(?:\\[^\n]|[^/\\])+/[imslux]*)
          | (?P<special><[^<>\s]+>)
          | (?P<ref>@[a-zA-Z0-9_-]+)
          | (?P<hex>0[xX][0-9a-fA-F]+)
          | (?P<number>[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?(?![eE]))
          | (?P<name>!?[_?]?[a-z][_a-z0-9-]*|_?[A-Z][_A-Z0-9-]*)
          | (?P<directive>%(?:declare|llguidance|ignore|import|override|json|regex|lark|if))
          | (?P<op>[+*?])
          | (?P<sign>{_SIGNS}|_)""",
        re.VERBOSE,
    ),
    ("%json", "%regex", "%llguidance"),
)
XGRAMMAR = Lexis(
    re.compile(
        rf"""(?P<space>(?:\#|//)[^\r\n]*|[ \t\f]+)
          | (?P<newline>\r\n|\r|\n)
          | (?P<text>"(?:\\[^\r\n]|[^"\\\r\n])*"i?)
          | (?P<regex>/(?:\\.|[^/\\])*/[A-Za-z]*)
          | (?P<special><[^<>\s]*>)
          | (?P<ref>@[a-zA-Z0-9_-]+)
          | (?P<number>[+-]?[0-9]+(?:\.(?!\.)[0-9]*)?(?:[eE][+-]?[0-9]*)?)
          | (?P<name>[!?]?[A-Za-z_](?:[\w-])*)
          | (?P<directive>%[A-Za-z_]*)
          | (?P<op>[+*?])
          | (?P<sign>{_SIGNS})""",
        re.VERBOSE | re.ASCII | re.DOTALL,
    ),
    ("%json", "%regex", "%grammar_options"),
)
_NO_BLANK = re.compile(r"[^ \t\r\n]")
_UNREAD: Mapping[str, str] = {
    '"': 'a text " is not closed, or has an escape that is none',
    "/": "a pattern / is not closed",
    "<": "a token < is not closed",
}


def read_tokens(text: str, lexis: Lexis) -> list[Token]:
    """Return the tokens of a grammar, with an ``end``.

    Raises:
        SyntaxFaultError: something in it is no token.
    """
    tokens: list[Token] = []
    place, line = 0, 1
    while place < len(text):
        found = lexis.token.match(text, place)
        if found is None:
            other = f"{text[place]} stands for nothing; texts are in double quotes"
            raise SyntaxFaultError(in_line(line, _UNREAD.get(text[place], other)))
        end, value = found.end(), None
        kind = str(found.lastgroup)
        if found[0] in lexis.with_json:
            value, end = _json_after(text, end, line)
        if kind != "space":
            name = found[0] if kind in ("sign", "directive") else kind
            tokens.append(Token(name, found[0], line, value))
        line += text.count("\n", place, end)
        place = end
    return [*tokens, Token("end", "the end", line)]


def _json_after(text: str, place: int, line: int) -> tuple[Any, int]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, _after_blanks(text, place))
    except (ValueError, RecursionError):
        raise SyntaxFaultError(in_line(line, "no JSON follows the directive")) from None
    if not is_text(value):
        raise SyntaxFaultError(in_line(line, "the JSON holds half of a surrogate pair"))
    return value, end


def _after_blanks(text: str, place: int) -> int:
    found = _NO_BLANK.search(text, place)
    return found.start() if found else len(text)
