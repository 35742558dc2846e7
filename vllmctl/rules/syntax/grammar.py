"""Grammars in GBNF (``root ::= …``) and Lark (``start: …``), as the backends read them."""

import re
from functools import partial

from vllmctl.rules.syntax.ebnf import ebnf_refusal
from vllmctl.rules.syntax.fault import SyntaxFaultError
from vllmctl.rules.syntax.gbnf import lark_of_gbnf
from vllmctl.rules.syntax.lark import lark_refusal, xgrammar_lark_refusal
from vllmctl.rules.syntax.verdict import Verdict

_COMMENT = re.compile(r"(#|//).*$")
_LARK = re.compile(r"(?m)^[^\S\n]*(%llguidance\b|start\s*:)")


def judge_grammar(text: str) -> Verdict:
    """Return what the backends say to a grammar."""
    is_lark = not any("::=" in _COMMENT.sub("", line) for line in text.split("\n"))
    xgrammar = xgrammar_lark_refusal if is_lark else ebnf_refusal
    return Verdict(partial(xgrammar, text), partial(_guidance_refusal, text, is_lark=is_lark))


def _guidance_refusal(text: str, *, is_lark: bool) -> str:
    """Why llguidance refuses a grammar; it takes for Lark what has a rule ``start:``."""
    if is_lark and not _LARK.search(text):
        return 'a grammar has rules such as root ::= "yes" | "no"'
    try:
        lark = text if _LARK.search(text) else lark_of_gbnf(text)
    except SyntaxFaultError as fault:
        return str(fault)
    reason = lark_refusal(lark)
    return re.sub(r"^line \d+: ", "", reason) if lark is not text else reason
